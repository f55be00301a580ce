/**
 * Compares a received message with the sample that was sent. Returns a sentence for each difference.
 */
import { createHash } from "node:crypto"
import { domainToASCII } from "node:url"
import { decodeWords } from "postal-mime"
import type { ParsedAddress, ParsedAttachment, ParsedMail } from "./peers/parsers.ts"
import type { SampleMail } from "./SampleMail.ts"

/** One kind of line end. Mail has only CRLF, so a message cannot keep another kind. */
const withLineFeeds = (text: string): string => text.replaceAll(/\r\n?/g, "\n")

/** A body that is sent without an encoding ends with a line end. */
const isSameBody = (sent: string, received: string | null): boolean => {
  if (received === null) return false
  const [one, other] = [withLineFeeds(sent), withLineFeeds(received)]
  return one === other || `${one}\n` === other
}

/** The address in one form: its domain in A-labels, and its local part without the quotes and backslashes that do not belong to it. */
const inOneForm = (address: string): string => {
  const at = address.lastIndexOf("@")
  const local = address.slice(0, at)
  const bare = /^".*"$/s.test(local) ? local.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : local
  return `${bare}@${domainToASCII(address.slice(at + 1))}`
}

/** nodemailer also writes the name of a file where RFC 2047 §5 forbids an encoded word. Old mail programs read it there, and no reader is misled. */
const isLegacyFileName = (defect: string): boolean =>
  /^InvalidHeaderDefect in Content-Type: (?:encoded word inside quoted string|missing trailing whitespace after encoded-word)$/.test(
    defect
  )

const textOfValue = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

const named = (addresses: ReadonlyArray<string>): ReadonlyArray<ParsedAddress> =>
  addresses.map((address) => ["", inOneForm(address)] as const)

const digest = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

const filesOf = ({ files }: SampleMail): ReadonlyArray<ParsedAttachment> =>
  files.map(({ filename, contentType, contentId, content }) => ({
    filename,
    contentType,
    contentId,
    disposition: contentId === null ? "attachment" : "inline",
    size: content.length,
    sha256: digest(content)
  }))

/**
 * The files in one order, also if two of them have the same name and content.
 * The names are compared decoded: postal-mime decodes an encoded word also in a name in the form of RFC 2231.
 */
const inOrder = (files: ReadonlyArray<ParsedAttachment>): ReadonlyArray<ParsedAttachment> =>
  files
    .map((file) => ({ ...file, filename: file.filename === null ? null : decodeWords(file.filename) }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

/** The differences between the sample, as its recipient must get it, and the message that a parser read. */
export const differences = (sample: SampleMail, recipient: string, mail: ParsedMail): ReadonlyArray<string> => {
  if (mail.error !== undefined) return [`the parser failed: ${mail.error}`]
  const found: Array<string> = []
  const same = (what: string, sent: unknown, received: unknown) => {
    if (JSON.stringify(sent) !== JSON.stringify(received))
      found.push(`${what}: sent ${textOfValue(sent)}, received ${textOfValue(received)}`)
  }
  const received = (list: ReadonlyArray<ParsedAddress>) =>
    list.map(([name, address]) => [name, inOneForm(address)] as const)
  same("from", [[sample.fromName ?? "", inOneForm(sample.from)]], received(mail.from))
  // With several recipients, each one sees only its own address.
  same("to", named(sample.to.length > 1 ? [recipient] : sample.to), received(mail.to))
  same("cc", named(sample.cc), received(mail.cc))
  same("reply-to", named(sample.replyTo === null ? [] : [sample.replyTo]), received(mail.replyTo))
  same("subject", sample.subject, mail.subject)
  if (sample.text !== null && !isSameBody(sample.text, mail.text)) same("text", sample.text, mail.text)
  if (sample.html !== null && !isSameBody(sample.html, mail.html)) same("html", sample.html, mail.html)
  if (sample.html === null && mail.html !== null) found.push("the message has html, but the sample has none")
  same("files", inOrder(filesOf(sample)), inOrder(mail.attachments))
  const values = new Map(mail.headers.map(([name, value]) => [name.toLowerCase(), value]))
  for (const [name, value] of Object.entries(sample.headers)) same(name, value, values.get(name.toLowerCase()))
  for (const defect of mail.defects) if (!isLegacyFileName(defect)) found.push(`the parser reports ${defect}`)
  return found
}
