/**
 * The backlog of one project does not hold up the mail of another, nor the bulk mail of a project its immediate mail.
 */
import { send, start, stores, stopped, tick, tickWith, withTestMail } from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import type { TestMailOptions } from "@mailkeep/test-support"
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Dispatcher, Domains, formatInstant, MailStore } from "../../../src/index.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import type { TransportShape } from "../../../src/port/Transport.ts"

/** Makes projects with a verified domain. */
const makeProjects = (...projects: ReadonlyArray<string>) =>
  Effect.forEach(
    projects,
    (id) => Effect.flatMap(Domains, (domains) => domains.create(id, { domain: "example.com", verified: true })),
    { discard: true }
  )

/** Sends so many messages of a project, to recipients such as `prj_a-0@example.org`. */
const sendMany = (
  projectId: string,
  count: number,
  options: Parameters<typeof send>[2] = {},
  change: Parameters<typeof send>[1] = {},
  name = projectId
) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) => send(`${name}-${n}`, { to: `${name}-${n}@example.org`, ...change }, options, projectId),
    { discard: true }
  )

/** The local parts of the recipients whose mail the transport has taken, in order. */
const takenNames = Effect.map(StubTransport.StubTransport, (stub) =>
  stub.captured().map(({ envelope }) => envelope.to.slice(0, envelope.to.indexOf("@")))
)

const dispatcher = (options: NonNullable<TestMailOptions["dispatcher"]>): TestMailOptions => ({ dispatcher: options })

describe.each(stores)("claims of several projects, over $name", (store) => {
  it("hands over the first delivery of a project in the first round, behind the backlog of another project", () =>
    withTestMail(
      store,
      dispatcher({ concurrency: 2 })
    )(
      Effect.gen(function* () {
        yield* makeProjects("prj_a", "prj_b")
        yield* sendMany("prj_a", 40)
        yield* tick
        expect(yield* takenNames).toEqual(["prj_a-0", "prj_a-1"])
        yield* TestClock.adjust("1 second")
        yield* sendMany("prj_b", 1)
        yield* tick
        expect(new Set((yield* takenNames).slice(2))).toEqual(new Set(["prj_b-0", "prj_a-2"]))
      })
    ))

  it("queues the scheduled delivery of a project at once, behind the scheduled deliveries of another project", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* makeProjects("prj_a", "prj_b")
        yield* sendMany("prj_a", 130, {}, { scheduledAt: formatInstant(start + 1000) })
        yield* sendMany("prj_b", 1, {}, { scheduledAt: formatInstant(start + 2000) })
        yield* TestClock.adjust("3 seconds")
        expect(yield* tick).toMatchObject({ scheduled: 81, handedOver: 29 })
        expect(yield* takenNames).toContain("prj_b-0")
      })
    ))

  it.each<[string, Parameters<typeof send>[2], Parameters<typeof send>[1]]>([
    ["scheduled mail that is overdue", {}, { scheduledAt: formatInstant(start + 1000) }],
    ["mail with List-Unsubscribe", { headers: { "List-Unsubscribe": "<https://shop.example/u>" } }, {}]
  ])("hands over immediate mail of a project in the first round, behind its %s", (_, options, change) =>
    withTestMail(
      store,
      dispatcher({ concurrency: 2 })
    )(
      Effect.gen(function* () {
        yield* makeProjects("prj_a")
        yield* sendMany("prj_a", 20, options, change, "news")
        yield* TestClock.adjust("1 minute")
        yield* sendMany("prj_a", 1, {}, {}, "reset")
        yield* tick
        expect(new Set(yield* takenNames)).toEqual(new Set(["news-0", "reset-0"]))
      })
    )
  )

  it("hands over mail of a project while the hand-offs of another project hang, and stays idle meanwhile", () =>
    withTestMail(store, {
      dispatcher: { concurrency: 8, concurrencyPerProject: 5, graceMillis: 1 },
      stub: { script: [{ recipient: /^prj_a-/, acts: [{ act: "hang" }] }] }
    })(
      Effect.gen(function* () {
        yield* makeProjects("prj_a", "prj_b")
        yield* sendMany("prj_a", 20)
        const running = yield* Effect.forkChild((yield* Dispatcher).run, { startImmediately: true })
        yield* eventLoopTurns(50)
        const { health } = yield* Dispatcher
        expect(yield* health).toMatchObject({ sending: 5, queued: 15 })
        yield* sendMany("prj_b", 10)
        for (let i = 0; i < 200 && (yield* takenNames).length < 10; i++) yield* eventLoopTurns(5)
        expect(yield* takenNames).toHaveLength(10)
        expect(yield* health).toMatchObject({ sending: 5, queued: 15 })
        yield* stopped(running)
      })
    ))

  it("runs no more hand-offs at once than the transport takes, and leaves a quarter of them to other projects", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* makeProjects("prj_a", "prj_b")
        yield* sendMany("prj_a", 10)
        let [running, most, taken] = [0, 0, 0]
        const transport: TransportShape = {
          capabilities: {
            confirmsDelivery: true,
            signalsFinalize: false,
            idempotentHandOff: false,
            maxMessageBytes: null,
            smtpUtf8: true,
            handOffsAtOnceMax: 8
          },
          handOff: () =>
            Effect.gen(function* () {
              most = Math.max(most, ++running)
              taken++
              yield* eventLoopTurns(5)
              running--
              return {
                _tag: "Delivered",
                reply: { stage: "endOfData", smtpCode: 250, enhancedCode: null, text: "" }
              } as const
            })
        }
        yield* tickWith(transport)
        expect([most, taken]).toEqual([6, 6])
        yield* sendMany("prj_b", 10)
        yield* tickWith(transport)
        expect([most, taken]).toEqual([8, 14])
      })
    ))

  it("runs no more hand-offs at once in ticks that overlap than in one tick", () =>
    withTestMail(store, { dispatcher: { concurrency: 2 }, stub: { script: [{ acts: [{ act: "hang" }] }] } })(
      Effect.gen(function* () {
        yield* makeProjects("prj_a", "prj_b")
        yield* sendMany("prj_a", 4)
        yield* sendMany("prj_b", 4)
        const ticks = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(tick, { startImmediately: true }))
        yield* eventLoopTurns(50)
        expect(yield* (yield* Dispatcher).health).toMatchObject({ sending: 2, queued: 6 })
        yield* Fiber.interruptAll(ticks)
        yield* Effect.forkChild(tick, { startImmediately: true })
        yield* eventLoopTurns(50)
        expect(yield* (yield* Dispatcher).health).toMatchObject({ sending: 2, queued: 6 })
      })
    ))

  it("claims at most once a second while a project has as many hand-offs as it may have", () =>
    withTestMail(store, {
      dispatcher: { concurrency: 8, concurrencyPerProject: 2, graceMillis: 1 },
      stub: { script: [{ acts: [{ act: "hang" }] }] }
    })(
      Effect.gen(function* () {
        yield* makeProjects("prj_a")
        yield* sendMany("prj_a", 5)
        const mailStore = yield* MailStore
        let claims = 0
        const claim: MailStoreShape["claim"] = mailStore.claim
        Object.assign(mailStore, {
          claim: (asked: Parameters<typeof claim>[0]) => {
            if (asked.kind === "dueQueued") claims++
            return claim(asked)
          }
        })
        const running = yield* Effect.forkChild((yield* Dispatcher).run, { startImmediately: true })
        yield* eventLoopTurns(50)
        claims = 0
        for (let i = 0; i < 10; i++) {
          yield* TestClock.adjust("1 second")
          yield* eventLoopTurns(10)
        }
        expect(claims).toBeGreaterThan(5)
        expect(claims).toBeLessThan(15)
        yield* stopped(running)
      })
    ))
})

describe("claims of several projects, over random backlogs", () => {
  it("hands over the first delivery of each project and lane within the first round", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ immediate: fc.nat(6), bulk: fc.nat(6) }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        (backlogs, concurrency) =>
          withTestMail(
            stores[0],
            dispatcher({ concurrency, concurrencyPerProject: concurrency })
          )(
            Effect.gen(function* () {
              const bulk = { headers: { "List-Unsubscribe": "<https://shop.example/u>" } }
              for (const [n, backlog] of backlogs.entries()) {
                yield* makeProjects(`prj_${n}`)
                yield* sendMany(`prj_${n}`, backlog.immediate, {}, {}, `i${n}`)
                yield* sendMany(`prj_${n}`, backlog.bulk, bulk, {}, `b${n}`)
              }
              const lanes = backlogs.flatMap(({ immediate, bulk }, n) => [
                ...(immediate > 0 ? [`i${n}-0`] : []),
                ...(bulk > 0 ? [`b${n}-0`] : [])
              ])
              const total = backlogs.reduce((sum, { immediate, bulk }) => sum + immediate + bulk, 0)
              for (let ticks = 0; ticks < Math.ceil(lanes.length / concurrency); ticks++) yield* tick
              expect(yield* takenNames).toEqual(expect.arrayContaining(lanes))
              for (let left = total; left > 0; left -= concurrency) yield* tick
              expect(yield* takenNames).toHaveLength(total)
            })
          )
      ),
      { numRuns: 40 }
    ))
})
