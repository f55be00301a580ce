/**
 * Parses messages with two implementations of other authors, Python's `email` and postal-mime (JavaScript), to one form.
 */
import { createHash } from "node:crypto"
import type { Address } from "postal-mime"
import PostalMime, { decodeWords } from "postal-mime"
import { runPython } from "./pythonPeer.ts"
import type { Spool, SpooledMail } from "./Spool.ts"

export interface ParsedAttachment {
  readonly filename: string | null
  readonly contentType: string
  readonly contentId: string | null
  readonly disposition: string | null
  readonly size: number
  readonly sha256: string
}

/** A name and an address. The name is empty without one. */
export type ParsedAddress = readonly [name: string, address: string]

export interface ParsedMail {
  /** All header fields in their order, with decoded values. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly subject: string | null
  readonly from: ReadonlyArray<ParsedAddress>
  readonly to: ReadonlyArray<ParsedAddress>
  readonly cc: ReadonlyArray<ParsedAddress>
  readonly replyTo: ReadonlyArray<ParsedAddress>
  readonly text: string | null
  readonly html: string | null
  readonly attachments: ReadonlyArray<ParsedAttachment>
  /** What the parser found wrong with the form of the message. */
  readonly defects: ReadonlyArray<string>
  /** The message when the parser failed. */
  readonly error?: string
}

/** The messages as Python's `email` reads them. */
export const parsedByPython = (spool: Spool, mails: ReadonlyArray<SpooledMail>): Promise<ReadonlyArray<ParsedMail>> =>
  runPython<ParsedMail>("parseMail.py", spool, mails)

/** A group has no address of its own. */
const addresses = (list: ReadonlyArray<Address> | undefined): ReadonlyArray<ParsedAddress> =>
  (list ?? []).map(({ name, address }) => [name, address ?? ""] as const)

/** A message as postal-mime reads it. */
export const parsedByPostalMime = async (raw: Buffer): Promise<ParsedMail> => {
  const mail = await PostalMime.parse(raw, { attachmentEncoding: "arraybuffer" })
  return {
    headers: mail.headers.map(({ key, value }) => [key, decodeWords(value)] as const),
    subject: mail.subject ?? null,
    from: addresses(mail.from === undefined ? [] : [mail.from]),
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    replyTo: addresses(mail.replyTo),
    text: mail.text ?? null,
    html: mail.html ?? null,
    attachments: mail.attachments.map(({ filename, mimeType, contentId, disposition, content }) => {
      const bytes = Buffer.from(content as ArrayBuffer)
      return {
        filename,
        contentType: mimeType,
        contentId: contentId?.replace(/^<|>$/g, "") ?? null,
        disposition: disposition ?? null,
        size: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex")
      }
    }),
    defects: []
  }
}
