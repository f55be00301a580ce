/**
 * A transport gets no header value with a line break, wherever the value comes from.
 */
import {
  delivery,
  detail,
  events,
  expectBalanced,
  withTestMail,
  project,
  send,
  start,
  stores,
  tick,
  tickWith
} from "@mailkeep/test-support"
import { StubTransport } from "@mailkeep/smtp"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { HandOff, HandOffOutcome, TransportShape } from "../../../src/port/Transport.ts"
import { TransportUnavailable } from "../../../src/port/Transport.ts"
import type { Message } from "../../../src/index.ts"
import { freshState } from "../../../src/domain/delivery/Delivery.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import { MailStore } from "../../../src/index.ts"
import { checkedTransport } from "../../../src/internal/delivery/checkedTransport.ts"

const good: HandOff = {
  projectId: "prj_test",
  deliveryId: "del_1",
  attempt: 1,
  envelope: { from: "a@example.com", to: "b@example.org" },
  dkim: null,
  message: {
    messageIdHeader: "<del_1@example.com>",
    date: start,
    from: { name: "Ada", address: "a@example.com" },
    replyTo: "r@example.com",
    to: ["b@example.org"],
    cc: ["c@example.org"],
    subject: "Hello",
    html: "<p>\n</p>",
    text: "Hi\r\nthere",
    headers: { "X-Order": "7" },
    attachments: []
  },
  beforeFinalize: Effect.void
}

const file: HandOff["message"]["attachments"][number] = {
  filename: "a.pdf",
  contentType: "application/pdf",
  contentId: null,
  disposition: "attachment",
  size: 0,
  read: async function* () {}
}

const broken = "x\r\nBcc: eve@example.org"
const withMessage = (change: Partial<HandOff["message"]>): HandOff => ({
  ...good,
  message: { ...good.message, ...change }
})

describe("a checked transport", () => {
  const handed: Array<HandOff> = []
  const transport: TransportShape = {
    capabilities: {
      confirmsDelivery: true,
      signalsFinalize: true,
      idempotentHandOff: false,
      maxMessageBytes: null,
      smtpUtf8: true
    },
    handOff: (handOff) =>
      Effect.sync(() => {
        handed.push(handOff)
        return { _tag: "Delivered", reply: { stage: "endOfData", smtpCode: 250, enhancedCode: null, text: "Ok" } }
      })
  }

  it("hands over a message whose header values are single lines", async () => {
    expect(await Effect.runPromise(checkedTransport(transport).handOff(good))).toMatchObject({ _tag: "Delivered" })
    expect(handed).toEqual([good])
  })

  it.each<[string, object]>([
    ["handOffsAtOnceMax", { handOffsAtOnceMax: 0 }],
    ["handOffsAtOnceMax", { handOffsAtOnceMax: Number.NaN }],
    ["handOffsAtOnceMax", { handOffsAtOnceMax: -1 }],
    ["handOffsAtOnceMax", { handOffsAtOnceMax: 1.5 }],
    ["handOffsAtOnceMax", { handOffsAtOnceMax: "8" }],
    ["handOffsAtOnceMax", { handOffsAtOnceMax: null }],
    ["maxMessageBytes", { maxMessageBytes: 0 }],
    ["maxMessageBytes", { maxMessageBytes: Number.NaN }]
  ])("refuses a transport whose %s is not valid: %o", (name, limit) => {
    const wrong = { ...transport, capabilities: { ...transport.capabilities, ...limit } }
    expect(() => checkedTransport(wrong)).toThrow(
      new RegExp(`^transport\\.capabilities\\.${name} must be a whole number`)
    )
  })

  it("takes a transport without a limit", () => {
    const { maxMessageBytes: _, ...capabilities } = transport.capabilities
    for (const limits of [{}, { handOffsAtOnceMax: undefined }, { handOffsAtOnceMax: 1, maxMessageBytes: null }])
      expect(() =>
        checkedTransport({
          ...transport,
          capabilities: { ...capabilities, ...limits } as typeof transport.capabilities
        })
      ).not.toThrow()
  })

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "ok"],
    ["another object", { ok: true }],
    ["an outcome of another name", { _tag: "Sent", reply: { text: "Ok" } }],
    ["an outcome without a reply", { _tag: "Delivered" }],
    ["a reply without a text", { _tag: "Delivered", reply: {} }]
  ])("says that the transport has returned no outcome when it returns %s", async (_, outcome) => {
    const wrong: TransportShape = { ...transport, handOff: () => Effect.succeed(outcome as HandOffOutcome) }
    const failure = await Effect.runPromise(Effect.flip(checkedTransport(wrong).handOff(good)))
    expect(failure).toMatchObject({
      _tag: "TransportUnavailable",
      reason:
        "The transport returned no outcome. It must return an object with _tag (Accepted, Delivered or Refused) and reply."
    })
  })

  it.each<[string, object, object]>([
    ["only a text", {}, { stage: "endOfData", smtpCode: null, enhancedCode: null }],
    ["undefined codes", { smtpCode: undefined, enhancedCode: undefined }, { smtpCode: null, enhancedCode: null }],
    ["a code of digits in a text", { smtpCode: "550" }, { smtpCode: 550 }],
    ["a code that is no number", { smtpCode: Number.NaN }, { smtpCode: null }],
    ["a code that is not whole", { smtpCode: 250.5 }, { smtpCode: null }],
    ["a code of four digits", { smtpCode: 2500 }, { smtpCode: null }],
    ["an enhanced code with other characters", { enhancedCode: "5.1.1 \u0000" }, { enhancedCode: null }],
    ["codes that SMTP has", { smtpCode: 550, enhancedCode: "5.1.10" }, { smtpCode: 550, enhancedCode: "5.1.10" }],
    ["a stage that SMTP does not have", { stage: "sent" }, { stage: "endOfData" }],
    ["another stage of SMTP", { stage: "rcpt" }, { stage: "rcpt" }]
  ])(
    "returns a reply that every store keeps when the transport returns a reply with %s",
    async (_, reply, expected) => {
      const outcome = { _tag: "Refused", reply: { text: "No.", ...reply } } as HandOffOutcome
      const other: TransportShape = { ...transport, handOff: () => Effect.succeed(outcome) }
      const checked = await Effect.runPromise(checkedTransport(other).handOff(good))
      expect(checked).toMatchObject({ _tag: "Refused", reply: { text: "No.", ...expected } })
    }
  )

  it.each<[unknown, boolean | undefined]>([
    [true, true],
    [false, false],
    ["no", undefined],
    [undefined, undefined]
  ])("returns whether the relay was reached only as a boolean: %o", async (reachedRelay, expected) => {
    const reply = { stage: "rcpt", smtpCode: 550, enhancedCode: null, text: "No." } as const
    const outcome = { _tag: "Refused", reply, reachedRelay } as HandOffOutcome
    const other: TransportShape = { ...transport, handOff: () => Effect.succeed(outcome) }
    const checked = await Effect.runPromise(checkedTransport(other).handOff(good))
    expect(checked).toEqual({ _tag: "Refused", reply, ...(expected !== undefined && { reachedRelay: expected }) })
  })

  it.each<[string, HandOff, string]>([
    ["sender name", withMessage({ from: { name: broken, address: "a@example.com" } }), "sender name"],
    ["sender address", withMessage({ from: { name: null, address: broken } }), "sender address"],
    ["envelope sender", { ...good, envelope: { ...good.envelope, from: broken } }, "sender address"],
    ["envelope recipient", { ...good, envelope: { ...good.envelope, to: broken } }, "recipient"],
    ["reply-to", withMessage({ replyTo: broken }), "reply-to address"],
    ["to", withMessage({ to: ["b@example.org", broken] }), "recipient"],
    ["cc", withMessage({ cc: [broken] }), "recipient"],
    ["subject", withMessage({ subject: broken }), "subject"],
    ["subject with a NUL", withMessage({ subject: "a\u0000" }), "subject"],
    ["subject with half a surrogate pair", withMessage({ subject: "\ud800" }), "subject"],
    ["Message-ID", withMessage({ messageIdHeader: broken }), "Message-ID"],
    ["value of a header field", withMessage({ headers: { "X-Order": broken } }), "list of header fields"],
    ["name of a header field", withMessage({ headers: { "X-A: 1\r\nBcc": "x" } }), "list of header fields"],
    ["file name", withMessage({ attachments: [{ ...file, filename: broken }] }), "name or type of a file"],
    ["type of a file", withMessage({ attachments: [{ ...file, contentType: broken }] }), "name or type of a file"],
    ["content id of a file", withMessage({ attachments: [{ ...file, contentId: broken }] }), "name or type of a file"],
    ["header field that Mailkeep sets", withMessage({ headers: { Bcc: "x" } }), "list of header fields"]
  ])("refuses a message with a broken %s, and hands nothing over", async (_, handOff, field) => {
    handed.length = 0
    const refused = await Effect.runPromise(Effect.flip(checkedTransport(transport).handOff(handOff)))
    expect(refused).toMatchObject({ _tag: "UnsafeHeaderValue", field })
    expect((refused as Error).message).not.toContain("eve")
    expect(handed).toEqual([])
  })
})

/** Writes a message into the store that every use case refuses. */
const seed = (change: Partial<Message>) =>
  Effect.gen(function* () {
    const store = yield* MailStore
    const result = yield* send("model")
    const model = yield* delivery(result.deliveryIds[0]!)
    const [message] = yield* store.read([{ _tag: "Message", projectId: project, id: model.messageId }])
    yield* tick
    const seeded: Message = { ...message!, id: "msg_seeded", idempotencyKey: "seeded", ...change }
    yield* store.commit(
      inCommitOrder([
        { _tag: "InsertMessage", message: seeded },
        {
          _tag: "InsertDelivery",
          delivery: {
            ...freshState,
            ...model,
            status: "queued",
            id: "del_seeded",
            messageId: "msg_seeded",
            dueAt: start,
            queuedAt: start
          }
        },
        { _tag: "AddToCounter", projectId: project, name: "allowance", by: 1, max: null },
        { _tag: "AddToCounter", projectId: project, name: "daily:2026-11-21", by: 1, max: null }
      ])
    )
  })

describe.each(stores)("a transport that is written without types, over $name", (store) => {
  const attempted = (handOff: TransportShape["handOff"]) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("k")
        const stub = yield* StubTransport.StubTransport
        yield* tickWith({ ...stub, handOff })
        yield* expectBalanced
        return yield* detail(deliveryIds[0]!)
      })
    )

  it("records a refusal without an enhanced code", async () => {
    const reply = { stage: "rcpt", smtpCode: 550, text: "No." }
    const { status, attempts } = await attempted(() => Effect.succeed({ _tag: "Refused", reply } as HandOffOutcome))
    expect(status).toBe("bounced")
    expect(attempts).toMatchObject([{ outcome: "rejected", smtpCode: 550, enhancedCode: null }])
  })

  it.each<[string, unknown]>([
    ["null", null],
    ["a text", "no"]
  ])("records a refusal when the transport returns %s as reachedRelay", async (_, reachedRelay) => {
    const reply = { stage: "rcpt", smtpCode: 550, enhancedCode: "5.1.1", text: "No." }
    const { status, attempts } = await attempted(() =>
      Effect.succeed({ _tag: "Refused", reply, reachedRelay } as HandOffOutcome)
    )
    expect(status).toBe("bounced")
    expect(attempts).toMatchObject([{ outcome: "rejected" }])
  })

  it.each<[string, unknown, string]>([
    ["one line of a reason with control characters and half a surrogate pair", "a\u0000b\r\nc\ud83d", "a b c\ufffd"],
    ["at most 1,000 characters of a reason", "x".repeat(5000), "x".repeat(1000)],
    ["that the transport failed without a reason", undefined, "The transport failed."]
  ])("stores %s", async (_, reason, statusMessage) => {
    const failure = new TransportUnavailable({ reason: reason as string })
    expect(await attempted(() => Effect.fail(failure))).toMatchObject({ statusMessage, attempts: [{ statusMessage }] })
  })
})

describe.each(stores)("a message that was written into the store, over $name", (store) => {
  it.each<[string, Partial<Message>]>([
    ["subject", { subject: broken }],
    ["sender name", { fromName: broken }],
    ["reply-to address", { replyTo: broken }],
    ["list of header fields", { headers: { "X-Order": broken } }]
  ])("fails a stored message with sending_failed because of its %s, without a hand-off", (field, change) =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* seed(change)
        const stub = yield* StubTransport.StubTransport
        const before = stub.captured().length
        yield* tick
        expect(stub.captured()).toHaveLength(before)
        const { attempts, ...shown } = yield* detail("del_seeded")
        expect(shown).toMatchObject({
          status: "failed",
          reason: "sending_failed",
          statusMessage: `The message cannot be sent: its ${field} is not one line of text without control characters.`
        })
        expect(attempts).toMatchObject([{ outcome: "rejected" }])
        expect((yield* events).at(-1)).toMatchObject({ kind: "email.failed" })
        // No relay got the message, so nothing is charged.
        expect((yield* delivery("del_seeded")).chargedAt).toBeNull()
        yield* expectBalanced
      })
    )
  )

  it("does not charge a refused message when the transport cannot signal finalizing", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* seed({ subject: broken })
        const stub = yield* StubTransport.StubTransport
        const before = stub.captured().length
        yield* tickWith({ ...stub, capabilities: { ...stub.capabilities, signalsFinalize: false } })
        expect(stub.captured()).toHaveLength(before)
        expect(yield* delivery("del_seeded")).toMatchObject({ status: "failed", chargedAt: null })
        yield* expectBalanced
      })
    ))
})
