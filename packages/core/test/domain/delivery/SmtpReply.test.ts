import { describe, expect, it } from "vitest"
import type { SmtpStage } from "../../../src/domain/delivery/SmtpReply.ts"
import { classifyRefusal, defersRecipient, shownReply } from "../../../src/domain/delivery/SmtpReply.ts"

const classified = (stage: SmtpStage, code: number | null, enhancedCode: string | null, text = "") =>
  classifyRefusal({ stage, smtpCode: code, enhancedCode, text })

describe("classifyRefusal", () => {
  it.each<[SmtpStage, number | null, string | null, string, string, boolean]>([
    ["connect", null, null, "", "TransportDeferred", false],
    ["greeting", 554, null, "go away", "TransportDeferred", false],
    ["auth", 454, null, "", "TransportDeferred", false],
    ["auth", 535, "5.7.8", "", "TransportDeferred", false],
    ["mail", 530, "5.7.0", "Must issue STARTTLS", "TransportDeferred", false],
    ["mail", 552, "5.3.4", "", "MessageRefused", false],
    ["mail", 550, "5.6.7", "", "MessageRefused", false],
    ["mail", 552, null, "Message size exceeds maximum permitted", "MessageRefused", false],
    ["mail", 552, "5.0.0", "", "MessageRefused", false],
    ["mail", 552, "5.7.1", "", "SenderRefused", false],
    // The reply of Courier.
    ["mail", 534, null, "SIZE=Message too big.", "MessageRefused", false],
    ["mail", 553, null, "The sender is refused", "SenderRefused", false],
    ["mail", 451, null, "", "TransportDeferred", false],
    ["mail", 550, "5.7.1", "", "SenderRefused", false],
    ["rcpt", 421, null, "", "TransportDeferred", false],
    ["rcpt", 450, "4.2.0", "greylisted", "TransportDeferred", false],
    ["rcpt", 552, null, "", "TransportDeferred", false],
    ["rcpt", 550, "5.1.1", "", "MailboxUnknown", true],
    ["rcpt", 550, "5.1.2", "", "MailboxUnknown", true],
    ["rcpt", 550, "5.1.3", "", "MailboxUnknown", true],
    ["rcpt", 550, "5.1.6", "", "MailboxUnknown", true],
    ["rcpt", 550, "5.1.10", "", "MailboxUnknown", true],
    ["rcpt", 550, "5.4.4", "", "MailboxUnknown", true],
    ["rcpt", 550, "5.1.351", "Remote server returned unknown recipient", "MailboxUnknown", true],
    ["rcpt", 550, "5.1.351", "The message is undeliverable", "RecipientBlocked", false],
    ["rcpt", 550, "5.5.0", "Requested action not taken: mailbox unavailable", "MailboxUnknown", true],
    ["rcpt", 550, "5.5.0", "", "MessageRefused", false],
    ["rcpt", 550, "5.0.0", "", "RecipientBlocked", false],
    ["rcpt", 550, "5.0.0", "No such user", "MailboxUnknown", true],
    ["endOfData", 550, "5.0.0", "No such user", "MessageRefused", false],
    // The mailbox exists.
    ["rcpt", 550, "5.2.1", "The user receives mail at a rate that prevents more messages", "RecipientBlocked", false],
    ["rcpt", 550, "5.2.1", "", "RecipientBlocked", false],
    ["rcpt", 550, null, "User account disabled", "RecipientBlocked", false],
    // Another cause in the text takes the certainty of a code away.
    ["rcpt", 550, "5.1.1", "Your IP address is on a blocklist", "RecipientBlocked", false],
    ["rcpt", 550, "5.1.7", "", "SenderRefused", false],
    ["rcpt", 552, "5.2.2", "", "TransportDeferred", false],
    ["rcpt", 554, "5.2.2", "", "RecipientBlocked", false],
    ["rcpt", 550, "5.7.1", "", "MessageRefused", false],
    ["rcpt", 550, null, "No such user here", "MailboxUnknown", true],
    ["rcpt", 550, null, "blocked", "RecipientBlocked", false],
    ["rcpt", 554, null, "policy", "MessageRefused", false],
    ["data", 554, null, "", "MessageRefused", false],
    ["endOfData", 451, null, "", "TransportDeferred", false],
    ["endOfData", 550, "5.1.1", "", "MailboxUnknown", true],
    ["endOfData", 554, "5.6.0", "", "MessageRefused", false],
    // Yahoo and mail.ru take any recipient, and say after the message that there is no such mailbox.
    ["endOfData", 552, null, "1 Requested mail action aborted, mailbox not found", "MailboxUnknown", true],
    ["rcpt", 552, null, "1 Requested mail action aborted, mailbox not found", "MailboxUnknown", true],
    ["endOfData", 554, null, "This user doesn't have a yahoo.com account (a@b.example)", "MailboxUnknown", true],
    ["endOfData", 550, null, "Local mailbox a@b.example is unavailable: user not found", "MailboxUnknown", true],
    ["endOfData", 550, null, "Local mailbox a@b.example is unavailable: account is disabled", "MessageRefused", false],
    ["endOfData", 552, null, "Requested mail action aborted: exceeded storage allocation", "MessageRefused", false],
    ["endOfData", 554, null, "Spam: this user doesn't have a yahoo.com account", "MessageRefused", false],
    ["endOfData", 554, "5.7.1", "This user doesn't have a yahoo.com account", "MessageRefused", false],
    ["endOfData", 452, null, "Requested mail action aborted, mailbox not found", "TransportDeferred", false],
    ["mail", 550, null, "Requested mail action aborted, mailbox not found", "SenderRefused", false],
    // The enhanced code counts only if its class agrees with the reply code.
    ["rcpt", 450, "5.1.1", "", "TransportDeferred", false],
    ["rcpt", 550, "4.1.1", "", "RecipientBlocked", false],
    // A code of another class contradicts the reply code, so the words are no proof.
    ["rcpt", 550, "4.1.1", "No such user", "RecipientBlocked", false],
    ["rcpt", 550, "2.0.0", "No such user", "RecipientBlocked", false],
    ["endOfData", 552, "4.0.0", "Requested mail action aborted, mailbox not found", "MessageRefused", false],
    // OpenSMTPD has the same reply for a recipient whose mail it may not pass on.
    ["rcpt", 550, null, "Invalid recipient: <ada@b.example>", "RecipientBlocked", false],
    ["rcpt", 550, "5.1.1", "Invalid recipient: <ada@b.example>", "MailboxUnknown", true],
    ["rcpt", 550, null, "Invalid recipient: there is no such user", "MailboxUnknown", true],
    ["rcpt", 550, null, "Invalid recipient <ada@b.example>", "MailboxUnknown", true],
    // The domain exists. The relay does not serve it.
    ["rcpt", 550, null, "No such domain at this location", "RecipientBlocked", false],
    ["rcpt", 550, null, "Unknown domain here", "RecipientBlocked", false],
    ["rcpt", 550, null, "No such domain", "MailboxUnknown", true]
  ])("classifies a refusal at %s with %s %s %j as %s", (stage, code, enhancedCode, text, trigger, suppress) => {
    expect(classified(stage, code, enhancedCode, text)).toMatchObject({ trigger, suppress })
  })

  it("attributes a refused greeting and a 421 reply to the relay, not to the recipient", () => {
    expect(classified("greeting", 554, null).relayFault).toBe(true)
    expect(classified("rcpt", 421, null).relayFault).toBe(true)
    expect(classified("auth", 535, "5.7.8").relayFault).toBe(true)
    expect(classified("rcpt", 450, null).relayFault).toBe(false)
  })

  it("shows a reply of the relay as one line of at most 1,000 characters", () => {
    const shown = shownReply({
      stage: "endOfData",
      smtpCode: 550,
      enhancedCode: null,
      text: `a\r\nb\u0007${"x".repeat(5000)}`
    })
    expect(shown).toHaveLength(1000)
    expect(shown.startsWith("a b x")).toBe(true)
  })
})

describe("defersRecipient", () => {
  it.each<[SmtpStage, number | null, string | null, boolean]>([
    ["rcpt", 450, null, true],
    ["rcpt", 450, "4.0.0", true],
    ["rcpt", 450, "4.2.0", true],
    ["rcpt", 450, "4.1.1", true],
    ["rcpt", null, "4.2.1", true],
    ["endOfData", 451, "4.2.0", true],
    // The enhanced code counts only if its class agrees with the reply code.
    ["rcpt", 450, "5.7.1", true],
    ["rcpt", 451, null, false],
    ["rcpt", 452, null, false],
    ["rcpt", 451, "4.0.0", false],
    ["rcpt", null, null, false],
    ["rcpt", 421, "4.2.1", false],
    ["rcpt", 454, "4.2.1", false],
    ["rcpt", 452, "4.2.2", false],
    ["rcpt", 552, "5.2.2", false],
    ["rcpt", 452, "4.3.1", false],
    ["rcpt", 450, "4.1.7", false],
    ["rcpt", 450, "4.1.8", false],
    ["rcpt", 450, "4.4.3", false],
    ["rcpt", 450, "4.5.3", false],
    ["rcpt", 450, "4.7.1", false],
    ["mail", 450, "4.2.0", false],
    ["data", 450, "4.2.0", false]
  ])("decides whether a refusal at %s with %s %s is about the recipient", (stage, smtpCode, enhancedCode, expected) => {
    expect(defersRecipient({ stage, smtpCode, enhancedCode, text: "" })).toBe(expected)
  })

  it("decides that a full mailbox is not about the recipient when only the text says so", () => {
    const defers = (enhancedCode: string | null, text: string) =>
      defersRecipient({ stage: "rcpt", smtpCode: 450, enhancedCode, text })
    expect(defers(null, "The mailbox is full")).toBe(false)
    expect(defers("4.0.0", "User's mailbox is over quota")).toBe(false)
    expect(defers("4.2.0", "Inbox full")).toBe(false)
    expect(defers("4.1.1", "The mailbox is full")).toBe(true)
    expect(defers(null, "The mailbox cannot be opened")).toBe(true)
  })
})
