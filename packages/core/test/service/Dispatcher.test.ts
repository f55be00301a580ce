import type { StubAct } from "@mailkeep/smtp"
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  delivery,
  detail,
  events,
  expectBalanced,
  inHouse,
  project,
  runOver,
  send,
  start,
  stores,
  tick,
  tickOver,
  tickWith
} from "@mailkeep/proving"
import type { MailStoreShape, TransportShape } from "../../src/index.ts"
import {
  deliveryState,
  Dispatcher,
  Domains,
  formatInstant,
  hourMillis,
  MailStore,
  minuteMillis,
  PlanSource,
  StoreUnavailable,
  Suppressions,
  unlimited
} from "../../src/index.ts"

const always = (...acts: readonly [StubAct, ...Array<StubAct>]) => ({ stub: { script: [{ acts }] } })

const sendOne = Effect.map(send("k"), ({ result }) => result.deliveryIds[0]!)

const taken = Effect.map(StubTransport.StubTransport, (stub) => stub.taken())

describe.each(stores)("a hand-off, over $name", (store) => {
  it.each<[StubAct, object]>([
    [{ act: "deliver" }, { status: "delivered", reason: null, acceptedAt: start, deliveredAt: start }],
    [{ act: "accept" }, { status: "accepted", reason: null, acceptedAt: start, deliveredAt: null }],
    [{ act: "reject" }, { status: "bounced", reason: "hard_bounce", bounceType: "hard", bouncedAt: start }],
    [
      { act: "reject", enhancedCode: "5.2.2", code: 554 },
      { status: "bounced", reason: "recipient_blocked" }
    ],
    [
      { act: "reject", enhancedCode: "5.7.1" },
      { status: "failed", reason: "message_blocked", failedAt: start }
    ],
    [
      { act: "reject", stage: "mail" },
      { status: "failed", reason: "sending_failed" }
    ],
    [
      { act: "reject", stage: "dot", enhancedCode: "5.6.0" },
      { status: "failed", reason: "message_blocked" }
    ],
    [{ act: "defer" }, { status: "queued", reason: null, deferrals: 1 }],
    [
      { act: "defer", code: 421 },
      { status: "queued", deferrals: 0 }
    ],
    [{ act: "disconnect" }, { status: "queued", deferrals: 0, ambiguous: 0 }],
    [{ act: "loseReply" }, { status: "queued", ambiguous: 1, dueAt: start + 10 * minuteMillis }]
  ])("%j ends as expected", (act, expected) =>
    inHouse(
      store,
      always(act)
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        const state = yield* delivery(id)
        expect(state).toMatchObject(expected)
        expect(state.worker).toBeNull()
        yield* expectBalanced
      })
    )
  )

  it("appends the event of its move in the same commit", () =>
    inHouse(
      store,
      always({ act: "reject" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        expect(yield* events).toMatchObject([
          {
            kind: "email.bounced",
            occurredAt: start,
            data: {
              deliveryId: id,
              recipient: "ada@example.org",
              status: "bounced",
              previousStatus: "sending",
              reason: "hard_bounce",
              sequence: 1,
              bounceType: "hard",
              smtpCode: 550,
              enhancedCode: "5.1.1"
            }
          }
        ])
      })
    ))

  it("suppresses an address that is known to be dead, and no other", () =>
    inHouse(store, {
      stub: {
        script: [
          { recipient: "dead@example.org", acts: [{ act: "reject" }] },
          { recipient: "full@example.org", acts: [{ act: "reject", code: 554, enhancedCode: "5.2.2" }] }
        ]
      }
    })(
      Effect.gen(function* () {
        yield* send("a", { to: ["dead@example.org", "full@example.org"] })
        yield* tick
        const { result } = yield* send("b", { to: ["dead@example.org", "full@example.org"] })
        expect(result.totalQueued).toBe(1)
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "hard_bounce" })
      })
    ))

  it("records every attempt with what the relay said", () =>
    inHouse(
      store,
      always({ act: "defer", code: 450, enhancedCode: "4.2.0", text: "greylisted" }, { act: "deliver" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        yield* TestClock.adjust("2 minutes")
        yield* tick
        const { attempts, delivery } = yield* detail(id)
        expect(attempts).toMatchObject([
          {
            number: 1,
            phase: "ended",
            outcome: "deferred",
            smtpCode: 450,
            enhancedCode: "4.2.0",
            message: "greylisted"
          },
          { number: 2, phase: "ended", outcome: "delivered", smtpCode: 250 }
        ])
        expect(delivery.status).toBe("delivered")
        yield* expectBalanced
      })
    ))

  it("hands over the same Message-ID and date on every attempt", () =>
    inHouse(
      store,
      always({ act: "loseReply" }, { act: "deliver" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        yield* TestClock.adjust("10 minutes")
        yield* tick
        const messages = (yield* taken).map(({ message }) => message)
        expect(messages).toHaveLength(2)
        expect(messages[0]).toEqual(messages[1])
        expect(messages[0]!.messageId).toBe(`<${id}@example.com>`)
      })
    ))

  it("shows several recipients each their own copy, and cc the same headers without bcc", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* send("a", { to: ["a@example.org", "b@example.org"] })
        yield* send("b", { to: "c@example.org", cc: "d@example.org", bcc: "e@example.org" })
        yield* tick
        const shown = (yield* taken).map(({ envelope, message }) => [envelope.to, message.to, message.cc])
        expect(shown).toEqual([
          ["a@example.org", ["a@example.org"], []],
          ["b@example.org", ["b@example.org"], []],
          ["c@example.org", ["c@example.org"], ["d@example.org"]],
          ["d@example.org", ["c@example.org"], ["d@example.org"]],
          ["e@example.org", ["c@example.org"], ["d@example.org"]]
        ])
      })
    ))

  it("gives up what may have arrived when the send says so, and tries twice otherwise", () =>
    inHouse(
      store,
      always({ act: "loseReply" })
    )(
      Effect.gen(function* () {
        const once = yield* send("a", {}, { onAmbiguous: "fail" })
        yield* tick
        expect(yield* delivery(once.result.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "delivery_uncertain"
        })
        const again = yield* send("b")
        for (let i = 0; i < 4; i++) {
          yield* tick
          yield* TestClock.adjust("10 minutes")
        }
        expect(yield* delivery(again.result.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "delivery_uncertain",
          attempts: 3,
          ambiguous: 3
        })
        yield* expectBalanced
      })
    ))

  it("gives a deferred delivery up after its lifetime: bounced, and charged", () =>
    inHouse(
      store,
      always({ act: "defer" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        for (let hour = 0; hour < 73; hour++) {
          yield* tick
          yield* TestClock.adjust("70 minutes")
        }
        const state = yield* delivery(id)
        expect(state).toMatchObject({ status: "bounced", reason: "temporary_failure", bounceType: "soft" })
        expect(state.chargedAt).not.toBeNull()
        yield* expectBalanced
      })
    ))

  it("tries once more what waited past its lifetime because nobody was at work", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* TestClock.adjust("5 days")
        yield* tick
        expect((yield* delivery(id)).status).toBe("delivered")
      })
    ))

  it("does not send what the send said would be too late", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const { result } = yield* send("k", {}, { expiresAt: start + 1000 })
        yield* TestClock.adjust("1 second")
        yield* tick
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({ status: "failed", reason: "temporary_failure" })
        expect(yield* taken).toEqual([])
        yield* expectBalanced
      })
    ))

  it("gives the charge back when no attempt reached the relay", () =>
    inHouse(
      store,
      always({ act: "disconnect" })
    )(
      Effect.gen(function* () {
        const { result } = yield* send("k", {}, { expiresAt: start + hourMillis })
        const id = result.deliveryIds[0]!
        for (let i = 0; i < 80; i++) {
          yield* tick
          yield* TestClock.adjust("1 minute")
        }
        expect(yield* delivery(id)).toMatchObject({
          status: "failed",
          reason: "temporary_failure",
          chargedAt: null,
          countedDay: null
        })
        yield* expectBalanced
      })
    ))

  it("is cut off by its deadline: before the dot it is tried again, after it it is uncertain", () =>
    inHouse(store, { ...always({ act: "hang" }, { act: "hang", afterDot: true }), handOff: { deadlineMillis: 1000 } })(
      Effect.gen(function* () {
        const id = yield* sendOne
        for (const expected of [{ ambiguous: 0 }, { ambiguous: 1 }]) {
          const ticking = yield* Effect.forkChild(tick)
          yield* untilTaken(id)
          yield* TestClock.adjust("1 second")
          yield* Fiber.join(ticking)
          expect(yield* delivery(id)).toMatchObject({ status: "queued", ...expected })
          yield* TestClock.adjust("10 minutes")
        }
      })
    ))

  it("ends before the message when the recipient is suppressed while it is under way", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const suppressions = yield* Suppressions
        const stub = yield* StubTransport.StubTransport
        // The suppression is committed between the begin of the attempt and its final dot.
        const suppressing = {
          ...stub,
          handOff: (handOff: Parameters<typeof stub.handOff>[0]) =>
            Effect.andThen(
              Effect.orDie(suppressions.add(project, "ada@example.org", "complaint")),
              stub.handOff(handOff)
            )
        }
        yield* tickWith(suppressing)
        const state = yield* delivery(id)
        expect(state).toMatchObject({ status: "suppressed", reason: "complaint", chargedAt: null })
        expect(yield* taken).toEqual([])
        expect((yield* detail(id)).attempts).toMatchObject([{ phase: "ended", outcome: "suppressed" }])
        yield* expectBalanced
      })
    ))

  it("commits the dot before it begins where the transport cannot mark it", () =>
    inHouse(store, { stub: { capabilities: { marksFinalDot: false }, script: [{ acts: [{ act: "disconnect" }] }] } })(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguous: 1 })
      })
    ))

  it("does not call silence uncertain where the relay drops doubles", () =>
    inHouse(store, { stub: { capabilities: { idempotentHandoff: true }, script: [{ acts: [{ act: "loseReply" }] }] } })(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguous: 0 })
      })
    ))

  it("blocks a message that is larger than the transport takes, uncharged", () =>
    inHouse(store, { stub: { capabilities: { maxMessageBytes: 10_000 } } })(
      Effect.gen(function* () {
        const { result } = yield* send("k", { text: "x".repeat(10_000) })
        yield* tick
        expect(yield* delivery(result.deliveryIds[0]!)).toMatchObject({
          status: "failed",
          reason: "message_blocked",
          chargedAt: null
        })
        yield* expectBalanced
      })
    ))
})

/** Lets everything else run that can, the event loop too. */
const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

/** Lets other fibers run until the delivery is being handed over. */
const untilTaken = (id: string) =>
  Effect.gen(function* () {
    while ((yield* delivery(id)).status !== "sending") yield* Effect.yieldNow
    for (let i = 0; i < 50; i++) yield* Effect.yieldNow
  })

/** Takes a delivery into `sending` under a worker that then dies: begun, or past the final dot. */
const orphan = (phase: "started" | "dot") =>
  Effect.gen(function* () {
    const store = yield* MailStore
    const id = yield* sendOne
    const [claimed] = yield* store.claim({
      kind: "dueQueued",
      now: start,
      limit: 1,
      worker: "dead",
      leaseUntil: start + 30_000
    })
    const token = claimed!.token + 1
    const fresh = {
      phase: "started",
      outcome: null,
      smtpCode: null,
      enhancedCode: null,
      message: null,
      durationMillis: null
    } as const
    yield* store.commit([
      { _tag: "InsertAttempt", attempt: { deliveryId: claimed!.id, number: 1, startedAt: start, ...fresh } },
      {
        _tag: "MoveDelivery",
        id: claimed!.id,
        from: "queued",
        token: claimed!.token,
        next: { ...deliveryState(claimed!), status: "sending", attempts: 1, token }
      }
    ])
    if (phase === "dot")
      yield* store.commit([
        {
          _tag: "MoveAttempt",
          deliveryId: claimed!.id,
          number: 1,
          token,
          from: "started",
          next: { ...fresh, phase: "dot" }
        }
      ])
    return id
  })

describe.each(stores)("a worker that died, over $name", (store) => {
  it("keeps its delivery while its lease lasts, and no longer", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const id = yield* orphan("started")
        yield* TestClock.setTime(start + 29_999)
        expect(yield* tick).toMatchObject({ recovered: 0, handedOver: 0 })
        yield* TestClock.setTime(start + 30_000)
        expect(yield* tick).toMatchObject({ recovered: 1, handedOver: 1 })
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", crashes: 1, attempts: 2 })
        yield* expectBalanced
      })
    ))

  it("in phase dot leaves an uncertain outcome: again after 10 minutes", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const id = yield* orphan("dot")
        yield* TestClock.setTime(start + 30_000)
        expect(yield* tick).toMatchObject({ recovered: 1, handedOver: 0 })
        expect(yield* delivery(id)).toMatchObject({
          status: "queued",
          ambiguous: 1,
          dueAt: start + 30_000 + 10 * minuteMillis
        })
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "ambiguous", phase: "ended" }])
      })
    ))

  it("three times parks the delivery", () =>
    inHouse(store, {
      handOff: {
        retry: { lifetimeMillis: 72 * hourMillis, ambiguousWaitMillis: 1, ambiguousRetriesMax: 9, crashesMax: 1 }
      }
    })(
      Effect.gen(function* () {
        const id = yield* orphan("started")
        yield* TestClock.setTime(start + 30_000)
        yield* tick
        expect(yield* delivery(id)).toMatchObject({
          status: "failed",
          reason: "sending_failed",
          crashes: 1,
          chargedAt: null
        })
        yield* expectBalanced
      })
    ))

  it("that claimed a scheduled delivery does not keep it", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const { result } = yield* send("k", { scheduledAt: formatInstant(start + 1000) })
        yield* mailStore.claim({
          kind: "dueScheduled",
          now: start + 1000,
          limit: 9,
          worker: "dead",
          leaseUntil: start + 31_000
        })
        yield* TestClock.setTime(start + 31_000)
        expect(yield* tick).toMatchObject({ released: 1, handedOver: 1 })
        expect((yield* delivery(result.deliveryIds[0]!)).status).toBe("delivered")
      })
    ))

  it("comes back too late: it changes nothing under its old token", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const id = yield* orphan("started")
        const before = yield* delivery(id)
        yield* TestClock.setTime(start + 30_000)
        yield* tick
        const fresh = {
          phase: "dot",
          outcome: null,
          smtpCode: null,
          enhancedCode: null,
          message: null,
          durationMillis: null
        } as const
        const late = yield* Effect.flip(
          mailStore.commit([
            { _tag: "MoveAttempt", deliveryId: before.id, number: 1, token: before.token, from: "started", next: fresh }
          ])
        )
        expect(late).toMatchObject({ _tag: "Conflict", reason: "Stale" })
      })
    ))
})

describe.each(stores)("what goes wrong, over $name", (store) => {
  it("in one row, which has no message, holds up no other", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const id = yield* sendOne
        const sound = yield* delivery(id)
        yield* mailStore.commit([
          { _tag: "InsertDelivery", delivery: { ...sound, id: "del_broken", messageId: "msg_none", dueAt: start - 1 } },
          {
            _tag: "InsertDelivery",
            delivery: { ...sound, id: "del_late", messageId: "msg_none", status: "scheduled", dueAt: start - 1 }
          }
        ])
        yield* tick
        expect((yield* delivery(id)).status).toBe("delivered")
        const { result } = yield* send("after")
        yield* tick
        expect((yield* delivery(result.deliveryIds[0]!)).status).toBe("delivered")
      })
    ))

  it.each<[string, TransportShape["handOff"], string]>([
    ["dies", () => Effect.die(new Error("a mistake")), "The transport failed."],
    [
      "throws",
      () => {
        throw new Error("a mistake")
      },
      "The transport failed."
    ],
    ["interrupts itself", () => Effect.interrupt, "The transport gave up."]
  ])(
    "in a transport that %s is a connection that was lost, and is not tried again at once",
    (_, handOff, statusMessage) =>
      inHouse(store)(
        Effect.gen(function* () {
          const id = yield* sendOne
          const stub = yield* StubTransport.StubTransport
          yield* tickWith({ ...stub, handOff })
          const state = yield* delivery(id)
          expect(state).toMatchObject({ status: "queued", statusMessage, worker: null })
          expect(state.dueAt).toBeGreaterThan(start + 30_000)
        })
      )
  )

  it("in the store is waited for: a claimed delivery is not dropped", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const mailStore = yield* MailStore
        let failures = 7
        const failing: MailStoreShape = {
          ...mailStore,
          commit: (changes) =>
            failures-- > 0 && failures % 2 === 0
              ? // Stood, although the answer was lost.
                Effect.andThen(mailStore.commit(changes), Effect.fail(new StoreUnavailable({ reason: "unreachable" })))
              : failures > 0
                ? Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
                : mailStore.commit(changes)
        }
        const ticking = yield* Effect.forkChild(tickOver(failing))
        for (let i = 0; i < 40; i++) {
          yield* turns(10)
          yield* TestClock.adjust("1 second")
        }
        yield* Fiber.join(ticking)
        yield* TestClock.adjust("10 minutes")
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", worker: null })
        yield* expectBalanced
      })
    ))

  it("with a worker long ago costs no sleep: only a lease that is still to end is waited for", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        yield* mailStore.commit([{ _tag: "RenewLease", worker: "dead", leaseUntil: start - 1 }])
        const nextDue = (now: number) =>
          Effect.map(mailStore.read([{ _tag: "NextDue", worker: "me", now }]), ([next]) => next)
        expect(yield* nextDue(start)).toBeNull()
        yield* mailStore.commit([{ _tag: "RenewLease", worker: "alive", leaseUntil: start + 5 }])
        expect(yield* nextDue(start)).toBe(start + 5)
      })
    ))

  it("with nothing to claim writes nothing", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        yield* mailStore.claim({ kind: "dueQueued", now: start, limit: 9, worker: "idle", leaseUntil: start + 30_000 })
        const [next] = yield* mailStore.read([{ _tag: "NextDue", worker: "me", now: start }])
        expect(next).toBeNull()
      })
    ))
})

describe.each(stores)("the loop, over $name", (store) => {
  /** The loop; when the scope closes, time passes until its grace is over. */
  const running = Effect.acquireRelease(
    Effect.flatMap(Dispatcher, (dispatcher) => Effect.forkDetach(dispatcher.run)),
    (loop) =>
      Effect.gen(function* () {
        const stopping = yield* Effect.forkDetach(Fiber.interrupt(loop))
        yield* turns(20)
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(stopping)
      })
  )

  const until = (id: string, status: string, meanwhile: () => Effect.Effect<void> = () => Effect.void) =>
    Effect.gen(function* () {
      for (let i = 0; i < 2000; i++) {
        if ((yield* delivery(id)).status === status) return
        yield* meanwhile()
        yield* turns(1)
      }
      expect((yield* delivery(id)).status).toBe(status)
    })

  it("wakes at once on a send, without any time passing", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* running
        const id = yield* sendOne
        yield* until(id, "delivered")
        expect((yield* delivery(id)).deliveredAt).toBe(start)
      }).pipe(Effect.scoped)
    ))

  it("wakes when the next delivery is due", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* running
        const { result } = yield* send("k", { scheduledAt: formatInstant(start + 7000) })
        yield* turns(100)
        yield* TestClock.adjust("6999 millis")
        expect((yield* delivery(result.deliveryIds[0]!)).status).toBe("scheduled")
        yield* TestClock.adjust("1 millis")
        yield* until(result.deliveryIds[0]!, "delivered")
        expect((yield* delivery(result.deliveryIds[0]!)).deliveredAt).toBe(start + 7000)
      }).pipe(Effect.scoped)
    ))

  it("does not let one hanging hand-off hold up the others", () =>
    inHouse(store, {
      stub: { script: [{ recipient: "slow@example.org", acts: [{ act: "hang" }] }] },
      dispatcher: { graceMillis: 1 }
    })(
      Effect.gen(function* () {
        yield* running
        yield* send("slow", { to: "slow@example.org" })
        for (const key of ["a", "b", "c"]) {
          const { result } = yield* send(key)
          yield* until(result.deliveryIds[0]!, "delivered")
        }
      }).pipe(Effect.scoped)
    ))

  it("on shutdown waits for hand-offs under way, then sends them back to the queue, and gives its lease back", () =>
    inHouse(store, { stub: { script: [{ acts: [{ act: "hang" }] }] }, dispatcher: { graceMillis: 5000 } })(
      Effect.gen(function* () {
        const loop = yield* running
        const id = yield* sendOne
        yield* until(id, "sending")
        const stopping = yield* Effect.forkChild(Fiber.interrupt(loop), { startImmediately: true })
        yield* TestClock.adjust("4999 millis")
        expect((yield* delivery(id)).status).toBe("sending")
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(stopping)
        expect(yield* delivery(id)).toMatchObject({ status: "queued", crashes: 0, worker: null })
        expect((yield* detail(id)).attempts).toMatchObject([{ outcome: "released" }])
        const [next] = yield* (yield* MailStore).read([{ _tag: "NextDue", worker: "nobody", now: start }])
        expect(next).toBeLessThanOrEqual(start + 5000)
      }).pipe(Effect.scoped)
    ))

  it("leaves no lease behind when it ends", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const nextDue = Effect.map(mailStore.read([{ _tag: "NextDue", worker: "other", now: start }]), ([next]) => next)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* running
            const id = yield* sendOne
            yield* until(id, "delivered")
            expect(yield* nextDue).toBeGreaterThan(start)
          })
        )
        expect(yield* nextDue).toBeNull()
      })
    ))

  it("goes on for all projects while the plan of one cannot be read", () =>
    inHouse(store, {
      plans: Layer.sync(PlanSource, () => {
        // The send reads it; the release, later, cannot.
        let reads = 0
        return {
          planOf: (projectId) =>
            projectId === "prj_bad" && reads++ > 0
              ? Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
              : Effect.succeed(unlimited)
        }
      })
    })(
      Effect.gen(function* () {
        yield* (yield* Domains).add("prj_bad", { domain: "example.com", verified: true })
        yield* send("bad", { scheduledAt: formatInstant(start + 1000) }, {}, "prj_bad")
        yield* running
        yield* turns(50)
        yield* TestClock.adjust("1 second")
        yield* turns(50)
        const { result } = yield* send("good")
        yield* until(result.deliveryIds[0]!, "delivered")
      }).pipe(Effect.scoped)
    ))

  it("ends within its grace although the store is away", () =>
    inHouse(store, { stub: { script: [{ acts: [{ act: "hang" }] }] } })(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        let away = false
        const leaving: MailStoreShape = {
          ...mailStore,
          commit: (changes) =>
            Effect.suspend(() =>
              away ? Effect.fail(new StoreUnavailable({ reason: "unreachable" })) : mailStore.commit(changes)
            )
        }
        const loop = yield* Effect.forkChild(runOver(leaving))
        const id = yield* sendOne
        yield* until(id, "sending", () => TestClock.adjust("1 second"))
        away = true
        const stopping = yield* Effect.forkChild(Fiber.interrupt(loop), { startImmediately: true })
        for (let i = 0; i < 30; i++) {
          yield* TestClock.adjust("1 second")
          yield* turns(5)
        }
        expect(stopping.pollUnsafe()).toBeDefined()
      }).pipe(Effect.scoped)
    ))

  it("releases beside hand-offs that hang", () =>
    inHouse(store, {
      stub: { script: [{ recipient: "slow@example.org", acts: [{ act: "hang" }] }] },
      dispatcher: { graceMillis: 1, concurrency: 2 }
    })(
      Effect.gen(function* () {
        yield* running
        yield* send("slow", { to: "slow@example.org" })
        const { result } = yield* send("later", { scheduledAt: formatInstant(start + 1000) })
        yield* turns(50)
        yield* TestClock.adjust("1 second")
        yield* until(result.deliveryIds[0]!, "delivered")
      }).pipe(Effect.scoped)
    ))

  it("keeps its lease while a hand-off takes long", () =>
    inHouse(store, { stub: { script: [{ acts: [{ act: "hang" }] }] }, dispatcher: { graceMillis: 1 } })(
      Effect.gen(function* () {
        yield* running
        const id = yield* sendOne
        yield* until(id, "sending")
        for (let i = 0; i < 12; i++) {
          yield* TestClock.adjust("10 seconds")
          yield* turns(20)
        }
        const stolen = yield* (yield* MailStore).claim({
          kind: "lapsedSending",
          now: start + 120_000,
          limit: 9,
          worker: "other",
          leaseUntil: start + 150_000
        })
        expect(stolen).toEqual([])
      }).pipe(Effect.scoped)
    ))
})

describe.each(stores)("health and sweeping, over $name", (store) => {
  it("tells what waits and for how long the oldest has been due", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* send("a")
        yield* send("b", { scheduledAt: formatInstant(start + hourMillis) })
        yield* TestClock.adjust("90 seconds")
        expect(yield* (yield* Dispatcher).health).toMatchObject({
          scheduled: 1,
          queued: 1,
          sending: 0,
          oldestDueAgeMillis: 90_000
        })
      })
    ))

  it("forgets events and idempotency keys when their time is over", () =>
    inHouse(store)(
      Effect.gen(function* () {
        yield* send("a")
        yield* tick
        expect(yield* events).toHaveLength(1)
        yield* TestClock.setTime(start + 31 * 24 * hourMillis)
        yield* tick
        expect(yield* events).toHaveLength(0)
        const [remembered] = yield* (yield* MailStore).read([{ _tag: "Idempotency", projectId: project, key: "a" }])
        expect(remembered).toBeNull()
      })
    ))
})
