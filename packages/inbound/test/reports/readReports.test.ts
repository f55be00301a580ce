import { describe, expect, it } from "vitest"
import { readReports } from "../../src/reports/readReports.ts"
import { daemonHeader, mail, notification, textMail } from "./sampleMail.ts"

const unknownAda = { "Final-Recipient": "rfc822; ada@example.org", Action: "failed", Status: "5.1.1" }

describe("readReports, for a delivery status notification", () => {
  it("reads the recipients and the facts that may name the delivery", () => {
    const raw = notification({
      header: ["Delivered-To: b+del_1.abc@shop.example", "In-Reply-To: <del_1@shop.example>"],
      message: { "Reporting-MTA": "dns; mx.example.org", "Original-Envelope-Id": "del_1" },
      recipients: [unknownAda, { "Final-Recipient": "rfc822; bob@example.org", Action: "delayed", Status: "4.2.2" }]
    })
    const { kind, reports, correlation } = readReports(raw)
    expect(kind).toBe("delivery-status")
    expect(reports).toMatchObject([
      { recipient: "ada@example.org", action: "failed", cause: "mailbox_unknown", standard: true },
      { recipient: "bob@example.org", action: "delayed", cause: null, standard: true }
    ])
    expect(correlation).toEqual({
      returnPaths: ["b+del_1.abc@shop.example"],
      envelopeId: "del_1",
      messageIds: ["<del_1@shop.example>"]
    })
  })

  it("takes the refused command from the text for people", () => {
    const fields = { ...unknownAda, Status: "5.0.0", "Diagnostic-Code": "smtp; 550 unknown user" }
    const explained = (command: string) =>
      readReports(
        notification({
          explanation: [`<ada@example.org>: 550 unknown user (in reply to ${command} command)`],
          recipients: [fields]
        })
      )
    expect(explained("RCPT TO").reports).toMatchObject([{ command: "rcpt", cause: "mailbox_unknown" }])
    expect(explained("end of DATA").reports).toMatchObject([{ command: "data", cause: "refused" }])
  })

  it("takes the diagnostic from the transcript if the fields have none", () => {
    const explanation = [
      "   ----- Transcript of session follows -----",
      "554 <ada@example.org>... 550 5.2.2 mailbox full"
    ]
    const raw = notification({ explanation, recipients: [{ ...unknownAda, Status: "5.0.0" }] })
    expect(readReports(raw).reports).toMatchObject([{ enhancedCode: "5.2.2", cause: "refused" }])
  })

  it("is a report whatever the message says about itself", () => {
    for (const line of ["Auto-Submitted: auto-replied", "Auto-Submitted: auto-generated", "Precedence: bulk"])
      expect(readReports(notification({ header: [line], recipients: [unknownAda] })).kind).toBe("delivery-status")
  })

  it("reads no report from the returned message", () => {
    const returned = [
      "Content-Type: message/delivery-status",
      "",
      "Final-Recipient: rfc822; eve@example.org",
      "Action: failed",
      "Status: 5.1.1"
    ]
    const reports = readReports(notification({ recipients: [unknownAda], returned })).reports
    expect(reports).toMatchObject([{ recipient: "ada@example.org" }])
    expect(readReports(notification({ recipients: [], returned, explanation: ["Nothing."] }))).toMatchObject({
      kind: "other",
      reports: []
    })
  })

  it("reads nothing from a text after the returned message", () => {
    const raw = mail(
      ...daemonHeader,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "",
      "<ada@example.org>: 550 5.2.2 undeliverable",
      "--b",
      "Content-Type: message/rfc822",
      "",
      "Subject: Your order",
      "--b",
      "",
      "<eve@example.org>: 550 5.1.1 unknown user",
      "--b--"
    )
    expect(readReports(raw).reports).toMatchObject([{ recipient: "ada@example.org" }])
    expect(readReports(raw).reports).toHaveLength(1)
  })

  it("reads at most 100 recipients of all status parts together", () => {
    const part = (name: string) => [
      "--b",
      "Content-Type: message/delivery-status",
      ...Array.from(
        { length: 80 },
        (_, index) => `\r\nFinal-Recipient: rfc822; ${name}${index}@b.example\r\nAction: failed`
      )
    ]
    const raw = mail("Content-Type: multipart/report; boundary=b", "", ...part("a"), ...part("c"), "--b--")
    expect(readReports(raw).reports).toHaveLength(100)
  })

  it("does not repeat the fields of a broken report as its diagnostic", () => {
    const fields = ["Final-Recipient: rfc822; ada@example.org", "Action: failed", "Status: 5.4.1"]
    const raw = textMail(daemonHeader, ["Not delivered.", "", ...fields])
    expect(readReports(raw).reports).toMatchObject([{ recipient: "ada@example.org", diagnostic: "" }])
  })

  it("reads the fields of a report whose parts are broken", () => {
    const body = ["Not delivered.", "", "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mx", ""]
    const fields = Object.entries(unknownAda).map(([name, value]) => `${name}: ${value}`)
    const raw = textMail(daemonHeader, [...body, ...fields])
    expect(readReports(raw).reports).toMatchObject([
      { recipient: "ada@example.org", cause: "mailbox_unknown", standard: true }
    ])
    const declared = "Content-Type: multipart/report; report-type=delivery-status; boundary=other"
    expect(readReports(textMail([declared], [...body, ...fields])).reports).toMatchObject([
      { recipient: "ada@example.org" }
    ])
  })

  it("does not believe the fields in the text of a person", () => {
    const fields = Object.entries(unknownAda).map(([name, value]) => `${name}: ${value}`)
    const raw = textMail(["From: Ada <ada@example.org>", "Subject: what is this?"], ["I got:", "", ...fields])
    expect(readReports(raw, { envelopeSender: "ada@example.org" })).toMatchObject({ kind: "other", reports: [] })
  })

  it("reads a notification that a gateway wraps, as a part or as text, but only one level deep", () => {
    const inner = new TextDecoder().decode(notification({ recipients: [unknownAda] }))
    const wrap = (content: string) =>
      new TextDecoder().decode(
        mail(
          ...daemonHeader,
          "Content-Type: multipart/mixed; boundary=w",
          "",
          "--w",
          "",
          "See below.",
          "--w",
          "Content-Type: message/rfc822",
          "",
          content,
          "--w--"
        )
      )
    const bytes = (text: string) => new TextEncoder().encode(text)
    expect(readReports(bytes(wrap(inner))).reports).toMatchObject([{ recipient: "ada@example.org" }])
    expect(readReports(bytes(wrap(wrap(inner)))).reports).toEqual([])
    const emptyOuter = notification({
      recipients: [],
      explanation: ["Nothing."],
      returned: inner.replaceAll("frontier", "other").split("\r\n")
    })
    expect(readReports(emptyOuter).reports).toEqual([])
    const asText = textMail(daemonHeader, ["We received this:", "", inner])
    expect(readReports(asText).reports).toMatchObject([{ recipient: "ada@example.org" }])
  })

  it("does not look into the returned message of a bounce in free text", () => {
    const inner = new TextDecoder().decode(
      notification({ recipients: [{ ...unknownAda, "Final-Recipient": "rfc822; eve@example.org" }] })
    )
    const raw = textMail(daemonHeader, [
      "<ada@example.org>: 550 5.2.2 undeliverable",
      "",
      "----- Original message -----",
      "",
      inner
    ])
    expect(readReports(raw).reports).toMatchObject([{ recipient: "ada@example.org", cause: "refused" }])
  })

  it("reads an internationalized notification", () => {
    const raw = new TextDecoder()
      .decode(notification({ recipients: [{ ...unknownAda, "Final-Recipient": "utf-8; jürgen@example.org" }] }))
      .replace("message/delivery-status", "message/global-delivery-status")
    expect(readReports(new TextEncoder().encode(raw)).reports).toMatchObject([{ recipient: "jürgen@example.org" }])
  })
})

describe("readReports, for anything else", () => {
  it.each([
    ["an empty message", ""],
    ["a header alone", "Subject: x"],
    ["a text", "From: Ada <ada@example.org>\r\n\r\nHello"],
    ["binary content", "\u0000\u0001\u00ff".repeat(100)]
  ])("reports nothing for %s", (_, text) => {
    expect(readReports(new TextEncoder().encode(text))).toMatchObject({ kind: "other", reports: [] })
  })

  it("keeps at most 20 addresses and 20 message ids that hint at the delivery", () => {
    const addresses = Array.from({ length: 50 }, (_, index) => `a${index}@b.example`)
    const ids = Array.from({ length: 50 }, (_, index) => `<${index}@b.example>`)
    const { correlation } = readReports(mail(`To: ${addresses.join(", ")}`, `In-Reply-To: ${ids.join(" ")}`, "", "x"))
    expect(correlation.returnPaths).toHaveLength(20)
    expect(correlation.messageIds).toHaveLength(20)
  })
})
