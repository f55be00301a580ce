/**
 * The law of copies: a caller that changes an object that it gave or got changes no record.
 */
import { wholeRotation } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commit, insert } from "./changes.ts"
import { changesOf, expectedAnswers, recordsOf } from "./letterRecords.ts"
import { ask, checkAnswers } from "./queries.ts"
import { noon, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0023-conformance.md")

/** Changes each value within an object. The bytes of a content stay, because a reader must not change them. */
const spoil = (value: unknown): void => {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return
  for (const [name, part] of Object.entries(value)) {
    spoil(part)
    Reflect.set(value, name, typeof part === "object" && part !== null ? part : "spoiled")
  }
}

const lease = { now: noon, limit: 9, worker: "other", leaseUntil: noon + 1 }

const copies = law(
  "values/own-copies",
  "A store shares no object with its callers: what a caller changes in a change after its commit, or in an answer, changes no record.",
  function* (store) {
    const given = changesOf(recordsOf("a"))
    yield* commit(store, ...given)
    spoil(given)
    const answers = expectedAnswers(recordsOf("a"))
    yield* checkAnswers(store, answers, ", after the changes of the commit were changed")
    spoil(yield* store.read(answers.map(([query]) => query)))
    yield* checkAnswers(store, answers, ", after an answer was changed")
    const claimed = sample.delivery({ id: "del_due" })
    const claimedEvent = sample.eventDelivery({ id: "evd_due", subscriber: "whk_due" })
    yield* commit(store, insert.delivery(claimed), insert.eventDelivery(claimedEvent))
    spoil(yield* store.claim({ kind: "dueQueued", rotation: wholeRotation, ...lease }))
    spoil(yield* store.claimEventDeliveries({ subscriber: "whk_due", ...lease }))
    yield* same(
      "a delivery after the answer of its claim was changed",
      yield* ask(store, { _tag: "Delivery", projectId, id: "del_due" }),
      { ...claimed, worker: "other", fencingToken: claimed.fencingToken + 1 }
    )
    yield* same(
      "an event delivery after the answer of its claim was changed",
      yield* ask(store, { _tag: "EventDelivery", projectId, id: "evd_due" }),
      { ...claimedEvent, worker: "other", fencingToken: claimedEvent.fencingToken + 1 }
    )
  }
)

export const ownCopyLaws: ReadonlyArray<StoreLaw> = [copies]
