/**
 * What must become of the mail for each kind of problem that Postfix reports. Source: decision 0040.
 */
import type { BounceType, SuppressionReason } from "@mailkeep/core"
import { foreignDomain, fullDomain, mailboxDomain, refusingDomain, slowDomain } from "../peers/postfixConfig.ts"

/** A recipient whose mail bounces, and what follows. */
export interface ExpectedBounce {
  readonly problem: string
  readonly recipient: (number: number) => string
  /** The enhanced code in Postfix's report. */
  readonly enhancedCode: string
  readonly status: "accepted" | "bounced"
  readonly reason: string | null
  readonly bounceType: BounceType | null
  readonly suppression: SuppressionReason | null
}

const bounced = { status: "bounced" } as const

export const expectedBounces: ReadonlyArray<ExpectedBounce> = [
  {
    problem: "the relay's own mailbox does not exist",
    recipient: (number) => `nobody${number}@${mailboxDomain}`,
    enhancedCode: "5.1.1",
    ...bounced,
    reason: "hard_bounce",
    bounceType: "hard",
    suppression: "hard_bounce"
  },
  {
    problem: "the next server knows no such mailbox",
    recipient: (number) => `nobody${number}@${refusingDomain}`,
    enhancedCode: "5.1.1",
    ...bounced,
    reason: "hard_bounce",
    bounceType: "hard",
    suppression: "hard_bounce"
  },
  {
    problem: "the relay's own mailbox is full",
    recipient: () => `full@${mailboxDomain}`,
    enhancedCode: "5.2.2",
    ...bounced,
    reason: "recipient_blocked",
    bounceType: "soft",
    suppression: null
  },
  {
    problem: "the next server reports a full mailbox until the relay stops trying",
    recipient: (number) => `ada${number}@${fullDomain}`,
    enhancedCode: "4.2.2",
    ...bounced,
    reason: "recipient_blocked",
    bounceType: "soft",
    suppression: null
  },
  {
    problem: "the next server has a temporary problem until the relay stops trying",
    recipient: (number) => `ada${number}@${slowDomain}`,
    enhancedCode: "4.3.0",
    ...bounced,
    reason: "temporary_failure",
    bounceType: "soft",
    suppression: "temporary_failure"
  },
  {
    problem: "the next server refuses to relay",
    recipient: (number) => `ada${number}@${foreignDomain}`,
    enhancedCode: "5.7.1",
    ...bounced,
    reason: "message_blocked",
    bounceType: "hard",
    suppression: null
  },
  {
    problem: "none",
    recipient: (number) => `ada${number}@good.test`,
    enhancedCode: "2.0.0",
    status: "accepted",
    reason: null,
    bounceType: null,
    suppression: null
  }
]
