/**
 * Wraps the store of every adapter before the services use it. Sorts the changes of a commit and skips empty commits and claims.
 * Dies with `StoreContractViolation` when an answer of the store breaks the contract of the port.
 */
import { Data, Effect, Layer } from "effect"
import { inCommitOrder } from "../../domain/store/commitOrder.ts"
import type { Claim, EventDeliveryClaim } from "../../domain/store/Claim.ts"
import { claimKinds, isDue } from "../../domain/store/Claim.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { EventDelivery } from "../../domain/event/EventDelivery.ts"
import type { Answers, Query } from "../../domain/store/Query.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { wrapStore } from "../../port/wrapStore.ts"
import { skipEmptyCommit } from "./skipEmptyCommit.ts"

/** A defect: the adapter broke a law of the conformance kit. Its answer is not used. */
export class StoreContractViolation extends Data.TaggedError("StoreContractViolation")<{ readonly law: string }> {
  override get message() {
    return `The store broke the law ${this.law} of @mailkeep/conformance.`
  }
}

/** Checks each claimed row. Only the conformance kit can check that no other worker has claimed the row. */
const checkedDeliveries = (
  { kind, now, limit, worker }: Claim,
  rows: ReadonlyArray<Delivery>
): ReadonlyArray<Delivery> => {
  if (rows.length > limit) throw new StoreContractViolation({ law: "claim/no-more-than-asked" })
  for (const row of rows) {
    if (row.status !== claimKinds[kind] || !isDue(row, now))
      throw new StoreContractViolation({ law: "claim/takes-what-is-due" })
    if (row.worker !== worker) throw new StoreContractViolation({ law: "claim/stamps-worker-and-token" })
  }
  return rows
}

/** Checks each row of a claim of event deliveries. */
const checkedEventDeliveries = (
  { subscriber, now, limit, worker }: EventDeliveryClaim,
  rows: ReadonlyArray<EventDelivery>
): ReadonlyArray<EventDelivery> => {
  if (rows.length > limit) throw new StoreContractViolation({ law: "events/no-more-than-asked" })
  for (const { subscriber: subscriberOfRow, status, dueAt, worker: holder } of rows)
    if (subscriberOfRow !== subscriber || status !== "pending" || dueAt === null || dueAt > now || holder !== worker)
      throw new StoreContractViolation({ law: "events/takes-what-is-due" })
  return rows
}

/** Checks the answers of a read. Of their values only the time for which a loop waits: a loop that waits for `NaN` never waits, and uses all of the CPU. */
const checkedAnswers = <A extends ReadonlyArray<unknown>>(queries: ReadonlyArray<Query>, answers: A): A => {
  if (answers.length !== queries.length) throw new StoreContractViolation({ law: "read/one-answer-each" })
  queries.forEach(({ _tag }, at) => {
    if (_tag === "NextDue" && answers[at] !== null && !Number.isFinite(answers[at]))
      throw new StoreContractViolation({ law: "time/next-due" })
  })
  return answers
}

const checked = (store: MailStoreShape): Omit<MailStoreShape, "joinTransaction"> => ({
  ...store,
  commit: skipEmptyCommit((changes) =>
    Effect.suspend(() =>
      Effect.tapErrorTag(store.commit(inCommitOrder(changes)), "Conflict", ({ at }) =>
        at >= 0 && at < changes.length
          ? Effect.void
          : Effect.die(new StoreContractViolation({ law: "commit/reports-which-guard" }))
      )
    )
  ),
  claim: (claim) =>
    claim.limit <= 0 ? Effect.succeed([]) : Effect.map(store.claim(claim), (rows) => checkedDeliveries(claim, rows)),
  claimEventDeliveries: (claim) =>
    claim.limit <= 0
      ? Effect.succeed([])
      : Effect.map(store.claimEventDeliveries(claim), (rows) => checkedEventDeliveries(claim, rows)),
  read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
    Effect.map(store.read(queries), (answers): Answers<Qs> => checkedAnswers(queries, answers))
})

export const makeCheckedStore = (store: MailStoreShape): MailStoreShape => wrapStore(store, checked)

/** Replaces the store of the adapter by the checked store. */
export const checkedStore: Layer.Layer<MailStore, never, MailStore> = Layer.effect(
  MailStore,
  Effect.map(MailStore, makeCheckedStore)
)
