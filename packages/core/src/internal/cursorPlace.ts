/**
 * Where a cursor leads in the walk that it is given for.
 */
import { Effect } from "effect"
import type { Seal, Walk } from "../domain/Cursor.ts"
import { readCursor } from "../domain/Cursor.ts"
import { InvalidArgument } from "../domain/Failure.ts"
import { issue } from "../domain/Issue.ts"
import type { Crypto } from "../port/Crypto.ts"

/** `null` without a cursor. Refused, in terms of `whose` it is not, when it was altered or belongs to another walk. */
export const cursorPlace = (
  seal: Seal,
  { equal }: Pick<Crypto["Service"], "equal">,
  walk: Walk,
  cursor: string | null,
  whose: "these filters" | "this webhook"
): Effect.Effect<ReadonlyArray<string> | null, InvalidArgument> => {
  const place = cursor === null ? null : readCursor(seal, equal, walk, cursor)
  return place === undefined
    ? Effect.fail(
        new InvalidArgument({
          context: "query",
          issues: [issue(["cursor"], "invalid_cursor", `is not a cursor of ${whose}`)]
        })
      )
    : Effect.succeed(place)
}
