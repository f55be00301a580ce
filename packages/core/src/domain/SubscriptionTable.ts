/**
 * The state machine of a contact's subscription status as data. Source: interface, Contact subscription status; decision 0012.
 */

export const emailStatuses = ["subscribed", "unsubscribed"] as const
export type EmailStatus = (typeof emailStatuses)[number]

export interface SubscriptionRow {
  readonly from: EmailStatus | "none"
  readonly on: "ContactCreated" | "UnsubscribeRequested" | "SubscribeRequested" | "SuppressedAddressTaken"
  readonly to: EmailStatus
  readonly emits?: "contact.unsubscribed" | "contact.subscribed"
  readonly source: string
}

export const subscriptionTable = [
  { from: "none", on: "ContactCreated", to: "subscribed", source: "interface, Contact subscription status, row 1" },
  {
    from: "subscribed",
    on: "UnsubscribeRequested",
    to: "unsubscribed",
    emits: "contact.unsubscribed",
    source: "interface, Contact subscription status, row 2"
  },
  { from: "unsubscribed", on: "UnsubscribeRequested", to: "unsubscribed", source: "decision 0012" },
  { from: "subscribed", on: "SubscribeRequested", to: "subscribed", source: "decision 0012" },
  {
    from: "unsubscribed",
    on: "SubscribeRequested",
    to: "subscribed",
    emits: "contact.subscribed",
    source: "interface, Contact subscription status, row 3"
  },
  {
    from: "subscribed",
    on: "SuppressedAddressTaken",
    to: "unsubscribed",
    emits: "contact.unsubscribed",
    source: "decision 0012: unsubscribed exactly while the address holds the reason"
  },
  { from: "unsubscribed", on: "SuppressedAddressTaken", to: "unsubscribed", source: "decision 0012" }
] as const satisfies ReadonlyArray<SubscriptionRow>

/** Returns the row for a status and a trigger. The table has a row for each pair that can occur. */
export const subscriptionStep = (
  from: SubscriptionRow["from"],
  on: SubscriptionRow["on"]
): SubscriptionRow | undefined =>
  (subscriptionTable as ReadonlyArray<SubscriptionRow>).find((row) => row.from === from && row.on === on)
