/**
 * Law of rewritten events: an erasure changes the data of an event, also while the event waits for its distribution.
 */
import type { EventRecord, StoredRecordOf } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, commitResult, insert } from "./changes.ts"
import { ask } from "./queries.ts"
import { rewrite } from "./recordRewrites.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const erases = storeLawsFor("decisions/0051-erasure.md")

const recordOf = (event: EventRecord, isDistributed: boolean): StoredRecordOf<"Event"> => ({
  kind: "Event",
  record: { event, isDistributed }
})

const waitingEvents = erases(
  "records/rewritten-events-wait",
  "A rewrite of an event says whether the event waits for its distribution. Other events wait as before.",
  function* (store) {
    const event = sample.event()
    const later = sample.event({ occurredAt: event.occurredAt + 1 })
    const other = sample.event({ id: "evt_2" })
    yield* commit(store, insert.event(event), insert.event(other))
    const waiting = Effect.map(ask(store, { _tag: "UndistributedEvents", limit: 9 }), (events) =>
      events.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    )
    const steps = [
      [recordOf(event, false), recordOf(later, false)],
      [recordOf(later, false), recordOf(event, true)],
      [recordOf(event, true), recordOf(later, true)],
      [recordOf(later, true), recordOf(event, false)],
      [recordOf(event, false), null]
    ] as const
    for (const [before, after] of steps) {
      yield* same("the result of a rewrite", yield* commitResult(store, rewrite(before, after)), "applied")
      const own = after === null || after.record.isDistributed ? [] : [after.record.event]
      yield* same("the events that wait", yield* waiting, [...own, other])
    }
    yield* commit(store, insert.event(later))
    yield* same("the events that wait at the end", yield* waiting, [later, other])
  }
)

export const rewrittenEventLaws: ReadonlyArray<StoreLaw> = [waitingEvents]
