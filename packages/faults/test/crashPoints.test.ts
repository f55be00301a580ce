/**
 * Every use case, crashed at every write it makes: the write fails or the process dies, before it stood or after. Another process then
 * goes on, and everything ends as if nothing had happened.
 */
import type { MailStoreShape } from "@mailkeep/core"
import {
  ApiKeys,
  Contacts,
  DeliveryLog,
  Dispatcher,
  Domains,
  embedder,
  formatInstant,
  hourMillis,
  MailCore,
  MailStore,
  minuteMillis,
  everyContact,
  noLogFilters,
  parseCreateContact,
  parseSend,
  parseUpdateContact,
  PlanSource,
  Sending,
  StoreUnavailable,
  Suppressions,
  Transport
} from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import type { StoreUnderTest } from "@mailkeep/proving"
import { project, sendBody, start, stores } from "@mailkeep/proving"
import { StubTransport } from "@mailkeep/smtp"
import { Context, Deferred, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

interface Crash {
  /** The place among the writes of the use case, from 1. */
  readonly write: number
  readonly how: "fails" | "dies"
  readonly when: "before" | "after"
}

/** The store of a process that has one bad moment. Counts its writes; `dead` is done when it has died. */
const crashing = (raw: MailStoreShape, crash: Crash | undefined, dead: Deferred.Deferred<void>) => {
  let writes = 0
  let died = false
  const away = Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
  const die = Effect.suspend(() => {
    died = true
    return Effect.andThen(Deferred.succeed(dead, undefined), Effect.never)
  })
  const living = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => (died ? Effect.never : call))
  const writing = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
    living(
      Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
        writes++
        if (crash === undefined || writes !== crash.write) return call
        const moment = crash.how === "fails" ? away : die
        return crash.when === "before" ? moment : Effect.andThen(call, moment)
      })
    )
  const store: MailStoreShape = {
    ...raw,
    commit: (changes) => writing(raw.commit(changes)),
    claim: (claim) => writing(raw.claim(claim)),
    sweep: (sweep) => living(raw.sweep(sweep)),
    read: (queries) => living(raw.read(queries))
  }
  return { store, writes: () => writes }
}

type Core = Layer.Success<ReturnType<typeof coreOver>>

/** A process: the core over a store, with a clock of its own. */
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

const sent = (key: string, change: Parameters<typeof sendBody>[0] = {}) =>
  Effect.flatMap(Sending, (sending) =>
    sending.send(embedder(project), Result.getOrThrow(parseSend(sendBody(change))), key)
  )

const soon = start + minuteMillis
const inAnHour = formatInstant(start + hourMillis)

const messageOf = (key: string, change: Parameters<typeof sendBody>[0]) =>
  Effect.map(sent(key, change), ({ result }) => result.messageId)

const contact = Effect.flatMap(Contacts, (contacts) =>
  contacts.create(project, Result.getOrThrow(parseCreateContact({ email: "ada@example.org" })))
)

const tick = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.tick)

interface UseCase {
  readonly name: string
  readonly prepare?: Effect.Effect<unknown, unknown, Core>
  readonly act: Effect.Effect<unknown, unknown, Core>
  /** A retry that is told that it was done already is answered well. */
  readonly doneAlready?: string
  /** It goes on by itself, without being asked again. */
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
    name: "a new time",
    prepare: sent("k", { scheduledAt: inAnHour }),
    act: Effect.gen(function* () {
      const messageId = yield* messageOf("k", { scheduledAt: inAnHour })
      yield* (yield* Sending).reschedule(project, messageId, start + 30 * hourMillis)
    })
  },
  { name: "a new contact", act: contact, doneAlready: "ContactEmailTaken" },
  {
    name: "an unsubscription",
    prepare: contact,
    act: Effect.gen(function* () {
      const contacts = yield* Contacts
      const { items } = yield* contacts.page(project, everyContact, { page: 1, limit: 1 })
      const request = Result.getOrThrow(parseUpdateContact({ email: "ada@example.org", emailStatus: "unsubscribed" }))
      yield* contacts.update(project, items[0]!.id, request)
    })
  },
  {
    name: "a suppression and its end",
    act: Effect.gen(function* () {
      const suppressions = yield* Suppressions
      yield* suppressions.add(project, "ada@example.org", "manual")
      yield* suppressions.add(project, "bob@example.org", "manual")
      yield* suppressions.lift(project, "bob@example.org", "manual")
    })
  },
  {
    name: "a key that is revoked",
    prepare: Effect.flatMap(ApiKeys, (keys) => keys.issue(project, { permissions: ["email.send"] })),
    act: Effect.gen(function* () {
      const keys = yield* ApiKeys
      const [key] = yield* keys.list(project)
      yield* keys.revoke(key!.id)
    })
  },
  {
    name: "a sender domain",
    act: Effect.flatMap(Domains, (domains) => domains.add(project, { domain: "two.example", verified: true })),
    doneAlready: "DomainTaken"
  },
  {
    name: "a hand-over",
    prepare: sent("k", { to: ["ada@example.org", "refused@example.org"] }),
    act: tick,
    dispatches: true
  },
  {
    name: "a release and its hand-over",
    prepare: sent("k", { to: ["ada@example.org", "bob@example.org"], scheduledAt: formatInstant(soon) }),
    act: Effect.andThen(TestClock.setTime(soon), tick),
    dispatches: true
  }
]

/** All that a caller can see. */
const view = Effect.gen(function* () {
  const log = yield* DeliveryLog
  const { items } = yield* log.page(project, noLogFilters, { limit: 100, cursor: null })
  const { counters, ...added } = yield* log.ledger(project)
  const contacts = yield* (yield* Contacts).page(project, everyContact, { page: 1, limit: 100 })
  const keys = yield* (yield* ApiKeys).list(project)
  const domains = yield* (yield* Domains).page(project, { page: 1, limit: 100 })
  const suppressed = yield* (yield* Suppressions).page(project, null, { limit: 100, cursor: null })
  return {
    deliveries: items.map(({ recipient, status, scheduledAt }) => [recipient, status, scheduledAt]).toSorted(),
    counters: counters.filter(({ value }) => value !== 0),
    added,
    contacts: contacts.items.map(({ email, emailStatus }) => [email, emailStatus]),
    keys: keys.map(({ revokedAt }) => revokedAt !== null),
    domains: domains.items.map(({ domain, status }) => [domain, status]).toSorted(),
    suppressed: suppressed.items.map(({ address, reasons }) => [address, Object.keys(reasons)])
  }
})

/** What a process that finds the store as it is does until nothing waits that is due: leases end, and uncertain outcomes wait 10 min. */
const goOn = ({ act, doneAlready, dispatches = false }: UseCase) =>
  Effect.gen(function* () {
    if (!dispatches) {
      const again = yield* Effect.result(act)
      if (Result.isFailure(again)) expect((again.failure as { _tag: string })._tag).toBe(doneAlready)
      return
    }
    for (const minutes of [2, 13, 15]) {
      yield* TestClock.setTime(start + minutes * minuteMillis)
      yield* tick
    }
  })

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** While it works its clock goes on, a little with each turn of the event loop: a dispatcher waits before it tries again. */
const inTime = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(act, Effect.forever(Effect.andThen(TestClock.adjust("50 millis"), turn)))

/** The whole story; answers with how many writes the use case made, and what is seen at the end. */
const story = (store: StoreUnderTest, useCase: UseCase, crash: Crash | undefined) =>
  Effect.gen(function* () {
    const shared = yield* Effect.map(Layer.build(Layer.fresh(store.layer)), (context) =>
      Context.get(context, MailStore)
    )
    const stub = StubTransport.make({
      script: [{ recipient: "refused@example.org", acts: [{ act: "reject", code: 550, enhancedCode: "5.1.1" }] }]
    })
    const at = <A, E>(core: ReturnType<typeof coreOver>, effect: Effect.Effect<A, E, Core>) =>
      Effect.andThen(TestClock.setTime(start), effect).pipe(Effect.provide(core), Effect.scoped)
    yield* at(
      coreOver(shared, stub),
      Effect.gen(function* () {
        yield* (yield* Domains).add(project, { domain: "example.com", verified: true })
        yield* useCase.prepare ?? Effect.void
      })
    )
    const dead = yield* Deferred.make<void>()
    const { store: bad, writes } = crashing(shared, crash, dead)
    // A dead process is left where it is: none of its finalizers runs.
    const acting = yield* Effect.forkDetach(Effect.exit(at(coreOver(bad, stub), inTime(useCase.act))))
    yield* Effect.raceFirst(Fiber.await(acting), Deferred.await(dead))
    const seen = yield* at(coreOver(shared, stub), Effect.andThen(goOn(useCase), view))
    const copies = stub.taken().map(({ deliveryId, attempt }) => ({ deliveryId, attempt }))
    const attempts = yield* Effect.forEach(copies, ({ deliveryId, attempt }) =>
      Effect.map(
        shared.read([{ _tag: "Attempts", deliveryId }]),
        ([all]) => all.find(({ number }) => number === attempt)?.outcome
      )
    )
    const unexplained = copies.filter(
      ({ deliveryId }, n) =>
        copies.slice(n + 1).some((later) => later.deliveryId === deliveryId) && attempts[n] !== "ambiguous"
    )
    return { writes: writes(), seen, unexplained }
  }).pipe(Effect.scoped, Effect.runPromise)

describe.each(stores)("crashed at every write, over $name,", (store) => {
  it.each(useCases)("$name goes on as if nothing had happened", { timeout: 60_000 }, async (useCase) => {
    const { writes, seen: expected } = await story(store, useCase, undefined)
    expect(writes).toBeGreaterThan(0)
    for (let write = 1; write <= writes; write++)
      for (const how of ["fails", "dies"] as const)
        for (const when of ["before", "after"] as const) {
          const crash: Crash = { write, how, when }
          const { seen, unexplained } = await story(store, useCase, crash)
          expect({ crash, seen, unexplained }).toEqual({ crash, seen: expected, unexplained: [] })
        }
  })
})
