/**
 * Invariants of sending in random sequences of sends, ticks with a relay that fails at random, reports, suppressions and erasures.
 */
import { StubTransport } from "@mailkeep/smtp"
import type { TestMail } from "@mailkeep/test-support"
import { expectBalanced, openTestMail, project, send, stores, tickWith } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import type { EventRecord } from "../../../src/domain/event/EventRecord.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import type { DeliveryReport } from "../../../src/index.ts"
import { Contacts, Feedback, MailStore, Sending, Suppressions } from "../../../src/index.ts"
import { recordPage } from "../../../src/internal/store/recordPages.ts"
import type { HandOffOutcome, TransportShape } from "../../../src/port/Transport.ts"
import { TransportUnavailable } from "../../../src/port/Transport.ts"

const people = ["ann@example.org", "bob@example.org"] as const

/** What the relay does with the next messages. `kept`: the relay has the message, and its answer is lost. */
const acts = ["unreachable", "deferred", "deferred", "unknown", "lost", "kept", "kept", "accepted"] as const
type Act = (typeof acts)[number]

const reply = (stage: "rcpt" | "endOfData", smtpCode: number, enhancedCode: string) =>
  ({ stage, smtpCode, enhancedCode, text: "words" }) as const

/** A relay that follows a script, and counts how often it took the mail of each delivery. */
const scriptedRelay = (capabilities: Partial<TransportShape["capabilities"]>) => {
  const script: Array<Act> = []
  const taken = new Map<string, number>()
  const stub = StubTransport.make()
  const transport: TransportShape = {
    capabilities: { ...stub.capabilities, ...capabilities },
    handOff: ({ deliveryId, beforeFinalize }) =>
      Effect.gen(function* (): Effect.gen.Return<HandOffOutcome, Effect.Error<ReturnType<TransportShape["handOff"]>>> {
        const act = script.shift() ?? "accepted"
        if (act === "unreachable")
          return yield* new TransportUnavailable({ reason: "refused", certainlyNotAccepted: true })
        if (act === "deferred") return { _tag: "Refused", reply: reply("rcpt", 450, "4.2.0") }
        if (act === "unknown") return { _tag: "Refused", reply: reply("rcpt", 550, "5.1.1") }
        yield* beforeFinalize
        if (act === "lost") return yield* new TransportUnavailable({ reason: "lost" })
        taken.set(deliveryId, (taken.get(deliveryId) ?? 0) + 1)
        if (act === "kept") return yield* new TransportUnavailable({ reason: "lost" })
        return { _tag: "Accepted", reply: reply("endOfData", 250, "2.0.0") }
      })
  }
  return { script, taken, transport }
}

type Relay = ReturnType<typeof scriptedRelay>

const records = Effect.gen(function* () {
  const store = yield* MailStore
  const deliveries = yield* recordPage(store, { kind: "Delivery", projectId: project })
  const events = yield* recordPage(store, { kind: "Event", projectId: project })
  return {
    deliveries: deliveries.map(({ record }) => record),
    events: events.map(({ record }) => record.event)
  }
})

const eventsOf = ({ id }: Delivery, events: ReadonlyArray<EventRecord>) =>
  events
    .flatMap(({ kind, data }) => ("deliveryId" in data && data.deliveryId === id ? [{ kind, ...data }] : []))
    .toSorted((a, b) => a.sequence - b.sequence)

const waiting: ReadonlySet<Delivery["status"]> = new Set(["scheduled", "queued", "sending"] as const)

const checkInvariants = ({ taken, transport }: Relay) =>
  Effect.gen(function* () {
    yield* expectBalanced
    const { deliveries, events } = yield* records
    for (const delivery of deliveries) {
      const { id, status, reason, ambiguousAttempts } = delivery
      const own = eventsOf(delivery, events)
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((_, n) => n + 1))
      if (!waiting.has(status)) expect(own.at(-1)).toMatchObject({ kind: `email.${status}`, status, reason })
      const copies = taken.get(id) ?? 0
      if (!transport.capabilities.idempotentHandOff) expect(copies).toBeLessThanOrEqual(1 + ambiguousAttempts)
      if (copies > 0 && status === "failed") expect(reason).toBe("delivery_uncertain")
    }
  })

const person = fc.constantFrom(...people)
const minutes = fc.integer({ min: 1, max: 3000 })
const short = fc.oneof(fc.integer({ min: 1, max: 15 }), minutes)
const ticks = fc.record({
  do: fc.constant("tick"),
  script: fc.array(fc.constantFrom(...acts), { minLength: 3 }),
  pass: short
} as const)
const commands = fc.oneof(
  ticks,
  ticks,
  fc.record({ do: fc.constant("send"), person, ahead: fc.option(minutes), expires: fc.option(short) } as const),
  fc.record({
    do: fc.constant("report"),
    pick: fc.nat(),
    report: fc.constantFrom<DeliveryReport>({ kind: "delivered" }, { kind: "bounced" }, { kind: "complained" })
  } as const),
  fc.record({ do: fc.constantFrom("suppress", "allow", "erase"), person } as const),
  fc.record({ do: fc.constant("cancel"), pick: fc.nat() } as const)
)
type Command = typeof commands extends fc.Arbitrary<infer A> ? A : never

const run = (command: Command, number: number, { script, transport }: Relay) =>
  Effect.gen(function* () {
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    if (command.do === "send") {
      const scheduledAt = command.ahead === null ? undefined : now + command.ahead * minuteMillis
      const expiresAt = command.expires === null ? undefined : (scheduledAt ?? now) + command.expires * minuteMillis
      yield* send(`k${number}`, { to: command.person, scheduledAt }, { expiresAt })
    } else if (command.do === "tick") {
      script.splice(0, script.length, ...command.script)
      yield* tickWith(transport)
      yield* TestClock.adjust(command.pass * minuteMillis)
    } else if (command.do === "report" || command.do === "cancel") {
      const { deliveries } = yield* records
      const one = deliveries[command.pick % deliveries.length]
      if (one === undefined) return
      if (command.do === "cancel") yield* Effect.ignore((yield* Sending).cancel(project, one.messageId))
      else yield* (yield* Feedback).report(project, one.id, command.report)
    } else if (command.do === "erase") yield* (yield* Contacts).erase(project, command.person)
    else if (command.do === "suppress") yield* (yield* Suppressions).addReason(project, command.person, "manual")
    else yield* Effect.ignore((yield* Suppressions).delete(project, command.person))
  })

describe("a random sequence with a relay that fails at random", () => {
  it(
    "keeps the usage, the events and the flags of duplicates right, and ends every delivery",
    { timeout: 120_000 },
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.boolean(),
          fc.boolean(),
          fc.array(commands, { maxLength: 30, size: "max" }),
          async (signalsFinalize, idempotentHandOff, all) => {
            const relay = scriptedRelay({ signalsFinalize, idempotentHandOff })
            const mail = await openTestMail(stores[0])
            const steps = Effect.gen(function* () {
              for (const [number, command] of all.entries()) {
                yield* run(command, number, relay)
                yield* checkInvariants(relay)
              }
              for (let day = 0; day < 8; day++)
                yield* Effect.andThen(tickWith(relay.transport), TestClock.adjust("1 day"))
              yield* checkInvariants(relay)
              const { deliveries } = yield* records
              expect(deliveries.filter(({ status }) => waiting.has(status))).toEqual([])
            })
            await mail.runPromise(steps satisfies Effect.Effect<void, unknown, TestMail>)
            await mail.dispose()
          }
        ),
        { numRuns: 100 }
      )
  )
})
