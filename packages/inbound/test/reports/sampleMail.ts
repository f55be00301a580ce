/** Builds raw messages for the tests. All names and texts are made up. */
import type { DeliveryStatusReport } from "../../src/reports/MailReport.ts"

/** Joins lines as they are on the wire. */
export const mail = (...lines: ReadonlyArray<string>): Uint8Array => new TextEncoder().encode(lines.join("\r\n"))

/** One recipient of a notification, as its fields. */
export type RecipientFields = Readonly<Record<string, string>>

const fieldLines = (fields: RecipientFields): ReadonlyArray<string> =>
  Object.entries(fields).map(([name, value]) => `${name}: ${value}`)

/** What a notification consists of. */
export interface NotificationInput {
  readonly header?: ReadonlyArray<string>
  readonly explanation?: ReadonlyArray<string>
  readonly message?: RecipientFields
  readonly recipients: ReadonlyArray<RecipientFields>
  readonly returned?: ReadonlyArray<string>
}

const returnedMessage = [
  "Return-Path: <b+del_1.abc@shop.example>",
  "From: shop@shop.example",
  "To: ada@example.org",
  "Message-ID: <del_1@shop.example>",
  "Subject: Your order",
  "",
  "Thank you."
]

/** Returns a notification of three parts, as RFC 3464 describes it. */
export const notification = (input: NotificationInput): Uint8Array =>
  mail(
    "Return-Path: <>",
    "From: Mail Delivery System <mailer-daemon@mx.example.org>",
    "To: b+del_1.abc@shop.example",
    "Subject: Undelivered Mail Returned to Sender",
    ...(input.header ?? []),
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="frontier"',
    "",
    "--frontier",
    "Content-Type: text/plain; charset=us-ascii",
    "",
    ...(input.explanation ?? ["The message could not be delivered."]),
    "",
    "--frontier",
    "Content-Type: message/delivery-status",
    "",
    ...fieldLines(input.message ?? { "Reporting-MTA": "dns; mx.example.org" }),
    ...input.recipients.flatMap((fields) => ["", ...fieldLines(fields)]),
    "",
    "--frontier",
    "Content-Type: message/rfc822",
    "",
    ...(input.returned ?? returnedMessage),
    "--frontier--",
    ""
  )

/** Returns a bounce in free text. */
export const textMail = (header: ReadonlyArray<string>, body: ReadonlyArray<string>): Uint8Array =>
  mail(...header, "", ...body)

/** The header of a bounce from a mail system. */
export const daemonHeader = [
  "From: MAILER-DAEMON@mx.example.org",
  "To: b+del_1.abc@shop.example",
  "Subject: failure notice"
]

/** How providers name the bounce: `hard` if the mailbox or the domain does not exist, `soft` for any other cause. */
export const bounceTypeOf = ({ cause }: DeliveryStatusReport): "hard" | "soft" | null => {
  if (cause === null) return null
  return cause === "mailbox_unknown" || cause === "domain_unknown" ? "hard" : "soft"
}
