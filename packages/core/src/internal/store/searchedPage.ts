/**
 * The page of a listing with cursors whose filters no index supports.
 */
import { Effect } from "effect"
import type { CursorScope } from "../../domain/store/Cursor.ts"
import type { CursorPage } from "../../domain/store/Paging.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import type { CursorDeps, ListingPosition } from "./cursorPage.ts"
import { cursorPage } from "./cursorPage.ts"
import type { ReadPart } from "./filledPage.ts"
import { makePageFiller } from "./filledPage.ts"

interface SearchedListing<A, P> {
  readonly scope: CursorScope
  readonly limit: number
  readonly cursor: string | null
  /** The position in the form that a cursor contains, and back. */
  readonly encode: (position: P) => ListingPosition
  readonly decode: (position: ListingPosition) => P
  /** Examines a bounded number of records after a position, and returns those that match. */
  readonly readPart: ReadPart<A, P>
}

/** Makes the function that reads such pages. All listings of one function share the bound of `makePageFiller`. */
export const makeSearchedPage = (deps: CursorDeps) => {
  const fillPage = makePageFiller()
  return <A, P>({
    scope,
    limit,
    cursor,
    encode,
    decode,
    readPart
  }: SearchedListing<A, P>): Effect.Effect<CursorPage<A>, InvalidArgument | StoreUnavailable> =>
    cursorPage(deps, {
      scope,
      limit,
      cursor,
      read: (position) => {
        const after = position === null ? null : decode(position)
        return Effect.map(fillPage(scope.projectId, { after, limit }, readPart), ({ items, next }) => ({
          items,
          next: next === null ? null : encode(next)
        }))
      }
    })
}
