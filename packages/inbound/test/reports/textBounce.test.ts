import { describe, expect, it } from "vitest"
import type { DeliveryStatusReport, MailReport } from "../../src/reports/MailReport.ts"
import { readReports } from "../../src/reports/readReports.ts"
import { bounceTypeOf, daemonHeader, textMail } from "./sampleMail.ts"

const isStatus = (report: MailReport): report is DeliveryStatusReport => report._tag === "DeliveryStatus"

const statusOf = (raw: Uint8Array, envelopeSender: string | null = null) => {
  const { kind, reports } = readReports(raw, { envelopeSender })
  return { kind, reports: reports.filter(isStatus) }
}

/** Each recipient with its action and type. */
const summaryOf = (raw: Uint8Array, envelopeSender: string | null = null) =>
  statusOf(raw, envelopeSender).reports.map((report) => [report.recipient, report.action, bounceTypeOf(report)])

describe("readReports, for a bounce in free text", () => {
  it("reads a bounce whose encoded subject alone speaks of a failure", () => {
    const subject = Buffer.from("Undelivered mail: Grüße").toString("base64")
    const raw = textMail(
      ["From: MAILER-DAEMON@mx.example.org", "To: b+del_1.abc@shop.example", `Subject: =?utf-8?B?${subject}?=`],
      ["<ada@example.org>: 550 5.1.1 User unknown"]
    )
    expect(summaryOf(raw)).toEqual([["ada@example.org", "failed", "hard"]])
  })

  it.each<[string, ReadonlyArray<string>, ReadonlyArray<unknown>]>([
    [
      "of qmail",
      [
        "Hi. This is the qmail-send program at mx.example.org.",
        "I could not deliver your message to these addresses. I've given up.",
        "",
        "<ada@example.org>:",
        "192.0.2.1 does not like recipient.",
        "Remote host said: 550 No such user",
        "",
        "<bob@example.org>:",
        "The mailbox is full. (#5.2.2)",
        "",
        "--- Below this line is a copy of the message.",
        "",
        "Return-Path: <b+del_1.abc@shop.example>",
        "To: eve@example.org"
      ],
      [
        ["ada@example.org", "failed", "hard"],
        ["bob@example.org", "failed", "soft"]
      ]
    ],
    [
      "with an indented list",
      [
        "A message of yours could not be delivered to all of its recipients. The following addresses failed:",
        "",
        "  ada@example.org",
        "    host mx.example.org [192.0.2.1]",
        "    SMTP error from remote mail server after RCPT TO:<ada@example.org>:",
        "    550 unknown user",
        "  bob@example.net",
        "    Unrouteable address",
        "",
        "------ This is a copy of the message, including all the headers. ------",
        "To: eve@example.org"
      ],
      [
        ["ada@example.org", "failed", "hard"],
        ["bob@example.net", "failed", "hard"]
      ]
    ],
    [
      "with one sentence",
      ["Unable to deliver message to: <ada@example.org>", "Server mx failed with: 550 5.1.1 not here"],
      [["ada@example.org", "failed", "hard"]]
    ],
    [
      "with the reason before the address",
      ["The message could not be delivered because of", "550 5.1.1 no such mailbox", "", "ada@example.org"],
      [["ada@example.org", "failed", "hard"]]
    ],
    [
      "with the reason before the address and a remark after it",
      [
        "Could not be delivered because of 550 5.1.1 no such mailbox",
        "Recipients:",
        "  ada@example.org",
        "Ask us for help."
      ],
      [["ada@example.org", "failed", "hard"]]
    ],
    [
      "with the address and the reason on one line",
      ["An error occurred.", '"ada@example.org": 550 5.7.1 refused', "bob@example.org: Domain does not exist"],
      [
        ["ada@example.org", "failed", "soft"],
        ["bob@example.org", "failed", "hard"]
      ]
    ],
    [
      "of sendmail 5, which names the recipient last",
      [
        "   ----- Transcript of session follows -----",
        "While talking to one.example:",
        ">>> MAIL From:<b+del_1.abc@shop.example>",
        "<<< 550 Access denied",
        "554 <ada@one.example>... Remote protocol error",
        "While talking to two.example:",
        ">>> RCPT To:<bob@two.example>",
        "<<< 550 unknown user",
        "550 <bob@two.example>... User unknown",
        "",
        "   ----- Unsent message follows -----",
        "To: eve@example.org"
      ],
      [
        ["ada@one.example", "failed", "soft"],
        ["bob@two.example", "failed", "hard"]
      ]
    ],
    [
      "of sendmail 5 whose dialogue gives the reason",
      [
        "   ----- Transcript of session follows -----",
        "While talking to one.example:",
        "<<< 550 5.1.1 no such mailbox",
        "554 <ada@one.example>... Remote protocol error",
        "While talking to two.example:",
        "<<< 552 5.2.2 full",
        "554 <bob@two.example>... Remote protocol error"
      ],
      [
        ["ada@one.example", "failed", "hard"],
        ["bob@two.example", "failed", "soft"]
      ]
    ],
    [
      "of Exchange 5.5",
      [
        "Your message",
        "  To:      eve@example.org",
        "did not reach the following recipient(s):",
        "",
        "ada@example.org on Mon, 5 Jan 2004 10:00:00 +0100",
        "    The recipient name is not known",
        "    MSEXCH:IMS:Example:SITE:SERVER 0 (000C05A6) Unknown"
      ],
      [["ada@example.org", "failed", "hard"]]
    ],
    [
      "after the time in the queue",
      ["<ada@example.org>: could not be delivered for the last 400000 seconds. Giving up."],
      [["ada@example.org", "failed", "soft"]]
    ],
    [
      "that is only late",
      ["THIS IS A WARNING MESSAGE ONLY.", "Delivery to ada@example.org has been delayed. It will be retried."],
      [["ada@example.org", "delayed", null]]
    ],
    [
      "that is late and then final",
      ["Delivery to ada@example.org has been delayed for 3 days.", "Giving up: permanent failure."],
      [["ada@example.org", "failed", "soft"]]
    ],
    [
      "that names a mailbox behind a display name",
      ["Undeliverable:", "ada@example.org <bob@example.org>: malformed address"],
      [["bob@example.org", "failed", "soft"]]
    ]
  ])("reads a message %s", (_, body, expected) => {
    expect(statusOf(textMail(daemonHeader, body)).kind).toBe("delivery-status")
    expect(summaryOf(textMail(daemonHeader, body))).toEqual(expected)
  })

  it("marks reports as not standard and keeps the codes and the command", () => {
    const body = [
      "undeliverable",
      "<ada@example.org>:",
      "192.0.2.1 does not like recipient.",
      "Remote host said: 550 5.2.2 full"
    ]
    expect(statusOf(textMail(daemonHeader, body)).reports).toEqual([
      {
        _tag: "DeliveryStatus",
        recipient: "ada@example.org",
        originalRecipient: null,
        action: "failed",
        enhancedCode: "5.2.2",
        smtpCode: 550,
        command: "rcpt",
        diagnostic: "<ada@example.org>: 192.0.2.1 does not like recipient. Remote host said: 550 5.2.2 full",
        cause: "refused",
        standard: false
      }
    ])
  })

  it("believes X-Failed-Recipients about who failed", () => {
    const header = [
      ...daemonHeader,
      "X-Failed-Recipients: ada@example.org, bob@example.org",
      "Auto-Submitted: auto-replied"
    ]
    const body = ["Delivery failed.", "eve@example.org writes:", "ada@example.org", "  550 5.1.1 unknown user"]
    expect(summaryOf(textMail(header, body))).toEqual([
      ["ada@example.org", "failed", "hard"],
      ["bob@example.org", "failed", "soft"]
    ])
  })

  it("does not take its own sender or receiver for a failed recipient", () => {
    const body = ["undeliverable", "b+del_1.abc@shop.example: 550 5.1.1", "MAILER-DAEMON@mx.example.org: 550 5.1.1"]
    expect(statusOf(textMail(daemonHeader, body))).toEqual({ kind: "other", reports: [] })
  })

  it("reads no recipient from the returned message", () => {
    for (const separator of [
      "--- Below this line is a copy of the message.",
      "----- Original message -----",
      "Original message follows.",
      "Message headers follow.",
      "--- The header of the original message is following. ---",
      "   ----- Unsent message follows -----",
      "Content-Type: message/rfc822",
      "Received: from a by b"
    ]) {
      const body = [
        "undeliverable",
        "<ada@example.org>: 550 5.2.2 full",
        "",
        separator,
        "bob@example.org: 550 5.1.1 unknown user"
      ]
      expect(summaryOf(textMail(daemonHeader, body)), separator).toEqual([["ada@example.org", "failed", "soft"]])
    }
  })

  it.each<[string, ReadonlyArray<string>, string | null, boolean]>([
    ["a mailer daemon", ["From: mailer-daemon@x.example"], "x@x.example", true],
    ["a postmaster", ["From: Postmaster <post_master@x.example>"], "x@x.example", true],
    ["an empty address", ["From: MAILER-DAEMON <>"], null, true],
    ["the program MDaemon", ["From: MDaemon@x.example", "Precedence: bulk"], null, true],
    ["a mail system by its name", ["From: Mail Delivery System <noreply@x.example>"], null, true],
    ["the null sender of the envelope", ["From: noreply@x.example"], "", true],
    ["the null sender in the header", ["Return-Path: <>", "From: noreply@x.example"], null, true],
    [
      "the null sender with a mark of a reply",
      ["Return-Path: <>", "From: a@x.example", "Auto-Submitted: auto-replied"],
      "",
      false
    ],
    [
      "a name alone with a mark of a reply",
      ["From: System Administrator <a@x.example>", "Precedence: bulk"],
      null,
      false
    ],
    ["a person", ["From: Ada <a@x.example>"], "a@x.example", false]
  ])("decides whether %s is a mail system", (_, header, envelopeSender, isBounce) => {
    const raw = textMail([...header, "Subject: returned mail"], ["bob@example.org: 550 5.1.1 unknown user"])
    expect(statusOf(raw, envelopeSender).reports).toHaveLength(isBounce ? 1 : 0)
  })

  it("believes the null sender of a person only with a code or a subject that speaks of a failure", () => {
    const read = (from: string, subject: string, line: string) =>
      statusOf(textMail([`From: ${from}`, `Subject: ${subject}`], ["Your mail was not delivered.", line]), "").reports
    expect(read("a@x.example", "your order", "bob@example.org")).toEqual([])
    expect(read("a@x.example", "your order", "bob@example.org: 5.1.1 unknown user")).toHaveLength(1)
    expect(read("a@x.example", "Undeliverable: your order", "bob@example.org")).toHaveLength(1)
    expect(read("no-reply@x.example", "your order", "bob@example.org")).toHaveLength(1)
  })

  it("reads nothing from a mail system that does not speak of a failure", () => {
    const raw = textMail(["From: postmaster@x.example", "Subject: welcome"], ["bob@example.org has joined the list."])
    expect(statusOf(raw)).toEqual({ kind: "other", reports: [] })
  })
})
