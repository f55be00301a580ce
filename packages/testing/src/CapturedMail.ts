/**
 * A mail that was handed over in a test.
 */
import type { OutgoingMessage } from "@mailkeep/core/adapter"
import type { CapturedMessage } from "mailkeep"
import { linksOf } from "./linksOf.ts"

/** A file of a captured mail. */
export interface CapturedAttachment {
  readonly filename: string
  /** Such as `application/pdf`. */
  readonly contentType: string
  /** The `Content-ID` without angle brackets, or `null`. */
  readonly contentId: string | null
  readonly disposition: "attachment" | "inline"
  /** In bytes. */
  readonly size: number
  readonly content: Uint8Array
}

/** A mail as the relay got it: one message to one recipient. */
export interface CapturedMail {
  /** The recipient of the envelope. A message to three addresses is captured three times. */
  readonly to: string
  /** The address of the sender, with its name: `Acme <hi@acme.example>`. */
  readonly from: string
  /** The address for answers, or `null` when it is that of the sender. */
  readonly replyTo: string | null
  /** The subject, decoded. */
  readonly subject: string
  /** The plain text, or `null` when the message has only html. */
  readonly text: string | null
  /** The html, or `null` when the message has only plain text. */
  readonly html: string | null
  /** The URLs of the html and then those of the text, in order, each once. */
  readonly links: ReadonlyArray<string>
  /** All header fields with names in lower case, such as `list-unsubscribe` or `message-id`. */
  readonly headers: Readonly<Record<string, string>>
  /** The files, in their order in the message. */
  readonly attachments: ReadonlyArray<CapturedAttachment>
  /** The id of the delivery, for `mail.deliveries.explain` and `mail.bounce`. */
  readonly deliveryId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The time of the hand-off, by the clock of the test mail. */
  readonly sentAt: Date
  /** The MIME message as SMTP would send it. */
  readonly source: () => Promise<string>
}

const mailboxText = ({ name, address }: OutgoingMessage["from"]): string =>
  name === null ? address : `${name} <${address}>`

const headersOf = ({ messageIdHeader, date, from, to, cc, replyTo, subject, headers }: OutgoingMessage) => ({
  "message-id": messageIdHeader,
  date: new Date(date).toUTCString().replace("GMT", "+0000"),
  from: mailboxText(from),
  to: to.join(", "),
  ...(cc.length === 0 ? {} : { cc: cc.join(", ") }),
  ...(replyTo === null ? {} : { "reply-to": replyTo }),
  subject,
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
})

/** The captured message as a test reads it. `contents` are the bytes of the files, in the order of the message. `source` makes the MIME message. */
export const toCapturedMail = (
  { deliveryId, attempt, envelope, message }: CapturedMessage,
  contents: ReadonlyArray<Uint8Array>,
  source: CapturedMail["source"],
  now: number
): CapturedMail => {
  const attachments = message.attachments.map(({ filename, contentType, contentId, disposition, size }, n) => ({
    filename,
    contentType,
    contentId,
    disposition,
    size,
    content: contents[n]!
  }))
  const { html, text, subject, replyTo, from } = message
  return {
    to: envelope.to,
    from: mailboxText(from),
    replyTo,
    subject,
    text,
    html,
    links: linksOf(html, text),
    headers: headersOf(message),
    attachments,
    deliveryId,
    attempt,
    sentAt: new Date(now),
    source
  }
}
