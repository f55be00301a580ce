/**
 * Crashes every use case at each of its writes: the write fails or the process dies, before or after the write is applied. Then another
 * process continues, and the final state must be the same as without a crash.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import {
  ApiKeys,
  Contacts,
  DeliveryLog,
  Dispatcher,
  Domains,
  formatInstant,
  MailCore,
  MailStore,
  PlanSource,
  Sending,
  StoreUnavailable,
  Suppressions,
  Transport
} from "@mailkeep/core"
import { hourMillis, minuteMillis } from "@mailkeep/core/adapter"
import * as NodeCrypto from "@mailkeep/core/node"
import type { StoreUnderTest } from "@mailkeep/test-support"
import { project, sendInput, start, stores } from "@mailkeep/test-support"
import { StubTransport } from "@mailkeep/smtp"
import { Context, Deferred, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

interface Crash {
  /** The number of the write in the use case, starting at 1. */
  readonly write: number
  readonly how: "fails" | "dies"
  readonly when: "before" | "after"
}

/** Wraps the store of a process with one crash. Counts the writes. Completes `dead` when the process has died. */
const crashing = (raw: MailStoreShape, crash: Crash | undefined, dead: Deferred.Deferred<void>) => {
  let writes = 0
  let died = false
  const unavailable = Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
  const die = Effect.suspend(() => {
    died = true
    return Effect.andThen(Deferred.succeed(dead, undefined), Effect.never)
  })
  const whileAlive = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => (died ? Effect.never : call))
  const writing = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    whileAlive(
      Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
        writes++
        if (crash === undefined || writes !== crash.write) return call
        const crashEffect = crash.how === "fails" ? unavailable : die
        return crash.when === "before" ? crashEffect : Effect.andThen(call, crashEffect)
      })
    )
  const store: MailStoreShape = {
    ...raw,
    commit: (changes) => writing(raw.commit(changes)),
    claim: (claim) => writing(raw.claim(claim)),
    sweep: (sweep) => whileAlive(raw.sweep(sweep)),
    sweepMessages: (sweep) => whileAlive(raw.sweepMessages(sweep)),
    read: (queries) => whileAlive(raw.read(queries))
  }
  return { store, writes: () => writes }
}

type Core = Layer.Success<ReturnType<typeof coreOver>>

/** A process: the core over a store, with its own clock. */
const coreOver = (store: MailStoreShape, stub: StubTransport.StubTransport["Service"]) =>
  MailCore.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(MailStore, store),
        Layer.succeed(Transport, stub),
        PlanSource.layerFixed({}),
        NodeCrypto.layer
      )
    ),
    Layer.provideMerge(TestClock.layer())
  )

const sent = (idempotencyKey: string, change: Parameters<typeof sendInput>[0] = {}) =>
  Effect.flatMap(Sending, (sending) => sending.send(project, sendInput(change), { idempotencyKey }))

const soon = start + minuteMillis
const inAnHour = formatInstant(start + hourMillis)

const messageOf = (key: string, change: Parameters<typeof sendInput>[0]) =>
  Effect.map(sent(key, change), ({ messageId }) => messageId)

const contact = Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email: "ada@example.org" }))

const tick = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.tick)

interface UseCase {
  readonly name: string
  readonly prepare?: Effect.Effect<unknown, unknown, Core>
  readonly act: Effect.Effect<unknown, unknown, Core>
  /** The tag of the error that a retry may get because the first call was applied. */
  readonly alreadyApplied?: string
  /** The dispatcher completes it, without another call. */
  readonly dispatches?: boolean
}

const useCases: ReadonlyArray<UseCase> = [
  { name: "a send", act: sent("k", { to: ["ada@example.org", "bob@example.org"] }) },
  { name: "a scheduled send", act: sent("k", { scheduledAt: inAnHour }) },
  {
    name: "a cancellation",
    prepare: sent("k", { scheduledAt: inAnHour }),
    act: Effect.gen(function* () {
      const messageId = yield* messageOf("k", { scheduledAt: inAnHour })
      yield* (yield* Sending).cancel(project, messageId)
    })
  },
  {
    name: "a rescheduled send",
    prepare: sent("k", { scheduledAt: inAnHour }),
    act: Effect.gen(function* () {
      const messageId = yield* messageOf("k", { scheduledAt: inAnHour })
      yield* (yield* Sending).reschedule(project, messageId, start + 30 * hourMillis)
    })
  },
  { name: "a new contact", act: contact, alreadyApplied: "ContactEmailTaken" },
  {
    name: "an unsubscription",
    prepare: contact,
    act: Effect.gen(function* () {
      const contacts = yield* Contacts
      const { items } = yield* contacts.list(project, { limit: 1 })
      const request = { email: "ada@example.org", emailStatus: "unsubscribed" } as const
      yield* contacts.update(project, items[0]!.id, request)
    })
  },
  {
    name: "added and removed suppressions",
    act: Effect.gen(function* () {
      const suppressions = yield* Suppressions
      yield* suppressions.addReason(project, "ada@example.org", "manual")
      yield* suppressions.addReason(project, "bob@example.org", "manual")
      yield* suppressions.removeReason(project, "bob@example.org", "manual")
    })
  },
  {
    name: "a revoked API key",
    prepare: Effect.flatMap(ApiKeys, (keys) => keys.create(project, { permissions: ["email.send"] })),
    act: Effect.gen(function* () {
      const keys = yield* ApiKeys
      const [key] = yield* keys.list(project)
      yield* keys.revoke(key!.id)
    })
  },
  {
    name: "a sender domain",
    act: Effect.flatMap(Domains, (domains) => domains.create(project, { domain: "two.example", verified: true })),
    alreadyApplied: "DomainTaken"
  },
  {
    name: "a hand-off",
    prepare: sent("k", { to: ["ada@example.org", "refused@example.org"] }),
    act: tick,
    dispatches: true
  },
  {
    name: "the release of a scheduled send and its hand-off",
    prepare: sent("k", { to: ["ada@example.org", "bob@example.org"], scheduledAt: formatInstant(soon) }),
    act: Effect.andThen(TestClock.setTime(soon), tick),
    dispatches: true
  }
]

/** Everything that a caller can see. */
const visibleState = Effect.gen(function* () {
  const log = yield* DeliveryLog
  const { items } = yield* log.list(project, { limit: 100 })
  const { counters, ...added } = yield* log.usageAudit(project)
  const contacts = yield* (yield* Contacts).list(project, { limit: 100 })
  const keys = yield* (yield* ApiKeys).list(project)
  const domains = yield* (yield* Domains).list(project, { limit: 100 })
  const suppressed = yield* (yield* Suppressions).list(project, { limit: 100 })
  return {
    deliveries: items.map(({ recipient, status, scheduledAt }) => [recipient, status, scheduledAt]).toSorted(),
    counters: counters.filter(({ value }) => value !== 0),
    added,
    contacts: contacts.items.map(({ email, emailStatus }) => [email, emailStatus]),
    keys: keys.map(({ revokedAt }) => revokedAt !== null),
    domains: domains.items.map(({ domain, status }) => [domain, status]).toSorted(),
    suppressed: suppressed.items.map(({ email, reasons }) => [email, reasons.map(({ reason }) => reason)])
  }
})

/** What the next process does: repeats the call, or ticks until leases have ended and ambiguous hand-offs were retried (10 min). */
const recover = ({ act, alreadyApplied, dispatches = false }: UseCase) =>
  Effect.gen(function* () {
    if (!dispatches) {
      const again = yield* Effect.result(act)
      if (Result.isFailure(again)) expect((again.failure as { _tag: string })._tag).toBe(alreadyApplied)
      return
    }
    for (const minutes of [2, 13, 15]) {
      yield* TestClock.setTime(start + minutes * minuteMillis)
      yield* tick
    }
  })

const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Advances the clock with each turn of the event loop until the effect ends or its process is dead. A dispatcher waits before it retries. */
const withRunningClock = <A, E, R>(act: Effect.Effect<A, E, R>, dead: Deferred.Deferred<void>) => {
  const clock = Effect.forever(Effect.andThen(TestClock.adjust("50 millis"), nextTurn))
  return Effect.raceFirst(act, Effect.andThen(Effect.raceFirst(clock, Deferred.await(dead)), Effect.never))
}

/** Runs a use case with a crash and recovers. Returns the number of its writes, the final state, and copies that no attempt explains. */
const runUseCase = (store: StoreUnderTest, useCase: UseCase, crash: Crash | undefined) =>
  Effect.gen(function* () {
    const shared = yield* Effect.map(Layer.build(Layer.fresh(store.layer)), (context) =>
      Context.get(context, MailStore)
    )
    const stub = StubTransport.make({
      script: [{ recipient: "refused@example.org", acts: [{ act: "refuse", smtpCode: 550, enhancedCode: "5.1.1" }] }]
    })
    const at = <A, E>(core: ReturnType<typeof coreOver>, effect: Effect.Effect<A, E, Core>) =>
      Effect.andThen(TestClock.setTime(start), effect).pipe(Effect.provide(core), Effect.scoped)
    yield* at(
      coreOver(shared, stub),
      Effect.gen(function* () {
        yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
        yield* useCase.prepare ?? Effect.void
      })
    )
    const dead = yield* Deferred.make<void>()
    const { store: crashingStore, writes } = crashing(shared, crash, dead)
    // A dead process is not interrupted: none of its finalizers may run.
    const acting = yield* Effect.forkDetach(
      Effect.exit(at(coreOver(crashingStore, stub), withRunningClock(useCase.act, dead)))
    )
    yield* Effect.raceFirst(Fiber.await(acting), Deferred.await(dead))
    const seen = yield* at(coreOver(shared, stub), Effect.andThen(recover(useCase), visibleState))
    const copies = stub.captured().map(({ deliveryId, attempt }) => ({ deliveryId, attempt }))
    const attempts = yield* Effect.forEach(copies, ({ deliveryId, attempt }) =>
      Effect.map(
        shared.read([{ _tag: "Attempts", projectId: project, deliveryId }]),
        ([all]) => all.find(({ number }) => number === attempt)?.outcome
      )
    )
    const unexplained = copies.filter(
      ({ deliveryId }, n) =>
        copies.slice(n + 1).some((later) => later.deliveryId === deliveryId) && attempts[n] !== "ambiguous"
    )
    return { writes: writes(), seen, unexplained }
  }).pipe(Effect.scoped, Effect.runPromise)

describe.each(stores)("crash recovery with the $name store", (store) => {
  it.each(useCases)("recovers from a crash at every write of $name", { timeout: 60_000 }, async (useCase) => {
    const { writes, seen: expected } = await runUseCase(store, useCase, undefined)
    expect(writes).toBeGreaterThan(0)
    for (let write = 1; write <= writes; write++)
      for (const how of ["fails", "dies"] as const)
        for (const when of ["before", "after"] as const) {
          const crash: Crash = { write, how, when }
          const { seen, unexplained } = await runUseCase(store, useCase, crash)
          expect({ crash, seen, unexplained }).toEqual({ crash, seen: expected, unexplained: [] })
        }
  })
})
