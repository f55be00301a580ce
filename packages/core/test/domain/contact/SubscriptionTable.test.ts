import { describe, expect, it } from "vitest"
import { subscriptionStep } from "../../../src/domain/contact/SubscriptionTable.ts"

describe("the subscription table", () => {
  it.each([
    ["none", "ContactCreated", "subscribed", undefined],
    ["subscribed", "UnsubscribeRequested", "unsubscribed", "contact.unsubscribed"],
    ["unsubscribed", "UnsubscribeRequested", "unsubscribed", undefined],
    ["subscribed", "SubscribeRequested", "subscribed", undefined],
    ["unsubscribed", "SubscribeRequested", "subscribed", "contact.subscribed"],
    ["subscribed", "SuppressedAddressTaken", "unsubscribed", "contact.unsubscribed"],
    ["unsubscribed", "SuppressedAddressTaken", "unsubscribed", undefined]
  ] as const)("moves a subscription from %s on %s", (from, on, to, emits) => {
    expect(subscriptionStep(from, on)).toMatchObject({ to })
    expect(subscriptionStep(from, on)?.emits).toBe(emits)
  })

  it.each([
    ["none", "UnsubscribeRequested"],
    ["none", "SubscribeRequested"],
    ["none", "SuppressedAddressTaken"],
    ["subscribed", "ContactCreated"],
    ["unsubscribed", "ContactCreated"]
  ] as const)("has no transition from %s on %s", (from, on) => expect(subscriptionStep(from, on)).toBeUndefined())
})
