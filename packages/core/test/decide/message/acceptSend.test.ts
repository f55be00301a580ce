import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AcceptSend, AcceptSendFacts } from "../../../src/decide/message/acceptSend.ts"
import { acceptSend, recipientsOf } from "../../../src/decide/message/acceptSend.ts"
import type { HashedAttachment } from "../../../src/domain/message/attachmentContent.ts"
import type { SendInput } from "../../../src/domain/message/SendInput.ts"
import type { SendOptions } from "../../../src/domain/message/SendOptions.ts"
import { parseSend } from "../../../src/domain/message/SendRequest.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import type { Change, ChangeOf, ChangeTag } from "../../../src/domain/store/Change.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import { withPrefix } from "../../../src/domain/value/Id.ts"
import { dayMillis, hourMillis } from "../../../src/domain/value/Instant.ts"
import { acceptSendFacts as facts } from "./acceptSendFacts.ts"
import { counterChanges, now, project, suppression } from "../fixtures.ts"
import { apiKey, byApiKey, command, earlier, withOptions } from "./sendCommand.ts"
import { template } from "./sendTemplate.ts"

const hashed = (filename: string, hash: string, text: string): HashedAttachment => ({
  filename,
  contentType: "application/pdf",
  contentId: null,
  disposition: "attachment",
  size: text.length,
  hash,
  content: new TextEncoder().encode(text)
})

const changesOf = (sent: AcceptSend, known: AcceptSendFacts): ReadonlyArray<Change> =>
  Result.getOrThrow(acceptSend(sent, known)).changes

const only = <T extends ChangeTag>(changes: ReadonlyArray<Change>, tag: T) =>
  changes.filter((change): change is ChangeOf<T> => change._tag === tag)

describe("acceptSend, for shown recipients", () => {
  it("writes one message with the given header fields and a delivery for each recipient", () => {
    const shownRecipients = { to: ["ada@example.org", "list@example.org"], cc: ["bob@example.org"] }
    const send = Result.getOrThrow(
      parseSend(
        {
          from: "hello@example.com",
          to: ["ada@example.org", "eve@example.org"],
          bcc: ["bob@example.org"],
          subject: "Hi",
          text: "Hi"
        },
        "smtp",
        true
      )
    )
    const changes = changesOf(command({}, { send, ...withOptions({ shownRecipients }) }), facts())
    expect(only(changes, "InsertMessage")[0]!.message).toMatchObject(shownRecipients)
    expect(only(changes, "InsertDelivery").map(({ delivery }) => `${delivery.kind} ${delivery.recipient}`)).toEqual([
      "to ada@example.org",
      "to eve@example.org",
      "bcc bob@example.org"
    ])
  })
})

describe("acceptSend, for a link to unsubscribe", () => {
  const settings = { id: project, onAmbiguous: "retry", listUnsubscribe: true, createdAt: now, revision: 1 } as const
  const linked = (options: SendOptions, known: Partial<AcceptSendFacts>) =>
    only(changesOf(command({}, withOptions(options)), facts(known)), "InsertMessage")[0]!.message.listUnsubscribe

  it.each<[name: string, options: SendOptions, facts: Partial<AcceptSendFacts>, expected: boolean]>([
    ["without a wish", {}, { canUnsubscribe: true }, false],
    ["when the send asks for it", { listUnsubscribe: true }, { canUnsubscribe: true }, true],
    ["when the project asks for it", {}, { canUnsubscribe: true, project: settings }, true],
    ["when the send declines it", { listUnsubscribe: false }, { canUnsubscribe: true, project: settings }, false],
    ["when the core has no page for it", {}, { project: settings }, false],
    [
      "when the send has a link of its own",
      { headers: { "list-unsubscribe": "<mailto:a@b.example>" } },
      { canUnsubscribe: true, project: settings },
      false
    ]
  ])("decides %s", (_, options, known, expected) => {
    expect(linked(options, known)).toBe(expected)
  })

  it("refuses a wish that the core cannot fulfil", () => {
    const refused = acceptSend(command({}, withOptions({ listUnsubscribe: true })), facts())
    expect(Result.isFailure(refused) && refused.failure).toMatchObject({
      _tag: "InvalidArgument",
      issues: [{ path: ["listUnsubscribe"], code: "not_allowed_here" }]
    })
  })
})

describe("acceptSend, for a valid send", () => {
  it("writes the record, the message, one delivery per recipient and the counters, with every guard", () => {
    const input = {
      from: "Acme <hello@example.com>",
      to: "Ada@example.org",
      cc: "bob@example.org",
      metadata: { order: 7 }
    }
    const options = withOptions({ onAmbiguous: "fail", expiresAt: now + hourMillis, headers: { "X-Order": "7" } })
    const sent = command(input, { principal: byApiKey, ...options })
    const known = facts({ apiKey, contacts: [{ id: "con_1" } as never, null] })
    const { answer, changes } = Result.getOrThrow(acceptSend(sent, known))
    const [message] = only(changes, "InsertMessage")
    const deliveries = only(changes, "InsertDelivery").map(({ delivery }) => delivery)
    expect(deliveries[0]!.id).toBe(withPrefix("del", message!.message.id))
    expect(changes.map(({ _tag }) => _tag)).toEqual([
      "Expect",
      "Expect",
      "RecordIdempotency",
      "InsertMessage",
      "InsertDelivery",
      "InsertDelivery",
      "AddToCounter",
      "AddToCounter"
    ])
    expect(only(changes, "Expect")).toMatchObject([
      { record: { kind: "ApiKey", id: "key_1" }, revision: 4 },
      { record: { kind: "Domain", domain: "example.com" }, revision: 1 }
    ])
    expect(message!.message).toMatchObject({
      apiKeyId: "key_1",
      source: "api",
      from: "hello@example.com",
      fromName: "Acme",
      to: ["Ada@example.org"],
      cc: ["bob@example.org"],
      metadata: { order: 7 },
      onAmbiguous: "fail",
      expiresAt: now + hourMillis,
      headers: { "X-Order": "7" },
      idempotencyKey: "k"
    })
    expect(deliveries).toMatchObject([
      { kind: "to", recipient: "Ada@example.org", address: "ada@example.org", contactId: "con_1", status: "queued" },
      { kind: "cc", recipient: "bob@example.org", contactId: null, status: "queued", dueAt: now, chargedAt: now }
    ])
    expect(answer).toEqual({
      messageId: message!.message.id,
      deliveryIds: deliveries.map(({ id }) => id),
      totalQueued: 2,
      scheduledAt: null,
      replayed: false
    })
    const origin = { projectId: project, messageId: message!.message.id, source: "api", createdAt: now }
    expect(deliveries).toMatchObject([origin, origin])
    const { replayed: _, ...result } = answer
    expect(only(changes, "RecordIdempotency")).toMatchObject([
      { now, record: { key: "k", fingerprint: "fingerprint", result, expiresAt: now + 30 * dayMillis } }
    ])
    expect(counterChanges(changes)).toEqual({ "daily:2026-11-21": 2, allowance: 2 })
  })

  it("records nothing for a repeat without an idempotency key, also beside a record", () => {
    const sent = command({}, { idempotency: null })
    const changes = changesOf(sent, facts({ idempotencyRecord: earlier }))
    expect(only(changes, "RecordIdempotency")).toEqual([])
    expect(only(changes, "InsertMessage").map(({ message }) => message.idempotencyKey)).toEqual([""])
  })

  it("writes each content once before the message, which names the files and their hashes", () => {
    const attachments = [hashed("a.pdf", "h1", "one"), hashed("b.pdf", "h2", "two"), hashed("copy.pdf", "h1", "one")]
    const changes = changesOf(command({}, { attachments }), facts())
    expect(only(changes, "PutContent").map(({ hash, chunks }) => [hash, Buffer.concat(chunks).toString()])).toEqual([
      ["h1", "one"],
      ["h2", "two"]
    ])
    const [{ message }] = only(changes, "InsertMessage") as [ChangeOf<"InsertMessage">]
    expect(message.attachments).toEqual(
      ["h1", "h2", "h1"].map((hash, n) => ({
        filename: attachments[n]!.filename,
        contentType: "application/pdf",
        contentId: null,
        disposition: "attachment",
        size: 3,
        hash
      }))
    )
    const order = inCommitOrder(changes).map(({ _tag }) => _tag)
    expect(order.lastIndexOf("PutContent")).toBeLessThan(order.indexOf("InsertMessage"))
  })

  it.each([
    [6, true],
    [5, false]
  ])("compares the bytes of all files with a limit of %d", (attachmentBytes, isAccepted) => {
    const attachments = [hashed("a.pdf", "h1", "one"), hashed("b.pdf", "h1", "one")]
    const known = facts({ plan: { ...noLimits, attachmentBytes } })
    const sent = acceptSend(command({}, { attachments }), known)
    expect(Result.isSuccess(sent)).toBe(isAccepted)
    if (Result.isFailure(sent))
      expect(sent.failure).toMatchObject({ argument: "input", issues: [{ path: ["attachments"], code: "too_large" }] })
    expect(Result.isSuccess(acceptSend(command({}, { attachments }), { ...known, idempotencyRecord: earlier }))).toBe(
      true
    )
  })

  it("counts a scheduled send on its day and keeps its record for 30 days after its time", () => {
    const scheduledAt = now + dayMillis
    const changes = changesOf(command({ scheduledAt }), facts())
    expect(counterChanges(changes)).toEqual({ "daily:2026-11-22": 1, scheduledRecipients: 1 })
    expect(only(changes, "InsertDelivery")[0]!.delivery).toMatchObject({ status: "scheduled", dueAt: scheduledAt })
    expect(only(changes, "RecordIdempotency")[0]!.record.expiresAt).toBe(scheduledAt + 30 * dayMillis)
  })

  it("names the template in the message, and guards that the template is not changed", () => {
    const send = { templateId: "tpl_1", templateVariables: { name: "Ada" }, subject: undefined, text: undefined }
    const changes = changesOf(command(send), facts({ template: template() }))
    expect(only(changes, "InsertMessage")[0]!.message).toMatchObject({ templateId: "tpl_1", subject: "Hi Ada" })
    expect(only(changes, "Expect")).toMatchObject([
      { record: { kind: "Domain" } },
      { record: { kind: "Resource", id: "tpl_1" }, revision: 1 }
    ])
  })

  it("guards each counter with the limit of the plan", () => {
    const plan = { ...noLimits, dailySends: 5, sendingAllowance: 6 }
    const guards = only(changesOf(command(), facts({ plan })), "AddToCounter")
    expect(guards.map(({ name, max }) => [name, max]).toSorted()).toEqual([
      ["allowance", 6],
      ["daily:2026-11-21", 5]
    ])
  })

  it("suppresses a recipient at once with an event, without a charge, also when the limit allows only the other one", () => {
    const known = facts({
      suppressions: [suppression("complaint"), null],
      plan: { ...noLimits, dailySends: 1, sendingAllowance: 1 }
    })
    const { answer, changes } = Result.getOrThrow(
      acceptSend(command({ to: ["ada@example.org", "bob@example.org"] }), known)
    )
    expect(answer).toMatchObject({ totalQueued: 1, deliveryIds: { length: 2 } })
    expect(
      only(changes, "InsertDelivery").map(({ delivery }) => [delivery.status, delivery.reason, delivery.countedDay])
    ).toEqual([
      ["suppressed", "complaint", null],
      ["queued", null, "2026-11-21"]
    ])
    expect(only(changes, "AppendEvent").map(({ event }) => event.kind)).toEqual(["email.suppressed"])
    expect(counterChanges(changes)).toEqual({ "daily:2026-11-21": 1, allowance: 1 })
  })

  it("does not suppress a scheduled recipient before its time", () => {
    const known = facts({ suppressions: [suppression("complaint")] })
    const changes = changesOf(command({ scheduledAt: now + 1 }), known)
    expect(only(changes, "InsertDelivery")[0]!.delivery).toMatchObject({ status: "scheduled", reason: null })
  })

  it.each<[string, Partial<SendInput>, SendOptions, boolean]>([
    ["immediate mail when it has no schedule", {}, { headers: { "List-Id": "orders" } }, false],
    ["bulk mail when it is scheduled", { scheduledAt: now + 1 }, {}, true],
    ["bulk mail when it has a link to unsubscribe", {}, { listUnsubscribe: true }, true],
    [
      "bulk mail when it has its own List-Unsubscribe",
      {},
      { headers: { "list-unsubscribe": "<https://a.example>" } },
      true
    ]
  ])("makes a send %s", (_, input, options, bulk) => {
    const changes = changesOf(command(input, withOptions(options)), facts({ canUnsubscribe: true }))
    expect(only(changes, "InsertDelivery")[0]!.delivery).toMatchObject({ bulk })
  })

  it("shows no recipient to the others when there are several in to", () => {
    const changes = changesOf(command({ to: ["ada@example.org", "bob@example.org"] }), facts())
    expect(only(changes, "InsertMessage")[0]!.message).toMatchObject({ to: [], cc: [] })
  })

  it("gives each different address one delivery, and changes no record twice in one commit", () => {
    const address = fc.constantFrom("a@example.org", "A@example.org", "b@example.org", "c@example.org")
    fc.assert(
      fc.property(
        fc.record({ to: address, cc: fc.array(address), bcc: fc.array(address), later: fc.boolean() }),
        ({ later, ...fields }) => {
          const sent = command({ ...fields, scheduledAt: later ? now + 1 : undefined })
          const different = new Set([fields.to, ...fields.cc, ...fields.bcc].map((one) => one.toLowerCase()))
          expect(recipientsOf(sent.send)).toHaveLength(different.size)
          const changes = changesOf(sent, facts())
          expect(only(changes, "InsertDelivery")).toHaveLength(different.size)
          expect(inCommitOrder(changes)).toHaveLength(changes.length)
        }
      )
    )
  })
})
