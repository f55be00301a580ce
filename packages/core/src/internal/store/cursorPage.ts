/**
 * The page of a listing with cursors: reads the position from the cursor, reads the records, and signs the cursor of the next page.
 */
import { Effect } from "effect"
import type { CursorScope, Sign } from "../../domain/store/Cursor.ts"
import { readCursor, writeCursor } from "../../domain/store/Cursor.ts"
import type { CursorPage } from "../../domain/store/Paging.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Crypto } from "../../port/Crypto.ts"

/** The position in a listing, in the form that a cursor contains. */
export type ListingPosition = ReadonlyArray<string>

/** What signs cursors, and compares their signatures. */
export interface CursorDeps {
  readonly sign: Sign
  readonly crypto: Pick<Crypto["Service"], "equal">
}

interface Listing<A, E> {
  readonly scope: CursorScope
  readonly limit: number
  readonly cursor: string | null
  /** What a refused cursor does not belong to, in the message of the failure. Default: `these filters`. */
  readonly cursorOf?: "this webhook"
  /** Reads the records after a position, and the position of the last one; `next` is `null` when there are no more. */
  readonly read: (
    after: ListingPosition | null
  ) => Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly next: ListingPosition | null }, E>
}

/** Fails with `InvalidArgument` when the cursor was altered, or when it belongs to another project, listing or set of filters. */
export const cursorPage = <A, E>(
  { sign, crypto }: CursorDeps,
  { scope, limit, cursor, cursorOf, read }: Listing<A, E>
): Effect.Effect<CursorPage<A>, E | InvalidArgument> =>
  Effect.suspend((): Effect.Effect<CursorPage<A>, E | InvalidArgument> => {
    const after = cursor === null ? null : readCursor(sign, crypto.equal, scope, cursor)
    if (after === undefined)
      return Effect.fail(
        new InvalidArgument({
          argument: "filters",
          issues: [issue(["cursor"], "invalid_cursor", `is not a cursor of ${cursorOf ?? "these filters"}`)]
        })
      )
    return Effect.map(read(after), ({ items, next }) => ({
      items,
      limit,
      hasMore: next !== null,
      nextCursor: next === null ? null : writeCursor(sign, scope, next)
    }))
  })
