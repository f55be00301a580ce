/**
 * Arbitraries for changes of every kind, and for commits of several changes.
 */
import type { Change, ChangeOf, ChangeTag } from "@mailkeep/core/adapter"
import { changeOrder, inCommitOrder, recordKeyOf } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import { mailChanges } from "./mailChange.ts"
import { recordChanges } from "./recordChange.ts"

/** One arbitrary for each kind of change. */
export const changes: { readonly [T in ChangeTag]: fc.Arbitrary<ChangeOf<T>> } = { ...recordChanges, ...mailChanges }

/** The changes that affect most answers have a higher weight. */
const often: ReadonlySet<ChangeTag> = new Set<ChangeTag>([
  "PutContent",
  "InsertMessage",
  "InsertDelivery",
  "TransitionDelivery",
  "AddToCounter",
  "PutContact",
  "InsertEventDelivery",
  "AppendEvent"
])

/** Changes of every kind, with ids from the small set `names`. */
export const change: fc.Arbitrary<Change> = fc.oneof(
  ...changeOrder.map((tag) => ({ weight: often.has(tag) ? 5 : 1, arbitrary: changes[tag] as fc.Arbitrary<Change> }))
)

/** Changes of different records, in the order that a commit requires. */
export const commit: fc.Arbitrary<ReadonlyArray<Change>> = fc
  .uniqueArray(change, { minLength: 1, maxLength: 4, selector: recordKeyOf })
  .map(inCommitOrder)
