/**
 * Tests of the words of bounces in free text: what they quote of the returned message, how they say that they still try, and how they name a
 * recipient.
 */
import { describe, expect, it } from "vitest"
import type { BounceCause } from "@mailkeep/core"
import type { DeliveryAction, MailReport } from "../../src/reports/MailReport.ts"
import { readReports } from "../../src/reports/readReports.ts"
import { daemonHeader, textMail } from "./sampleMail.ts"

const returnedMessage = (subject: string) => [
  "",
  "--- Below this line is a copy of the message.",
  "",
  "To: ada@example.org",
  `Subject: ${subject}`,
  "",
  "Hello"
]

const statusOf = (report: MailReport | undefined) => {
  if (report?._tag !== "DeliveryStatus") return null
  return { recipient: report.recipient, action: report.action, cause: report.cause }
}

/** The only report of a bounce, or `null` if there is none. */
const read = (body: ReadonlyArray<string>, subject = "failure notice") => {
  const header = [...daemonHeader.filter((line) => !line.startsWith("Subject")), `Subject: ${subject}`]
  const { reports } = readReports(textMail([...header, "Content-Type: text/plain; charset=utf-8"], body))
  expect(reports.length).toBeLessThanOrEqual(1)
  return statusOf(reports[0])
}

const failed = (cause: BounceCause, recipient: string | null = "ada@example.org") => ({
  recipient,
  action: "failed" as DeliveryAction,
  cause
})

describe("readReports, for a bounce that quotes the subject of the message", () => {
  it.each(["Subject", "Betreff", "Objet", "件名"])("reads no code from a line with the label %s", (label) => {
    const body = [
      "Could not be delivered to ada@example.org",
      `  ${label}: Editor (5.1.1) is here`,
      "The mailbox is closed."
    ]
    expect(read(body)).toEqual(failed("refused"))
  })

  it("reads no reason from a subject in the middle of a line", () => {
    for (const label of ["Your message with Subject:", "The message subject was:"])
      expect(read([`${label} Use it for 30 days`, "could not be delivered to:", "ada@example.org"])).toEqual(
        failed("refused")
      )
  })

  it("reads the reason that is before the word subject", () => {
    expect(read(["Not delivered to ada@example.org", "550 5.1.1 not here, subject: Hello"])).toEqual(
      failed("mailbox_unknown")
    )
  })

  it("reads no code from a number after a word, such as a version", () => {
    expect(read(["Mail server 5.1.1 could not deliver to:", "ada@example.org: mailbox closed"])).toEqual(
      failed("refused")
    )
    expect(read(["ada@example.org: not delivered, as MailGuardFilter/5.1.1 has decided"])).toEqual(failed("refused"))
    expect(read(["Could not be delivered to ada@example.org", "Editor 5.1.1 has left the queue"])).toEqual(
      failed("refused")
    )
  })

  it.each([
    "Status 5.1.1 for this address",
    "The error code is:\n5.1.1 not here",
    "Reason for this failure\n\n  5.1.1 not here",
    "not here (#5.1.1)",
    "[5.1.1] not here",
    "not here; 5.1.1"
  ])("reads the code in %j", (line) => {
    expect(read(["Could not be delivered to ada@example.org", ...line.split("\n")])).toEqual(failed("mailbox_unknown"))
  })

  it("does not take the subject of the returned message for a reason, wherever the bounce quotes it", () => {
    const subject = "Use the editor for 30 days"
    const body = [
      "Could not be delivered to ada@example.org",
      `Your message was "${subject}".`,
      "The mailbox is closed."
    ]
    expect(read(body)).toEqual(failed("expired"))
    expect(read([...body, ...returnedMessage(subject)])).toEqual(failed("refused"))
  })

  it("reads the recipient although the subject of the returned message is the same address", () => {
    const body = ["Could not be delivered to <ada@example.org>", ...returnedMessage("ada@example.org")]
    expect(read(body)).toEqual(failed("refused"))
  })

  it("does not take the subject of the returned message for a delay", () => {
    const body = ["Your message could not be delivered to", "ada@example.org", "550 5.2.2 full"]
    expect(read(body, "Undeliverable: Your order is delayed")).toEqual(failed("refused"))
    const copy = returnedMessage("Your order is delayed")
    expect(read([...body, ...copy], "Bounce of Your order is delayed")).toEqual(failed("refused"))
    expect(read(body, "Delivery Status Notification: delayed")?.action).toBe("delayed")
  })
})

describe("readReports, for a text about a delivery that is still tried", () => {
  it.each([
    "Delivery attempts will continue to be made for 5 day(s).",
    "Further attempts will be made during the next 48 hours.",
    "Attempts to deliver the message will continue.",
    "The message is being retried.",
    "The system will try again automatically.",
    "The server will retry.",
    "We will keep on trying for 3 days.",
    "Delivery will be attempted again."
  ])("reads a delay in %j", (line) => {
    expect(read(["Could not be delivered to ada@example.org.", line])?.action).toBe("delayed")
  })

  it.each([
    "No further attempts will be made.",
    "No more attempts will be made.",
    "The system will not try again.",
    "Please try again later.",
    "The server will not retry."
  ])("reads no delay in %j", (line) => {
    expect(read(["Could not be delivered to ada@example.org.", line])?.action).toBe("failed")
  })
})

describe("readReports, for other forms of a bounce in free text", () => {
  it("reads a recipient behind the mark of a list", () => {
    for (const mark of ["--", "-", "•", "*", "–"])
      expect(
        read([
          "A message could not be delivered. The address is :",
          `${mark} ada@example.org`,
          `${mark} 550 5.1.1 not here`
        ])
      ).toEqual(failed("mailbox_unknown"))
  })

  it("reads the command that hMailServer sent", () => {
    const body = (command: string) => [
      "Your message did not reach the recipient.",
      "ada@example.org",
      `   hMailServer sent: ${command}`,
      "   Remote server replied: 550 User unknown"
    ]
    expect(read(body("RCPT TO:<ada@example.org>"))).toEqual(failed("mailbox_unknown"))
    expect(read(body("DATA"))).toEqual(failed("refused"))
  })

  it("reads a bounce in another language by the reply after the address", () => {
    expect(read(["配信できませんでした。", "<ada@example.org>: 550 5.1.1 not here"], "配信不能")).toEqual(
      failed("mailbox_unknown")
    )
  })

  it("reads no bounce in another language from a temporary reply, because the text may be about a delay", () => {
    expect(read(["配送が遅れています。", "<ada@example.org>: 421 busy"], "配送遅延")).toBeNull()
    expect(read(["配送が遅れています。", "<ada@example.org>", "451 4.7.1 busy"], "配送遅延")).toBeNull()
    expect(read(["Delivery failed.", "<ada@example.org>: 421 busy"])).toEqual(failed("expired"))
  })

  it("reads each cell of a table in HTML as a line of its own", () => {
    const cells = [
      "收件人",
      '<a href="mailto:ada@example.org">ada@example.org</a>',
      "退信原因",
      "550 5.1.1 Mailbox not found"
    ]
    const raw = textMail(
      ["From: postmaster@mx.example.org", "Subject: =?utf-8?B?6YCA5L+h?=", "Content-Type: text/html; charset=utf-8"],
      [`<table><tr><td>${cells.join("</td><td>")}</td></tr></table>`]
    )
    expect(readReports(raw).reports.map(statusOf)).toEqual([failed("mailbox_unknown")])
  })

  it("reports a final failure that names no recipient, and concludes nothing about the address", () => {
    expect(read(["I could not deliver your message.", "This is a permanent error; I've given up."])).toEqual(
      failed("refused", null)
    )
    expect(read(["退信原因：", "550 5.1.1 Mailbox not found"], "退信")).toEqual(failed("refused", null))
    expect(read(["I could not deliver your message for the last 3 days.", "I've given up."])).toEqual(
      failed("expired", null)
    )
    expect(read(["I could not deliver your message."])).toBeNull()
  })
})
