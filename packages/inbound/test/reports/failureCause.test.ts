import { describe, expect, it } from "vitest"
import type { FailureFacts } from "../../src/reports/failureCause.ts"
import { failureCauseOf } from "../../src/reports/failureCause.ts"
import type { BounceCause } from "@mailkeep/core"
import { refusalTable } from "@mailkeep/core/adapter"

const facts = (given: Partial<FailureFacts>): FailureFacts => ({
  reportedEnhancedCode: null,
  remoteEnhancedCode: null,
  enhancedCode: given.remoteEnhancedCode ?? given.reportedEnhancedCode ?? null,
  smtpCode: null,
  command: null,
  diagnostic: "",
  diagnosticType: "smtp",
  category: null,
  recipient: "ada@example.org",
  standard: true,
  ...given
})

/** A report whose reply has both codes. */
const replied = (status: string, diagnostic = ""): FailureFacts =>
  facts({
    reportedEnhancedCode: status,
    remoteEnhancedCode: status,
    smtpCode: 550,
    diagnostic: `550 ${status} ${diagnostic}`
  })

/** A reply to `RCPT` without an enhanced code. */
const toRecipient = (diagnostic: string): FailureFacts =>
  facts({ reportedEnhancedCode: "5.0.0", smtpCode: 550, command: "rcpt", diagnostic: `550 ${diagnostic}` })

describe("failureCauseOf, by the code", () => {
  it.each<[string, BounceCause]>([
    ["5.1.1", "mailbox_unknown"],
    ["5.1.3", "mailbox_unknown"],
    ["5.1.6", "mailbox_unknown"],
    ["5.1.2", "domain_unknown"],
    ["5.1.10", "domain_unknown"],
    ["5.4.4", "domain_unknown"],
    ["5.0.0", "refused"],
    ["5.1.0", "refused"],
    ["5.1.7", "refused"],
    ["5.1.8", "refused"],
    ["5.2.0", "refused"],
    ["5.2.1", "refused"],
    ["5.2.2", "refused"],
    ["5.3.0", "refused"],
    ["5.3.4", "refused"],
    ["5.4.1", "refused"],
    ["5.4.6", "refused"],
    ["5.5.0", "refused"],
    ["5.7.1", "refused"]
  ])("gives the code %s the cause %s", (status, cause) => {
    expect(failureCauseOf(replied(status))).toBe(cause)
  })

  it.each<[Partial<FailureFacts>]>([
    [{ reportedEnhancedCode: "4.4.7" }],
    [{ reportedEnhancedCode: "5.4.7", smtpCode: 554, diagnostic: "554 5.4.7 delivery time expired" }],
    [{ reportedEnhancedCode: "5.0.0", remoteEnhancedCode: "5.4.7" }],
    [{ reportedEnhancedCode: "5.4.316", smtpCode: 550, diagnostic: "550 5.4.316 Message expired, connection refused" }],
    [{ reportedEnhancedCode: "4.0.0", smtpCode: 550, diagnostic: "550 no such user here", command: "rcpt" }],
    [{ reportedEnhancedCode: "5.0.0", remoteEnhancedCode: "4.2.2", enhancedCode: "4.2.2" }],
    [{ smtpCode: 450, remoteEnhancedCode: "5.1.1" }],
    // Courier gives no code to a host that it could not reach, and Haraka that of an unknown domain.
    [{ reportedEnhancedCode: "5.0.0", diagnosticType: null, diagnostic: "Network is unreachable" }],
    [{ reportedEnhancedCode: "5.0.0", diagnosticType: null, diagnostic: "No route to host" }],
    [{ reportedEnhancedCode: "5.1.2", smtpCode: 550, diagnostic: "550 Tried all MXs example.org" }]
  ])("decides that a delivery expired after temporary failures: %j", (given) => {
    expect(failureCauseOf(facts(given))).toBe("expired")
  })

  it("does not decide that a delivery expired because of a positive reply", () => {
    expect(failureCauseOf(facts({ reportedEnhancedCode: "5.0.0", smtpCode: 250, diagnostic: "250 Ok" }))).toBe(
      "refused"
    )
  })

  it("believes an unregistered code about the address only with a text about it", () => {
    expect(failureCauseOf(replied("5.1.351", "The remote server returned unknown recipient"))).toBe("mailbox_unknown")
    expect(failureCauseOf(replied("5.1.351", "The message is undeliverable"))).toBe("refused")
    expect(failureCauseOf(replied("5.1.351", "The account does not 550 5.1.351 exist"))).toBe("mailbox_unknown")
    expect(failureCauseOf(replied("5.4.310", "DNS domain a.example does not exist"))).toBe("domain_unknown")
    expect(failureCauseOf(replied("5.4.316", "The message is undeliverable"))).toBe("refused")
  })

  it("believes 5.1.1 that the reporter concluded from a bare reply only if the reply speaks of an unknown address", () => {
    const concluded = (code: number, text: string) =>
      failureCauseOf(facts({ reportedEnhancedCode: "5.1.1", smtpCode: code, diagnostic: `${code} ${text}` }))
    expect(concluded(550, "unknown user")).toBe("mailbox_unknown")
    expect(concluded(551, "not our user")).toBe("mailbox_unknown")
    expect(concluded(550, "Host unknown")).toBe("domain_unknown")
    expect(concluded(550, "Access denied")).toBe("refused")
    const noted = (diagnostic: string) =>
      failureCauseOf(facts({ reportedEnhancedCode: "5.1.1", diagnostic, diagnosticType: "x-notes" }))
    expect(noted("User Ada not listed in the directory")).toBe("mailbox_unknown")
    expect(noted("Cannot route mail to Ada")).toBe("refused")
  })

  it("decides for the code of the reporting system alone", () => {
    expect(failureCauseOf(facts({ reportedEnhancedCode: "5.1.1", diagnostic: "", diagnosticType: null }))).toBe(
      "mailbox_unknown"
    )
  })

  it("does not believe the exit code of a delivery program", () => {
    const given = { reportedEnhancedCode: "5.1.1", diagnosticType: "x-unix", diagnostic: "filter: no such user" }
    expect(failureCauseOf(facts(given))).toBe("refused")
  })

  it.each<[string, BounceCause]>([
    ["bad-mailbox", "mailbox_unknown"],
    ["bad-domain", "domain_unknown"],
    ["quota-issues", "refused"]
  ])("uses the bounce category %s of PowerMTA when the code says nothing", (category, cause) => {
    expect(failureCauseOf(facts({ reportedEnhancedCode: "5.0.0", smtpCode: 554, category }))).toBe(cause)
    expect(failureCauseOf({ ...replied("5.7.1"), category })).toBe("refused")
  })
})

describe("failureCauseOf, with a text that contradicts the code", () => {
  it.each([
    "ada@example.org - 192.0.2.1 has sent to too many recipients this hour",
    "You exceeded the hourly sending limit",
    "Mail from your host is blocked",
    "The sending address is on a blocklist",
    "rejected because of low reputation",
    "This looks like spam",
    "rejected by policy",
    "Unauthenticated mail is refused",
    "no PTR record",
    "Relaying denied",
    "unable to relay for this address",
    "mailbox of the user is full",
    "over quota",
    "the account is suspended",
    "User account disabled",
    "temporarily unavailable",
    "Please try again later",
    "refused due to recipient preferences",
    "Sender address rejected: domain does not exist",
    "IP address unknown",
    "mail loop detected"
  ])("does not believe 5.1.1 with %j", (text) => {
    expect(failureCauseOf(replied("5.1.1", text))).toBe("refused")
  })

  it.each([
    "<ada@example.org>: Recipient address rejected: User unknown in relay recipient table",
    "The account does not exist. See https://help.example/policy/spam?why=NoSuchUser",
    "<blocked@example.org>: user unknown",
    "550-5.1.1 The account that you tried to 550-5.1.1 reach does not exist"
  ])("believes 5.1.1 with %j", (text) => {
    expect(failureCauseOf(replied("5.1.1", text))).toBe("mailbox_unknown")
  })
})

describe("failureCauseOf, compared with a reply of the relay", () => {
  const unknown = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.1.351", "5.4.4", "5.4.310"]
  const others = ["5.0.0", "5.1.0", "5.2.1", "5.2.2", "5.3.4", "5.5.0", "5.7.1"]
  const texts = [
    "",
    "No such user here",
    "Host not found",
    "Requested action not taken: mailbox unavailable",
    "User account disabled",
    "The user receives mail at a rate that prevents more messages",
    "Blocked by policy"
  ]
  const cases = [...unknown, ...others].flatMap((code) => texts.map((text) => [code, text] as const))

  it.each(cases)("suppresses the address for the same refusals to RCPT as the core: %s %j", (enhancedCode, text) => {
    const cause = failureCauseOf({ ...replied(enhancedCode, text), command: "rcpt" })
    const reply = { stage: "rcpt", smtpCode: 550, enhancedCode, text } as const
    const row = refusalTable.find(({ matches }) => matches(reply))
    expect(row?.means.suppress).toBe(cause === "mailbox_unknown" || cause === "domain_unknown")
  })
})

describe("failureCauseOf, by the text", () => {
  it.each([
    "No such user here",
    "unknown user",
    "<ada@example.org>: User unknown",
    "Invalid recipient",
    "Mailbox not found",
    "This account does not exist",
    "The email address could not be found: address not found",
    "Recipient address unknown",
    "sorry, no mailbox here by that name",
    "This user doesn't have an example.org account",
    "unknown local part ada",
    "Requested action not taken: mailbox unavailable"
  ])("believes a reply to RCPT that says %j", (text) => {
    expect(failureCauseOf(toRecipient(text))).toBe("mailbox_unknown")
  })

  it.each([
    "Rejected",
    "Access denied",
    "Invalid IP address",
    "not a registered user of the gateway",
    "Nothing to see"
  ])("does not take %j for an unknown mailbox", (text) => {
    expect(failureCauseOf(toRecipient(text))).toBe("refused")
  })

  it.each<[Partial<FailureFacts>]>([
    [{ command: "data" }],
    [{ command: "mail" }],
    [{ command: "connect" }],
    [{ command: null }],
    [{ smtpCode: 554 }],
    [{ smtpCode: null }]
  ])("does not believe the same words elsewhere: %j", (given) => {
    expect(failureCauseOf({ ...toRecipient("unknown user"), ...given })).toBe("refused")
  })

  it.each([
    ["5.2.2", "552 1 Requested mail action aborted, mailbox not found"],
    ["5.0.0", "554 delivery error: dd This user doesn't have a yahoo.com account (ada@yahoo.example) [0]"],
    ["5.0.0", "550 Local mailbox ada@mail.example is unavailable: user not found"]
  ])("believes the words of a system that refuses a missing mailbox after the message: %s %j", (status, diagnostic) => {
    const given = facts({ reportedEnhancedCode: status, smtpCode: Number(diagnostic.slice(0, 3)), diagnostic })
    for (const command of ["rcpt", "data", null] as const)
      expect(failureCauseOf({ ...given, command })).toBe("mailbox_unknown")
    const others = [{ command: "mail" }, { remoteEnhancedCode: "5.7.1", enhancedCode: "5.7.1" }, { smtpCode: null }]
    for (const other of others) expect(failureCauseOf({ ...given, ...(other as object) })).toBe("refused")
  })

  it("believes a reply that names the recipient when a report lacks the status", () => {
    const given = { smtpCode: 550, diagnostic: "550 unknown user ada@example.org" }
    expect(failureCauseOf(facts(given))).toBe("mailbox_unknown")
    expect(failureCauseOf(facts({ ...given, standard: false }))).toBe("refused")
    expect(failureCauseOf(facts({ ...given, diagnostic: "550 unknown user" }))).toBe("refused")
    expect(failureCauseOf(facts({ ...given, reportedEnhancedCode: "5.0.0", enhancedCode: "5.0.0" }))).toBe("refused")
  })

  it("believes the local delivery agent of the reporting system", () => {
    expect(failureCauseOf(facts({ reportedEnhancedCode: "5.5.0", diagnostic: "mail.local: unknown user: ada" }))).toBe(
      "mailbox_unknown"
    )
  })

  it.each([
    "Host unknown",
    "Host or domain name not found",
    "No such domain",
    "Domain does not exist",
    "host mx.example.org not found",
    "Unrouteable address",
    "all relevant MX records point to non-existent hosts",
    "the domain is not reachable",
    "550 SMTPSEND.DNS.NonExistentDomain"
  ])("finds an unknown domain in %j", (diagnostic) => {
    expect(failureCauseOf(facts({ reportedEnhancedCode: "5.0.0", diagnostic }))).toBe("domain_unknown")
    expect(failureCauseOf(facts({ diagnostic, standard: false }))).toBe("domain_unknown")
  })

  it.each([
    "host mx.example.org[192.0.2.1] said: 550 user unknown",
    "Host not found, try again",
    "Sender domain does not exist",
    "Helo command rejected: Host not found",
    "Client host rejected: cannot find your hostname"
  ])("finds no unknown domain in %j", (diagnostic) => {
    expect(failureCauseOf(facts({ reportedEnhancedCode: "5.0.0", smtpCode: 550, diagnostic }))).toBe("refused")
  })

  it("finds no unknown domain in a reply to MAIL", () => {
    expect(
      failureCauseOf(facts({ reportedEnhancedCode: "5.0.0", command: "mail", diagnostic: "Domain not found" }))
    ).toBe("refused")
  })

  it("finds a host that takes no mail, whatever the code", () => {
    expect(failureCauseOf(replied("5.7.27", "Host does not accept mail"))).toBe("domain_unknown")
  })

  it.each([
    ["5.1.0", "x-postfix", "Domain example.org does not accept mail (nullMX)"],
    ["5.0.0", null, "ada@example.org an MX or SRV record indicated no SMTP service"]
  ])("finds the null MX of a domain in the text of a relay: %s, %s, %j", (reportedEnhancedCode, type, diagnostic) => {
    expect(failureCauseOf(facts({ reportedEnhancedCode, diagnosticType: type, diagnostic }))).toBe("domain_unknown")
  })

  it.each([
    "Host does not accept mail from dynamic addresses",
    "This host does not accept mail from domains whose servers do not answer",
    "Domain example.org does not accept email from outside of the company",
    "Sender address rejected: Domain acme.example does not accept mail (nullMX)"
  ])("finds a host that refuses only this sender in %j", (diagnostic) => {
    expect(failureCauseOf(replied("5.7.1", diagnostic))).toBe("refused")
  })

  it.each([
    "Could not deliver for the last 90000 seconds",
    "it has been in the queue too long",
    "Connection timed out",
    "delivery failed after 20 attempts",
    "connection refused",
    "retry timeout exceeded"
  ])("decides that a delivery without any code expired: %j", (diagnostic) => {
    expect(failureCauseOf(facts({ diagnostic, standard: false }))).toBe("expired")
    expect(failureCauseOf(facts({ reportedEnhancedCode: "5.0.0", diagnostic }))).toBe("expired")
  })
})
