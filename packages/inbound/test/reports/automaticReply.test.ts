import { describe, expect, it } from "vitest"
import { readReports } from "../../src/reports/readReports.ts"
import { mail, textMail } from "./sampleMail.ts"

/** A body that speaks of failure like a bounce does. */
const misleading = [
  "ada@example.org: 550 5.1.1 User unknown",
  "Your message could not be delivered, I am away. My old address:",
  "ada@old.example: 550 5.1.1 User unknown"
]
const person = ["From: Ada <ada@example.org>", "To: b+del_1.abc@shop.example"]

describe("readReports, for an automatic reply", () => {
  it.each([
    ["Auto-Submitted: auto-replied"],
    ["Auto-Submitted: auto-replied (vacation)"],
    ["Auto-Submitted: auto-generated"],
    ["X-Autoreply: yes"],
    ["X-Autorespond: away"],
    ["Precedence: auto_reply"],
    ["Subject: Out of Office: your order"],
    ["Subject: Automatic reply: your order"],
    ["Subject: Automatische Antwort: Bestellung"],
    ["Subject: Abwesenheitsnotiz"],
    ["Subject: =?utf-8?Q?R=C3=A9ponse_automatique_:_commande?="],
    ["Subject: =?iso-8859-1?Q?R=E9ponse?=\r\n =?iso-8859-1?Q?_automatique?="],
    ["Subject: =?UTF-8?B?QXV0b21hdGljIHJlcGx5OiBHcsO8w59l?="],
    ["Subject: Re: autoreply"]
  ])("reports nothing for a message with %j", (line) => {
    for (const envelopeSender of ["", "ada@example.org"])
      expect(readReports(textMail(["Return-Path: <>", ...person, line], misleading), { envelopeSender })).toMatchObject(
        {
          kind: "automatic-reply",
          reports: []
        }
      )
  })

  it("reports nothing for a reply with an encoded subject that names somebody else", () => {
    const raw = textMail(
      [...person, "Subject: =?utf-8?Q?R=C3=A9ponse_automatique_:_commande?="],
      ["I have left the company, so your message could not be delivered to me. Write to", "bob@example.org"]
    )
    expect(readReports(raw, { envelopeSender: "" })).toMatchObject({ kind: "automatic-reply", reports: [] })
  })

  it("reports nothing for a vacation reply of a postmaster", () => {
    const raw = textMail(
      ["From: postmaster@example.org", "Subject: Out of office", "Auto-Submitted: auto-replied"],
      misleading
    )
    expect(readReports(raw).kind).toBe("automatic-reply")
  })

  it.each([
    ["Re: your order", ["I have left the company. Mail to me is not delivered any more. Write to", "bob@example.org"]],
    ["your order", ["Mail to this mailbox could not be delivered to a person. Call:", "<bob@example.org> 555 12 34"]]
  ])("reports nothing for a reply without a mark and with the null sender: %s", (subject, body) => {
    const raw = textMail([...person, `Subject: ${subject}`], body)
    expect(readReports(raw, { envelopeSender: "" })).toMatchObject({ kind: "other", reports: [] })
  })

  it.each([["Auto-Submitted: no"], ["Subject: Re: your order"], ["Subject: automatic door"]])(
    "does not take a message with %j for an automatic reply",
    (line) => {
      expect(readReports(textMail([...person, line], ["Hello."]), { envelopeSender: "ada@example.org" }).kind).toBe(
        "other"
      )
    }
  )

  it("reports nothing for a person who quotes a bounce", () => {
    const raw = textMail([...person, "Subject: Re: failure notice"], misleading)
    expect(readReports(raw, { envelopeSender: "ada@example.org" })).toMatchObject({ kind: "other", reports: [] })
  })
})

describe("readReports, for a disposition notification", () => {
  it.each([
    ["multipart/report; report-type=disposition-notification", "message/disposition-notification"],
    ["multipart/mixed", "message/disposition-notification"],
    ["multipart/report; report-type=Disposition-Notification", "text/plain"]
  ])("reports nothing for %s with %s", (type, partType) => {
    const raw = mail(
      "From: Ada <ada@example.org>",
      "Subject: Read: your order",
      `Content-Type: ${type}; boundary=b`,
      "",
      "--b",
      `Content-Type: ${partType}`,
      "",
      "Final-Recipient: rfc822; ada@example.org",
      "Disposition: automatic-action/MDN-sent-automatically; deleted",
      "--b--"
    )
    expect(readReports(raw, { envelopeSender: "" })).toMatchObject({ kind: "disposition", reports: [] })
  })
})
