/**
 * Arbitraries for changes of every kind, and for commits of several changes.
 */
import type { Change, ChangeOf, ChangeTag } from "@mailkeep/core/adapter"
import { changeOrder, inCommitOrder, projectIdOfChange, recordKeyOf } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import { mailChanges } from "./mailChange.ts"
import { recordChanges } from "./recordChange.ts"

/** One arbitrary for each kind of change. */
export const changes: { readonly [T in ChangeTag]: fc.Arbitrary<ChangeOf<T>> } = { ...recordChanges, ...mailChanges }

/** The changes that affect most answers, and those that need the changes before them, have a higher weight. */
const often: ReadonlySet<ChangeTag> = new Set<ChangeTag>([
  "PutContent",
  "InsertMessage",
  "InsertDelivery",
  "InsertAttempt",
  "TransitionAttempt",
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

/** The changes of the project of the first change, and those of no project. */
export const ofOneProject = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const first = changes.map(projectIdOfChange).find((projectId) => projectId !== null)
  return changes.filter((one) => [null, first].includes(projectIdOfChange(one)))
}

/** Changes of different records of one project, in the order that a commit requires. */
export const commit: fc.Arbitrary<ReadonlyArray<Change>> = fc
  .uniqueArray(change, { minLength: 1, maxLength: 4, selector: recordKeyOf })
  .map((changes) => inCommitOrder(ofOneProject(changes)))
