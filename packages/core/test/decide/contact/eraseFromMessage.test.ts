/**
 * What the erasure of a person decides for a message.
 */
import { describe, expect, it } from "vitest"
import { eraseFromMessage } from "../../../src/decide/contact/erasure.ts"
import type { MessageFacts } from "../../../src/decide/contact/erasure.ts"
import { erasedAddress } from "../../../src/domain/contact/addressRedaction.ts"
import { attempt, delivery, message, now, project } from "../fixtures.ts"
import { address, ended, idempotency, person, rewrites, toBob } from "./erasureFacts.ts"

const byPerson = [{ from: address }, { replyTo: address }]

const ofMessage = (change: Partial<MessageFacts> = {}): MessageFacts => ({
  message: message({ to: [address] }),
  deliveries: [delivery(ended)],
  attempts: [],
  idempotency: null,
  ...change
})

describe("eraseFromMessage", () => {
  it.each(byPerson)("keeps a message with %o until it has been sent to all", (written) => {
    const parts = (status: "queued" | "delivered", dueAt: number | null) =>
      ofMessage({
        message: message({ ...written, to: [address] }),
        deliveries: [delivery(ended), delivery({ ...toBob, status, dueAt })]
      })
    expect(eraseFromMessage(parts("queued", now), person)).toMatchObject({ changes: [], answer: { isUnderWay: true } })
    expect(rewrites(eraseFromMessage(parts("delivered", null), person).changes)[0]).toMatchObject([
      "Message",
      Object.fromEntries(Object.keys(written).map((field) => [field, erasedAddress]))
    ])
  })

  it("deletes a message that nobody else got, with all that belongs to it, and counts it as deleted", () => {
    const { changes, answer } = eraseFromMessage(
      ofMessage({ attempts: [attempt(), attempt({ number: 2 })], idempotency: idempotency() }),
      person
    )
    expect(rewrites(changes)).toEqual([
      ["Idempotency", null],
      ["Message", null],
      ["Delivery", null],
      ["Attempt", null],
      ["Attempt", null]
    ])
    expect(changes.filter(({ _tag }) => _tag === "AddToCounter")).toEqual([
      { _tag: "AddToCounter", projectId: project, name: "deletedCharged", by: 1, max: null },
      { _tag: "AddToCounter", projectId: project, name: "deletedDaily:2026-11-21", by: 1, max: null }
    ])
    expect(answer).toMatchObject({
      deleted: { Message: 1, Delivery: 1, Attempt: 2, Idempotency: 1 },
      isUnderWay: false
    })
  })

  it("keeps the idempotency record of another message under the same key", () => {
    const other = idempotency({ result: { ...idempotency().result, messageId: "msg_2" } })
    expect(eraseFromMessage(ofMessage({ idempotency: other }), person).answer.deleted.Idempotency).toBe(0)
  })

  it("replaces the person in a message that others got too, and keeps the status and the usage", () => {
    const shared = ofMessage({
      message: message({ to: [address, "bob@example.org"], html: `<p>${address}</p>`, metadata: { for: address } }),
      deliveries: [
        delivery({ ...ended, contactId: "con_ada", statusMessage: `ok <${address}>` }),
        delivery({ ...ended, ...toBob })
      ],
      attempts: [attempt({ statusMessage: `250 ${address}` }), attempt({ deliveryId: "del_2" })],
      idempotency: idempotency()
    })
    const { changes, answer } = eraseFromMessage(shared, person)
    expect(rewrites(changes)).toEqual([
      [
        "Message",
        message({
          to: [erasedAddress, "bob@example.org"],
          html: `<p>${erasedAddress}</p>`,
          metadata: { for: erasedAddress }
        })
      ],
      [
        "Delivery",
        delivery({ ...ended, recipient: erasedAddress, address: erasedAddress, statusMessage: `ok <${erasedAddress}>` })
      ],
      ["Attempt", attempt({ statusMessage: `250 ${erasedAddress}` })]
    ])
    expect(changes.filter(({ _tag }) => _tag !== "RewriteRecord")).toEqual([])
    expect(answer.redacted).toMatchObject({ Message: 1, Delivery: 1, Attempt: 1 })
  })

  it.each(["scheduled", "queued", "sending"] as const)(
    "changes nothing while a delivery to the person is %s",
    (status) => {
      const { changes, answer } = eraseFromMessage(ofMessage({ deliveries: [delivery({ status })] }), person)
      expect([changes, answer.isUnderWay]).toEqual([[], true])
    }
  )

  it("replaces the person while only the deliveries to others are under way", () => {
    const { answer } = eraseFromMessage(ofMessage({ deliveries: [delivery(ended), delivery(toBob)] }), person)
    expect(answer).toMatchObject({ isUnderWay: false, redacted: { Message: 1, Delivery: 1 } })
  })

  it("changes nothing when the message is gone", () => {
    expect(eraseFromMessage(ofMessage({ message: null }), person).changes).toEqual([])
  })
})
