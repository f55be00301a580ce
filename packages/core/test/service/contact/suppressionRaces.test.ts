/**
 * Suppressions race sends. A scheduler decides which call of the store is next. A model checks the commits in the order in which
 * they were stored.
 */
import type { StoreUnderTest } from "@mailkeep/test-support"
import {
  delivery,
  expectBalanced,
  openTestMail,
  project,
  send,
  start,
  stores,
  summaries,
  tick,
  tickOver
} from "@mailkeep/test-support"
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import type { SuppressionReason } from "../../../src/index.ts"
import { Contacts, formatInstant, MailStore, Suppressions } from "../../../src/index.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { suppressedFor } from "../../../src/domain/contact/Suppression.ts"

const people = ["ann", "bob", "cat"] as const
type Person = (typeof people)[number]
const addressOf = (person: Person) => `${person}@example.org`

/** The concurrent acts. `waver` unsubscribes, subscribes and unsubscribes again. */
const acts = ["send", "complain", "unsubscribe", "subscribe", "waver"] as const
const action = fc.record({ act: fc.constantFrom(...acts), person: fc.constantFrom(...people) })
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

/** One or two processes release and hand over due deliveries during the acts. */
const race = fc.record({
  dispatchers: fc.integer({ min: 1, max: 2 }),
  actions: fc.array(action, { minLength: 4, maxLength: 12, size: "max" }),
  scheduler: fc.scheduler()
})
type Race = typeof race extends fc.Arbitrary<infer A> ? A : never

/** A store whose calls wait for the scheduler while one is set. Records the commits in their order. */
class Interleaved {
  scheduler: fc.Scheduler | null = null
  readonly committed: Array<ReadonlyArray<Change>> = []

  private readonly turn = Effect.suspend(() => {
    const { scheduler } = this
    return scheduler === null ? Effect.void : Effect.promise(() => scheduler.schedule(Promise.resolve()))
  })

  store(inner: MailStoreShape): MailStoreShape {
    return {
      ...inner,
      read: (queries) => Effect.andThen(this.turn, inner.read(queries)),
      claim: (claim) => Effect.andThen(this.turn, inner.claim(claim)),
      commit: (changes) =>
        Effect.andThen(
          this.turn,
          Effect.tap(inner.commit(changes), () => Effect.sync(() => this.committed.push(changes)))
        )
    }
  }
}

/** The model: replays the commits, and returns the suppressed addresses and the finalized deliveries. */
const replay = (committed: ReadonlyArray<ReadonlyArray<Change>>) => {
  const suppressed = new Map<string, SuppressionReason | null>()
  const everSuppressed = new Set<string>()
  const recipients = new Map<string, string>()
  const finalized = new Map<string, SuppressionReason | null>()
  for (const change of committed.flat()) {
    if (change._tag === "PutSuppression") {
      const { address } = change.suppression
      const reason = suppressedFor(change.suppression, start + minuteMillis)
      suppressed.set(address!, reason)
      if (reason !== null) everSuppressed.add(address!)
    } else if (change._tag === "InsertDelivery") recipients.set(change.delivery.id, change.delivery.address)
    else if (change._tag === "TransitionAttempt" && change.next.phase === "finalizing")
      finalized.set(change.deliveryId, suppressed.get(recipients.get(change.deliveryId)!) ?? null)
  }
  return { finalized, suppressed, everSuppressed }
}

const inTurns = async ({ name, layer }: StoreUnderTest, { dispatchers, actions, scheduler }: Race) => {
  const interleaved = new Interleaved()
  const wrapped = Layer.effect(
    MailStore,
    Effect.map(MailStore, (inner) => interleaved.store(inner))
  ).pipe(Layer.provide(layer))
  const runtime = await openTestMail({ name, layer: wrapped })
  try {
    const contacts = await runtime.runPromise(
      Effect.gen(function* () {
        const service = yield* Contacts
        for (const person of people)
          yield* send(`due-${person}`, { to: addressOf(person), scheduledAt: formatInstant(start + minuteMillis) })
        const made = yield* Effect.forEach(["ann", "bob"], (person) =>
          service.create(project, { email: addressOf(person as Person) })
        )
        yield* TestClock.adjust("1 minute")
        return made
      })
    )
    const subscribing = (person: Person, emailStatus: "subscribed" | "unsubscribed") =>
      Effect.gen(function* () {
        const contact = contacts[people.indexOf(person)]
        if (contact !== undefined)
          return yield* (yield* Contacts).update(project, contact.id, { email: contact.email, emailStatus })
        const suppressions = yield* Suppressions
        return emailStatus === "subscribed"
          ? yield* suppressions.removeReason(project, addressOf(person), "unsubscribed")
          : yield* suppressions.addReason(project, addressOf(person), "unsubscribed")
      })
    const perform = ({ act, person }: Action, index: number) =>
      Effect.gen(function* () {
        if (act === "send") return yield* send(`now-${index}`, { to: addressOf(person) })
        if (act === "complain") return yield* (yield* Suppressions).addReason(project, addressOf(person), "complaint")
        if (act === "subscribe") return yield* subscribing(person, "subscribed")
        yield* subscribing(person, "unsubscribed")
        if (act !== "waver") return
        yield* subscribing(person, "subscribed")
        yield* subscribing(person, "unsubscribed")
      })
    const dispatching = Array.from({ length: dispatchers }, () => Effect.asVoid(Effect.flatMap(MailStore, tickOver)))
    interleaved.scheduler = scheduler
    const all = [...dispatching, ...actions.map((one, index) => Effect.asVoid(perform(one, index)))].map((one) =>
      runtime.runPromise(one)
    )
    await scheduler.waitFor(Promise.all(all))
    interleaved.scheduler = null
    return await runtime.runPromise(
      Effect.gen(function* () {
        yield* tick
        yield* expectBalanced
        const ids = (yield* summaries).map(({ id }) => id)
        const ended = yield* Effect.forEach(ids, delivery)
        const handed = (yield* StubTransport.StubTransport).captured()
        return { ...replay(interleaved.committed), ended, handed: handed.map(({ deliveryId }) => deliveryId as string) }
      })
    )
  } finally {
    await runtime.dispose()
  }
}

/** Without the guard of the finalizing commit, memory fails within 30 runs. A run on a file costs five times as much. */
const races = stores.map((store) => ({ ...store, runs: store.name === "memory" ? 100 : 25 }))

describe.each(races)("a suppression during sends, over $name", ({ runs, ...store }) => {
  it("finalizes no delivery after its suppression is committed, and hands over all others", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(race, async (one) => {
        const after = await inTurns(store, one)
        expect([...after.finalized].filter(([, reason]) => reason !== null)).toEqual([])
        expect(after.handed.toSorted()).toEqual([...after.finalized.keys()].toSorted())
        for (const { id, address, status, chargedAt } of after.ended) {
          const wasFinalized = after.finalized.has(id)
          expect([address, status]).toEqual([address, wasFinalized ? "delivered" : "suppressed"])
          expect(chargedAt !== null).toBe(wasFinalized)
          if (!wasFinalized) expect(after.everSuppressed).toContain(address)
        }
      }),
      { numRuns: Number(process.env["RACE_RUNS"] ?? runs) }
    )
  )
})
