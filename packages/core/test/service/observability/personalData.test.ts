/**
 * No span, log line, metric or report of health contains an address, a subject, a body or a secret. A story of all parts of the core runs with
 * recognizable texts in every field, and everything that observes it is searched for them.
 */
import { StubTransport } from "@mailkeep/smtp"
import type { TestMailOptions } from "@mailkeep/test-support"
import { project, send, sendEvents, start, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Cause, Effect, Exit, Layer, Logger, Metric, Redacted, References, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import {
  Access,
  ApiKeys,
  Contacts,
  Feedback,
  Health,
  Suppressions,
  Templates,
  Webhooks,
  EventSender
} from "../../../src/index.ts"
import { refused, scripted } from "../event/scriptedSink.ts"

/** Every text of the story contains this word. */
const canary = "canary"

/** Collects everything that is observed, as text. */
const observer = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const lines: Array<string> = []
  const layer = Layer.mergeAll(
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
    ),
    Logger.layer([
      Logger.make(({ message, cause, fiber }) => {
        lines.push(
          inspect([message, Cause.pretty(cause), fiber.getRef(References.CurrentLogAnnotations)], { depth: 9 })
        )
      })
    ]),
    Layer.succeed(References.MinimumLogLevel, "Trace" as const)
  )
  /** What an exporter sends of a span: also the message and the stack of its failure. */
  const textOf = ({ name, attributes, events, status }: Tracer.NativeSpan): string => {
    const failure = status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""
    return inspect([name, [...attributes], events, failure], { depth: 9 })
  }
  return { layer, lines, names: () => spans.map(({ name }) => name), texts: () => spans.map(textOf) }
}

const options = (sink: TestMailOptions["sink"] & object): TestMailOptions => ({
  sink,
  handOff: { bounceDomain: "bounces.host.example" },
  unsubscribe: { url: "https://mail.acme.example/unsubscribe" },
  plan: { contacts: 1 },
  stub: {
    script: [
      {
        recipient: /refused/,
        acts: [{ act: "refuse", smtpCode: 550, enhancedCode: "5.1.1", text: `<${canary}@x>: ${canary}` }]
      },
      {
        recipient: /busy/,
        acts: [{ act: "defer", smtpCode: 421, enhancedCode: "4.3.2", text: `${canary}, please wait` }]
      },
      { recipient: /lost/, acts: [{ act: "loseReply" }] },
      { acts: [{ act: "accept" }] }
    ]
  }
})

const message = (to: string) => ({
  to: `${canary}-${to}@example.org`,
  subject: `${canary} subject`,
  text: `${canary} text`,
  html: `<p>${canary} html</p>`,
  metadata: { order: `${canary} metadata` }
})

/** Sends, hand-offs, reports, events and refusals. The failures of the story are of interest only for their spans. */
const story = Effect.gen(function* () {
  const [apiKeys, access] = [yield* ApiKeys, yield* Access]
  const { secret } = yield* apiKeys.create(project, { permissions: ["email.send"], name: `${canary} key` })
  yield* access.authenticate(Redacted.value(secret))
  yield* Effect.ignore(access.authenticate(`mk_${canary}_${canary}`))

  const webhooks = yield* Webhooks
  yield* webhooks.create(project, { url: `https://hooks.example.net/${canary}?token=${canary}` })
  yield* Effect.ignore(webhooks.create(project, { url: `http://${canary}@localhost/` }))
  const eventSender = yield* EventSender
  // The name is a constant of the product's code, and a log line about the handler has it.
  yield* eventSender.subscribe("audit", () => Promise.reject(new Error(`${canary} handler failed`)))

  for (const to of ["ok", "refused", "busy", "lost"])
    yield* send(`${canary}-${to}`, message(to), { listUnsubscribe: true, headers: { "X-Order": `${canary} header` } })
  yield* Effect.ignore(send(`${canary}-ok`, { ...message("other") }))
  yield* Effect.ignore(send("x", { ...message("ok"), from: `${canary}@${canary}.example` }))
  yield* Effect.ignore(send("y", { ...message("ok"), to: `${canary} is no address`, subject: `${canary}\r\nBcc: x` }))
  yield* tick

  const taken = (yield* StubTransport.StubTransport).captured()
  const feedback = yield* Feedback
  const bounce = { kind: "bounced", smtpCode: 550, enhancedCode: "5.1.1", text: `${canary} is unknown` } as const
  yield* feedback.receive(taken[0]!.envelope.from, bounce)
  yield* feedback.receive(`b+${canary}@bounces.host.example`, bounce)
  yield* Effect.ignore(feedback.report(project, `del_${canary}`, bounce))
  yield* sendEvents

  const contacts = yield* Contacts
  const contact = { email: `${canary}@example.org`, firstName: canary, properties: {} }
  yield* contacts.create(project, contact)
  yield* Effect.ignore(contacts.create(project, contact))
  yield* Effect.ignore(contacts.create(project, { ...contact, email: `${canary}2@example.org` }))
  yield* Effect.ignore(contacts.list(project, { search: canary, properties: { [canary]: canary } } as object))
  yield* (yield* Suppressions).addReason(project, `${canary}-s@example.org`, "manual")
  yield* Effect.ignore(
    (yield* Templates).create(project, { name: canary, subject: `{{${canary}`, html: `{{#${canary}}}` } as never)
  )
  yield* TestClock.adjust("10 minutes")
  yield* tick
  yield* sendEvents
  return yield* (yield* Health).check
})

describe.each(stores)("what observes the core, over $name", (store) => {
  it("contains no address, subject, body or secret", async () => {
    const { layer, lines, names, texts } = observer()
    const webhook = scripted()
    webhook.answers(() => Effect.succeed(refused({ status: 410, wantsNoMoreEvents: true })))
    const registry: Metric.MetricRegistry = new Map()
    const seen = await withTestMail(
      store,
      options(webhook.sink)
    )(
      Effect.gen(function* () {
        const report = yield* story
        return { report, metrics: yield* Metric.snapshot }
      }).pipe(Effect.provide(layer), Effect.provideService(Metric.MetricRegistry, registry))
    )
    // The story did reach every part, so the search below is not of nothing.
    expect(names()).toEqual(
      expect.arrayContaining(["Sending.send", "HandOffs.handOver", "Feedback.receive", "Access.authenticate"])
    )
    expect(texts().join()).toContain("InvalidArgument")
    expect(lines.join()).toContain("A webhook was disabled.")
    expect(seen.metrics.length).toBeGreaterThan(20)
    expect(seen.report).toMatchObject({ lastFault: { at: start + 600_000 } })

    for (const text of [...texts(), ...lines, inspect(seen, { depth: 9 })])
      expect(text.toLowerCase()).not.toContain(canary)
  })

  it("counts the sends, the hand-offs and the reports of the story in the metrics", async () => {
    const webhook = scripted()
    const registry: Metric.MetricRegistry = new Map()
    const metrics = await withTestMail(
      store,
      options(webhook.sink)
    )(Effect.andThen(story, Metric.snapshot).pipe(Effect.provideService(Metric.MetricRegistry, registry)))
    const count = (id: string, ...values: ReadonlyArray<string>) =>
      metrics.find((one) => one.id === id && Object.values(one.attributes ?? {}).join() === values.join())?.state
    expect(count("mailkeep_sends_total", "embedded")).toMatchObject({ count: 4 })
    expect(count("mailkeep_hand_offs_total", "accepted")).toMatchObject({ count: 1 })
    expect(count("mailkeep_hand_offs_total", "rejected")).toMatchObject({ count: 1 })
    expect(count("mailkeep_hand_offs_total", "ambiguous")).toMatchObject({ count: 2 })
    expect(count("mailkeep_hand_offs_total", "deferred")).toMatchObject({ count: 2 })
    expect(count("mailkeep_hand_off_seconds")).toMatchObject({ count: 4 })
    expect(count("mailkeep_queue_seconds")).toMatchObject({ count: 4 })
    expect(count("mailkeep_deliveries_total", "bounced")).toMatchObject({ count: 2 })
    expect(count("mailkeep_reports_total", "bounced", "recorded")).toMatchObject({ count: 1 })
    expect(count("mailkeep_reports_total", "bounced", "unmatched")).toMatchObject({ count: 1 })
    expect(count("mailkeep_event_deliveries_total", "webhook", "delivered")).toMatchObject({
      count: webhook.got.length
    })
  })
})
