/**
 * Reads the position in a listing from a cursor.
 */
import { Effect } from "effect"
import type { Sign, CursorScope } from "../domain/Cursor.ts"
import { readCursor } from "../domain/Cursor.ts"
import { InvalidArgument } from "../domain/Failure.ts"
import { issue } from "../domain/Issue.ts"
import type { Crypto } from "../port/Crypto.ts"

/** Returns `null` without a cursor. Fails when the cursor was altered or belongs to another listing. `listing` is named in the message. */
export const readCursorPosition = (
  sign: Sign,
  { equal }: Pick<Crypto["Service"], "equal">,
  scope: CursorScope,
  cursor: string | null,
  listing: "these filters" | "this webhook"
): Effect.Effect<ReadonlyArray<string> | null, InvalidArgument> => {
  const position = cursor === null ? null : readCursor(sign, equal, scope, cursor)
  return position === undefined
    ? Effect.fail(
        new InvalidArgument({
          context: "query",
          issues: [issue(["cursor"], "invalid_cursor", `is not a cursor of ${listing}`)]
        })
      )
    : Effect.succeed(position)
}
