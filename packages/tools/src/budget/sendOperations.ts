/**
 * The operations that accept, schedule and hand over mail.
 */
import type { StubAct } from "@mailkeep/smtp"
import { Dispatcher, Feedback, MailStore, Sending, Suppressions, Templates } from "@mailkeep/core"
import { wholeRotation } from "@mailkeep/core/adapter"
import { StubTransport } from "@mailkeep/smtp"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Operation } from "./Operation.ts"
import { numbers, project, send, sendInput, sendMany, start } from "./Operation.ts"

const hourMillis = 3_600_000
const inOneHour = new Date(start + hourMillis)

const templateOf = Effect.gen(function* () {
  const templates = yield* Templates
  yield* templates.ensure(project, {
    name: "Receipt",
    alias: "receipt",
    subject: "Your receipt {{order}}",
    html: "<p>Thank you for order {{order}}.</p>",
    variables: [{ key: "order", type: "string", required: true }]
  })
})

const accepting: ReadonlyArray<Operation> = [
  { name: "send", prepare: Effect.succeed(send("one")) },
  {
    name: "send to 50 recipients",
    prepare: Effect.succeed(send("fifty", { to: numbers(50).map((n) => `r${n}@example.org`) }))
  },
  {
    name: "send 20 messages in one batch",
    isConcurrent: true,
    prepare: Effect.succeed(
      Effect.flatMap(Sending, (sending) =>
        sending.sendBatch(
          project,
          numbers(20).map((n) => sendInput({ to: `r${n}@example.org` })),
          { idempotencyKey: "batch" }
        )
      )
    )
  },
  { name: "repeat a send with its idempotency key", prepare: Effect.as(send("same"), send("same")) },
  {
    name: "send to a suppressed recipient",
    prepare: Effect.gen(function* () {
      yield* (yield* Suppressions).addReason(project, "ada@example.org", "manual")
      return send("suppressed")
    })
  },
  {
    name: "send with a template",
    prepare: Effect.gen(function* () {
      yield* templateOf
      const { subject: _subject, html: _html, ...addresses } = sendInput()
      const sending = yield* Sending
      return sending.send(project, { ...addresses, templateId: "receipt", templateVariables: { order: "17" } })
    })
  },
  {
    name: "send with a file of 300 KB",
    prepare: Effect.succeed(
      send("file", { attachments: [{ filename: "receipt.pdf", content: new Uint8Array(300_000).fill(7) }] })
    )
  },
  {
    name: "plan a send",
    prepare: Effect.succeed(Effect.flatMap(Sending, (sending) => sending.plan(project, sendInput())))
  }
]

const scheduling: ReadonlyArray<Operation> = [
  { name: "schedule a send", prepare: Effect.succeed(send("later", { scheduledAt: inOneHour })) },
  {
    name: "cancel a scheduled send",
    prepare: Effect.gen(function* () {
      const { messageId } = yield* send("later", { scheduledAt: inOneHour })
      return (yield* Sending).cancel(project, messageId)
    })
  },
  {
    name: "reschedule a send",
    prepare: Effect.gen(function* () {
      const { messageId } = yield* send("later", { scheduledAt: inOneHour })
      return (yield* Sending).reschedule(project, messageId, new Date(start + 2 * hourMillis))
    })
  },
  {
    name: "queue and hand over a scheduled delivery",
    prepare: Effect.gen(function* () {
      yield* send("later", { scheduledAt: inOneHour })
      yield* TestClock.adjust("1 hour")
      return (yield* Dispatcher).tick
    })
  }
]

/** The hand-off of one delivery, with the answer of the stub. */
const handOff = (name: string, act: StubAct): Operation => ({
  name,
  prepare: Effect.gen(function* () {
    const stub = yield* StubTransport.StubTransport
    stub.addRules({ acts: [act] })
    yield* send("one")
    return (yield* Dispatcher).tick
  })
})

const claim = (count: number): Operation => ({
  name: `claim ${count} of 200 due deliveries`,
  prepare: Effect.gen(function* () {
    yield* sendMany(200)
    const store = yield* MailStore
    const now = yield* Clock.currentTimeMillis
    return store.claim({
      kind: "dueQueued",
      now,
      limit: count,
      worker: "wrk_budget",
      leaseUntil: now + 30_000,
      rotation: wholeRotation
    })
  })
})

const handingOver: ReadonlyArray<Operation> = [
  { name: "tick of the dispatcher without due work", prepare: Effect.map(Dispatcher, ({ tick }) => tick) },
  handOff("hand-off, delivered", { act: "deliver" }),
  handOff("hand-off, accepted by a relay", { act: "accept" }),
  handOff("hand-off, deferred", { act: "defer" }),
  handOff("hand-off, bounced", { act: "refuse" }),
  {
    name: "hand-off of 20 deliveries in one tick",
    isConcurrent: true,
    prepare: Effect.gen(function* () {
      yield* sendMany(20)
      return (yield* Dispatcher).tick
    })
  },
  claim(1),
  claim(100),
  {
    name: "report of a late bounce",
    prepare: Effect.gen(function* () {
      const { deliveryIds } = yield* send("one")
      yield* (yield* Dispatcher).tick
      return (yield* Feedback).report(project, deliveryIds[0]!, { kind: "bounced", cause: "mailbox_unknown" })
    })
  }
]

export const sendOperations: ReadonlyArray<Operation> = [...accepting, ...scheduling, ...handingOver]
