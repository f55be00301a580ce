import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { DeliveryStatusReport, MailReports } from "../../src/reports/MailReport.ts"
import { readReports } from "../../src/reports/readReports.ts"
import { checkBounds } from "./reportBounds.ts"
import { bounceTypeOf, notification } from "./sampleMail.ts"
import type { RecipientFields } from "./sampleMail.ts"

/** Pieces of reports, in any order: they reach much more of the reader than random bytes do. */
const piece = fc.constantFrom(
  "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n",
  "Content-Type: multipart/mixed; boundary=c\r\n",
  "Content-Type: message/delivery-status\r\n",
  "Content-Type: message/feedback-report\r\n",
  "Content-Type: message/rfc822\r\n",
  "Content-Type: text/html\r\n",
  "Content-Transfer-Encoding: base64\r\n",
  "Content-Transfer-Encoding: quoted-printable\r\n",
  "From: MAILER-DAEMON <>\r\n",
  "X-Failed-Recipients: ada@example.org, bob@example.org\r\n",
  "Auto-Submitted: auto-replied\r\n",
  "Subject: Undelivered mail\r\n",
  "Feedback-Type: abuse\r\n",
  "Final-Recipient: rfc822; ada@example.org\r\n",
  "Original-Recipient: rfc822; bob@example.org\r\n",
  "Action: failed\r\n",
  "Action: delayed\r\n",
  "Status: 5.1.1\r\n",
  "Status: 4.4.7\r\n",
  "Diagnostic-Code: smtp; 550 5.1.1 unknown user\r\n",
  "<ada@example.org>: 550 5.1.1 unknown (in reply to RCPT TO command)\r\n",
  "Transcript of session follows\r\n",
  ">>> RCPT To:<ada@example.org>\r\n<<< 550 no such user\r\n",
  "--- Below this line is a copy of the message.\r\n",
  "--b\r\n",
  "--c\r\n",
  "--b--\r\n",
  "\r\n",
  "\r\n",
  " \r\n",
  "=",
  "\u0000",
  "é"
)
const pieces = fc.array(piece, { maxLength: 60 }).map((each) => new TextEncoder().encode(each.join("")))
const anyMail = fc.oneof(fc.uint8Array({ maxLength: 3000 }), pieces)

const mailbox = fc.integer({ min: 0, max: 999 }).map((number) => `user${number}@example.org`)
const outcome: fc.Arbitrary<RecipientFields> = fc.constantFrom(
  { Action: "failed", Status: "5.1.1", "Diagnostic-Code": "smtp; 550 5.1.1 unknown user" },
  { Action: "failed", Status: "5.2.2", "Diagnostic-Code": "smtp; 552 5.2.2 mailbox full" },
  { Action: "failed", Status: "4.4.7" },
  { Action: "delayed", Status: "4.2.0", "Diagnostic-Code": "smtp; 450 4.2.0 busy" },
  { Action: "delivered", Status: "2.0.0" }
)
const recipientFields = fc
  .uniqueArray(mailbox, { minLength: 1, maxLength: 8 })
  .chain((mailboxes) =>
    fc.tuple(
      ...mailboxes.map((address) =>
        outcome.map((fields): RecipientFields => ({ "Final-Recipient": `rfc822; ${address}`, ...fields }))
      )
    )
  )

const statusReports = ({ reports }: MailReports): ReadonlyArray<DeliveryStatusReport> =>
  reports.filter((report) => report._tag === "DeliveryStatus")

const byRecipient = (read: MailReports) =>
  statusReports(read).toSorted((one, other) => (String(one.recipient) < String(other.recipient) ? -1 : 1))

const text = (raw: Uint8Array) => new TextDecoder().decode(raw)
const bytes = (content: string) => new TextEncoder().encode(content)

describe("readReports", () => {
  it("returns a result within its bounds for any bytes", () => {
    fc.assert(
      fc.property(anyMail, fc.option(fc.constantFrom("", "ada@example.org")), (raw, envelopeSender) => {
        checkBounds(readReports(raw, { envelopeSender }))
      }),
      { numRuns: 3000 }
    )
  })

  it("returns the same for the same bytes and leaves them as they are", () => {
    fc.assert(
      fc.property(pieces, (raw) => {
        const copy = raw.slice()
        expect(readReports(raw)).toEqual(readReports(copy))
        expect(raw).toEqual(copy)
      }),
      { numRuns: 300 }
    )
  })

  it("reports each recipient as its fields say", () => {
    fc.assert(
      fc.property(recipientFields, (recipients) => {
        const reports = statusReports(readReports(notification({ recipients })))
        expect(reports.map(({ recipient, action }) => [`rfc822; ${recipient}`, action])).toEqual(
          recipients.map((fields) => [fields["Final-Recipient"], fields["Action"]])
        )
      })
    )
  })

  it("reports the same, in any order of the recipients and of their fields", () => {
    const shuffled = recipientFields.chain((recipients) =>
      fc.record({
        recipients: fc.constant(recipients),
        order: fc.shuffledSubarray([...recipients], { minLength: recipients.length }),
        fieldOrder: fc.shuffledSubarray(["Final-Recipient", "Action", "Status", "Diagnostic-Code"], { minLength: 4 })
      })
    )
    fc.assert(
      fc.property(shuffled, ({ recipients, order, fieldOrder }) => {
        const reordered = order.map((fields) =>
          Object.fromEntries(fieldOrder.flatMap((name) => (name in fields ? [[name, fields[name] ?? ""]] : [])))
        )
        expect(byRecipient(readReports(notification({ recipients: reordered })))).toEqual(
          byRecipient(readReports(notification({ recipients })))
        )
      })
    )
  })

  it("reports the same with other line ends and another case of the field names", () => {
    fc.assert(
      fc.property(recipientFields, (recipients) => {
        const raw = notification({ recipients })
        const read = readReports(raw)
        expect(readReports(bytes(text(raw).replaceAll("\r\n", "\n")))).toEqual(read)
        expect(readReports(bytes(text(raw).replaceAll(/^[A-Za-z-]+(?=:)/gm, (name) => name.toUpperCase())))).toEqual(
          read
        )
      })
    )
  })

  it("reports no other recipient and no harder bounce when the message is cut off", () => {
    fc.assert(
      fc.property(recipientFields, fc.double({ min: 0, max: 1, noNaN: true }), (recipients, part) => {
        const raw = notification({ recipients })
        const whole = new Map(statusReports(readReports(raw)).map((report) => [report.recipient, bounceTypeOf(report)]))
        const cut = readReports(raw.subarray(0, Math.floor(part * raw.length)))
        checkBounds(cut)
        for (const report of statusReports(cut).slice(0, -1))
          expect(bounceTypeOf(report)).toBe(whole.get(report.recipient))
        for (const report of statusReports(cut))
          if (bounceTypeOf(report) === "hard") expect([...whole.values()]).toContain("hard")
      }),
      { numRuns: 1000 }
    )
  })

  it("returns a result within its bounds when bytes of a report are changed", () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      byte: fc.integer({ min: 0, max: 255 })
    })
    fc.assert(
      fc.property(recipientFields, fc.array(change, { minLength: 1, maxLength: 20 }), (recipients, changes) => {
        const raw = notification({ recipients })
        for (const { at, byte } of changes) raw[Math.floor(at * raw.length)] = byte
        checkBounds(readReports(raw))
      }),
      { numRuns: 1000 }
    )
  })
})
