import { describe, expect, it } from "vitest"
import { emailStatusStep } from "../../../src/domain/contact/EmailStatusTable.ts"

describe("the table of the email status", () => {
  it.each([
    ["none", "ContactCreated", "subscribed", undefined],
    ["none", "UnsubscribeRequested", "unsubscribed", "contact.unsubscribed"],
    ["none", "SuppressedAddressTaken", "unsubscribed", undefined],
    ["subscribed", "UnsubscribeRequested", "unsubscribed", "contact.unsubscribed"],
    ["unsubscribed", "UnsubscribeRequested", "unsubscribed", undefined],
    ["subscribed", "SubscribeRequested", "subscribed", undefined],
    ["unsubscribed", "SubscribeRequested", "subscribed", "contact.subscribed"],
    ["subscribed", "SuppressedAddressTaken", "unsubscribed", "contact.unsubscribed"],
    ["unsubscribed", "SuppressedAddressTaken", "unsubscribed", undefined]
  ] as const)("moves an email status from %s on %s", (from, on, to, emits) => {
    expect(emailStatusStep(from, on)).toMatchObject({ to })
    expect(emailStatusStep(from, on)?.emits).toBe(emits)
  })

  it.each([
    ["none", "SubscribeRequested"],
    ["subscribed", "ContactCreated"],
    ["unsubscribed", "ContactCreated"]
  ] as const)("has no transition from %s on %s", (from, on) => expect(emailStatusStep(from, on)).toBeUndefined())
})
