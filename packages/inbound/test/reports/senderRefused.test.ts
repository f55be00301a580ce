/**
 * Refusals of `RCPT` that are about the sender or about the right to write to a list. Many servers check the sender only then, and use the words of an
 * unknown mailbox for it.
 */
import { refusalTable } from "@mailkeep/core/adapter"
import { describe, expect, it } from "vitest"
import { failureCauseOf } from "../../src/reports/failureCause.ts"

const texts = [
  "could not verify sender: mailbox not found",
  "The sender does not exist: user unknown",
  "Unknown sender: no such user",
  "invalid return path: user unknown",
  "reverse-path: no such user",
  "Callback failed while verifying the sender; no such user here",
  "Callback setup failed while verifying <b+1@shop.example>; no such user here",
  "Envelope from address: unknown user",
  "From address unknown",
  "unknown host name in HELO",
  "You are not a known user of this list",
  "Unknown user: you must be a member to post",
  "not a valid user: only subscribers may post to this mailing list"
]

const causeOf = (text: string) =>
  failureCauseOf({
    reportedEnhancedCode: "5.0.0",
    remoteEnhancedCode: null,
    enhancedCode: "5.0.0",
    smtpCode: 550,
    command: "rcpt",
    diagnostic: `550 ${text}`,
    diagnosticType: "smtp",
    category: null,
    recipient: "ada@example.org",
    standard: true
  })

/** Whether the same reply of the relay suppresses the address. */
const suppresses = (text: string): boolean | undefined => {
  const reply = { stage: "rcpt", smtpCode: 550, enhancedCode: null, text } as const
  return refusalTable.find(({ matches }) => matches(reply))?.means.suppress
}

describe("failureCauseOf, for a refused sender", () => {
  it.each(texts)("does not take %j for an unknown mailbox, nor does the core", (text) => {
    expect(causeOf(text)).toBe("refused")
    expect(suppresses(text)).toBe(false)
  })

  it.each(["No such user on this server", "The user is not listed: user unknown", "Invalid recipient"])(
    "believes %j, which is about the recipient",
    (text) => {
      expect(causeOf(text)).toBe("mailbox_unknown")
      expect(suppresses(text)).toBe(true)
    }
  )
})
