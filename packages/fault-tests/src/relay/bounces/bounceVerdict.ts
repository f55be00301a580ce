/**
 * Compares what the core shows of a delivery with what must follow from Postfix's report.
 */
import type { ExpectedBounce } from "./expectedBounces.ts"

/** What the core shows of one delivery. */
export interface ShownDelivery {
  readonly recipient: string
  readonly status: string
  readonly reason: string | null
  readonly bounceType: string | null
  /** The reason for which the recipient is suppressed. */
  readonly suppression: string | null
  /** The events of the delivery, oldest first. `enhancedCode` is that of the bounce. */
  readonly events: ReadonlyArray<{ readonly kind: string; readonly enhancedCode: string | null }>
}

/** What is wrong with one delivery. */
export const wrongBounce = (expected: ExpectedBounce, shown: ShownDelivery): ReadonlyArray<string> => {
  const found: Array<string> = []
  const same = (what: string, wanted: unknown, actual: unknown) => {
    if (wanted !== actual)
      found.push(`${shown.recipient} (${expected.problem}): ${what} is ${String(actual)}, not ${String(wanted)}`)
  }
  same("the status", expected.status, shown.status)
  same("the reason", expected.reason, shown.reason)
  same("the bounce type", expected.bounceType, shown.bounceType)
  same("the suppression", expected.suppression, shown.suppression)
  const kinds = expected.status === "accepted" ? "email.accepted" : "email.accepted, email.bounced"
  same("the list of events", kinds, shown.events.map(({ kind }) => kind).join(", "))
  for (const { kind, enhancedCode } of shown.events)
    if (kind === "email.bounced") same("the enhanced code of the event", expected.enhancedCode, enhancedCode)
  return found
}
