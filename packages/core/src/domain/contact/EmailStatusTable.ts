/**
 * The state machine of a contact's email status as data. Source: docs/spec/coverage.md S4; decision 0012.
 */

/** Every status of a contact. */
export const emailStatuses = ["subscribed", "unsubscribed"] as const
/** Whether a contact wants mail: `subscribed` or `unsubscribed`. */
export type EmailStatus = (typeof emailStatuses)[number]

/** One transition of the status of a contact, with its event. */
export interface EmailStatusRow {
  readonly from: EmailStatus | "none"
  readonly trigger: "ContactCreated" | "UnsubscribeRequested" | "SubscribeRequested" | "SuppressedAddressTaken"
  readonly to: EmailStatus
  readonly emits?: "contact.unsubscribed" | "contact.subscribed"
  readonly source: string
}

/** Every transition of the status of a contact. A contact makes no other. */
export const emailStatusTable = [
  { from: "none", trigger: "ContactCreated", to: "subscribed", source: "docs/spec/coverage.md S4.1" },
  {
    from: "none",
    trigger: "UnsubscribeRequested",
    to: "unsubscribed",
    emits: "contact.unsubscribed",
    source: "decision 0029 (an imported row that unsubscribes)"
  },
  {
    from: "none",
    trigger: "SuppressedAddressTaken",
    to: "unsubscribed",
    source: "decision 0029 (an import keeps the reason of an address)"
  },
  {
    from: "subscribed",
    trigger: "UnsubscribeRequested",
    to: "unsubscribed",
    emits: "contact.unsubscribed",
    source: "docs/spec/coverage.md S4.3"
  },
  { from: "unsubscribed", trigger: "UnsubscribeRequested", to: "unsubscribed", source: "decision 0012" },
  { from: "subscribed", trigger: "SubscribeRequested", to: "subscribed", source: "decision 0012" },
  {
    from: "unsubscribed",
    trigger: "SubscribeRequested",
    to: "subscribed",
    emits: "contact.subscribed",
    source: "docs/spec/coverage.md S4.4"
  },
  {
    from: "subscribed",
    trigger: "SuppressedAddressTaken",
    to: "unsubscribed",
    emits: "contact.unsubscribed",
    source: "decision 0012 (unsubscribed exactly while the address holds the reason)"
  },
  { from: "unsubscribed", trigger: "SuppressedAddressTaken", to: "unsubscribed", source: "decision 0012" }
] as const satisfies ReadonlyArray<EmailStatusRow>

/** Returns the row for a status and a trigger. The table has a row for each pair that can occur. */
export const emailStatusStep = (
  from: EmailStatusRow["from"],
  trigger: EmailStatusRow["trigger"]
): EmailStatusRow | undefined =>
  (emailStatusTable as ReadonlyArray<EmailStatusRow>).find((row) => row.from === from && row.trigger === trigger)
