/**
 * Stands between the services and the store, the same for every adapter: puts a commit in its one order, asks for nothing when there is
 * nothing to ask, and does not believe an answer that breaks the port's promise.
 */
import { Data, Effect, Layer } from "effect"
import { inCommitOrder } from "../domain/Change.ts"
import type { Claim, PushClaim } from "../domain/Claim.ts"
import { claimKinds } from "../domain/Claim.ts"
import type { Delivery } from "../domain/Delivery.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { Answers, Query } from "../domain/Query.ts"
import type { MailStoreShape } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

/** The adapter broke a law of the conformance kit; what it answered is not used. A defect. */
class StoreMisbehaved extends Data.TaggedError("StoreMisbehaved")<{ readonly law: string }> {
  override get message() {
    return `The store broke the law ${this.law} of @mailkeep/conformance.`
  }
}

/** Row by row what a claim promises; that nobody else has them, only the kit can tell. */
const claimed = ({ kind, now, limit, worker }: Claim, rows: ReadonlyArray<Delivery>): ReadonlyArray<Delivery> => {
  if (rows.length > limit) throw new StoreMisbehaved({ law: "claim/no-more-than-asked" })
  for (const { status, dueAt, worker: holder } of rows) {
    if (status !== claimKinds[kind] || dueAt === null || dueAt > now)
      throw new StoreMisbehaved({ law: "claim/takes-what-is-due" })
    if (holder !== worker) throw new StoreMisbehaved({ law: "claim/stamps-worker-and-token" })
  }
  return rows
}

/** The same of a claim of pushes. */
const claimedPushes = (
  { consumer, now, limit, worker }: PushClaim,
  rows: ReadonlyArray<EventPush>
): ReadonlyArray<EventPush> => {
  if (rows.length > limit) throw new StoreMisbehaved({ law: "pushes/no-more-than-asked" })
  for (const { consumer: whose, status, dueAt, worker: holder } of rows)
    if (whose !== consumer || status !== "pending" || dueAt === null || dueAt > now || holder !== worker)
      throw new StoreMisbehaved({ law: "pushes/takes-what-is-due" })
  return rows
}

/** Each member by name: an adapter may be an instance of a class. */
export const gated = (store: MailStoreShape): MailStoreShape => ({
  capabilities: store.capabilities,
  changes: store.changes,
  sweep: (sweep) => store.sweep(sweep),
  commit: (changes) => {
    if (changes.length === 0) return Effect.void
    return Effect.suspend(() =>
      Effect.tapErrorTag(store.commit(inCommitOrder(changes)), "Conflict", ({ at }) =>
        at >= 0 && at < changes.length
          ? Effect.void
          : Effect.die(new StoreMisbehaved({ law: "commit/tells-which-guard" }))
      )
    )
  },
  claim: (claim) =>
    claim.limit <= 0 ? Effect.succeed([]) : Effect.map(store.claim(claim), (rows) => claimed(claim, rows)),
  claimPushes: (claim) =>
    claim.limit <= 0 ? Effect.succeed([]) : Effect.map(store.claimPushes(claim), (rows) => claimedPushes(claim, rows)),
  read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
    Effect.map(store.read(queries), (answers): Answers<Qs> => {
      if (answers.length !== queries.length) throw new StoreMisbehaved({ law: "read/one-answer-each" })
      return answers
    })
})

/** The adapter's store as the services see it. */
export const storeGate: Layer.Layer<MailStore, never, MailStore> = Layer.effect(MailStore, Effect.map(MailStore, gated))
