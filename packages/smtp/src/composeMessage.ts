/**
 * Makes the MIME message of a hand-off by nodemailer's composer (RFC 5322, RFC 2045 to 2047, RFC 2231). The same message always has the same bytes:
 * its boundaries come from its content, and nothing comes from a clock or from chance.
 */
import { hash } from "node:crypto"
import { Readable } from "node:stream"
import type { OutgoingAttachment, OutgoingMessage } from "@mailkeep/core/adapter"
import { calendarMethodOf, isNamedField, isStructuredField, toFileType } from "@mailkeep/core/adapter"
import MailComposer from "nodemailer/lib/mail-composer"
import type { MailComposerAlternative, MailComposerAttachment } from "nodemailer/lib/mail-composer"
import { encodeWord } from "nodemailer/lib/mime-funcs"
import type MimeNode from "nodemailer/lib/mime-node"
import { textAlternativeOf } from "./textAlternative.ts"

/** The bytes of an attachment cannot be read now. */
export class AttachmentUnreadable extends Error {
  override readonly name = "AttachmentUnreadable"
}

/** The message can never become a MIME message. The reason contains no content. */
export class MessageNotComposable extends Error {
  override readonly name = "MessageNotComposable"
}

/** Writes all line breaks as CR LF, so that the composer, the signature and the relay see the same lines (RFC 5322 §2.3). */
const withCrLf = (text: string): string => text.replace(/\r\n|\r|\n/g, "\r\n")

/** Reads an attachment, and fails when it has another size than the message says. */
async function* bytesOf({ read, size }: OutgoingAttachment): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const piece of read()) {
      bytes += piece.length
      if (bytes > size) break
      yield piece
    }
  } catch (cause) {
    throw new AttachmentUnreadable("An attachment could not be read.", { cause })
  }
  if (bytes !== size) throw new AttachmentUnreadable("An attachment does not have its size.")
}

/** The type of the copy of an invitation that is a file. It has no method, so that no reader sees two invitations. */
const calendarFileType = "application/ics"

/** A message or a multipart may not be encoded (RFC 2046 §5.2.1), but only an encoded file keeps its bytes. It is sent as a plain file. */
const mediaTypeOf = (contentType: string): string =>
  calendarMethodOf(contentType) === undefined
    ? (toFileType(contentType) ?? "application/octet-stream")
    : calendarFileType

const contentOf = (attachment: OutgoingAttachment) => ({
  contentTransferEncoding: "base64",
  content: Readable.from(bytesOf(attachment), { objectMode: false })
})

/** A mail program shows an invitation only where it looks for other forms of the text. */
const invitationOf = (attachment: OutgoingAttachment): ReadonlyArray<MailComposerAlternative> => {
  const method = calendarMethodOf(attachment.contentType)
  return method === undefined
    ? []
    : [{ contentType: `text/calendar; charset=utf-8; method=${method}`, ...contentOf(attachment) }]
}

/** Some mail programs show an invitation only as a file. A client that submits a message may have added this file itself. */
const filesOf = (attachments: ReadonlyArray<OutgoingAttachment>): ReadonlyArray<OutgoingAttachment> => {
  const others = attachments.filter(({ contentType }) => calendarMethodOf(contentType) === undefined)
  const hasCalendarFile = others.some(({ contentType }) => [calendarFileType, "text/calendar"].includes(contentType))
  return hasCalendarFile ? others : attachments
}

const attachmentOf = (attachment: OutgoingAttachment): MailComposerAttachment => {
  const { filename, contentType, contentId, disposition } = attachment
  if (contentId !== null && !/^[!-;=?-~]{1,250}$/.test(contentId))
    throw new MessageNotComposable("A Content-ID of the message is invalid.")
  return {
    filename,
    contentType: mediaTypeOf(contentType),
    contentDisposition: disposition,
    ...(contentId === null ? {} : { cid: contentId }),
    ...contentOf(attachment)
  }
}

/** A part of a boundary. Contains a hash of the content, so that no content can contain its own boundary (RFC 2046 §5.1.1). */
const boundaryOf = ({ messageIdHeader, text, html }: OutgoingMessage): string =>
  hash("sha256", JSON.stringify([messageIdHeader, text, html])).slice(0, 32)

/** The longest part of a value without a space. A line has at most 998 characters (RFC 5322 §2.1.1). */
const wordCharactersMax = 900

const hasLongWord = (value: string): boolean => value.split(/\s/).some(({ length }) => length >= wordCharactersMax)

/** So many spaces fill a line when the value is folded. No line of a header may have only spaces (RFC 5322 §3.2.2). */
const longSpace = " ".repeat(76)

/**
 * Whether a value in ASCII needs an encoded word to arrive unchanged. Otherwise a reader could take a part of it for an encoded word
 * (RFC 2047 §7), or would remove the space at its end.
 */
const needsEncodedWord = (value: string): boolean =>
  /=\?|^\s|\s$/.test(value) || value.includes(longSpace) || hasLongWord(value)

const isPrintable = (value: string): boolean => /^[ -~]*$/.test(value)

const encoded = (value: string): string => encodeWord(value, isPrintable(value) ? "Q" : "B", 52)

/**
 * Encodes the name of a mailing list or of a mailbox, and leaves its id or its address in angle brackets as it is (RFC 2919 §3, RFC 8098 §2.1). A name in
 * ASCII needs no encoding.
 */
const withEncodedName = (value: string): string => {
  const [, name = "", id = ""] = /^([^<>]*)(<[\x20-\x7e]*>)$/.exec(value) ?? []
  if (isPrintable(name)) return value
  const unquoted = name.trim().replace(/^"(.*)"$/, (_, text: string) => text.replace(/\\(.)/g, "$1"))
  return `${encoded(unquoted)} ${id}`
}

/** Writes the values that nodemailer would not write in a form that arrives unchanged. */
const encodeValuesOf = (root: MimeNode, { from, headers }: OutgoingMessage): void => {
  const inner = root.encodeHeaderValue.bind(root)
  // nodemailer makes encoded words of a whole value with a quotation mark, also of an id or a URL in it. A value that looks like an encoded word needs one.
  const write = (key: string, value: string): string =>
    isPrintable(value) && !value.includes("=?") ? value : inner(key, value)
  const encodable = new Set(
    ["subject", ...Object.keys(headers).map((name) => name.toLowerCase())].filter((name) => !isStructuredField(name))
  )
  root.encodeHeaderValue = (key, value) => {
    const name = key.toLowerCase()
    // A reader may take several spaces between the words of a name as one (RFC 5322 §3.2.2).
    if (name === "from" && from.name !== null && (needsEncodedWord(from.name) || from.name.includes("  "))) {
      const withoutName = inner("From", { name: "", address: from.address }).replace(/^<|>$/g, "")
      return `${encoded(from.name)} <${withoutName}>`
    }
    if (isStructuredField(name) && typeof value === "string") {
      // Several spaces mean one (RFC 5322 §3.2.2), and could not be folded before a long word.
      const oneSpaced = value.trim().replace(/ +/g, " ")
      if (isNamedField(name)) return write(key, withEncodedName(oneSpaced))
      return name.startsWith("list-") ? write(key, oneSpaced) : inner(key, oneSpaced)
    }
    if (!encodable.has(name) || typeof value !== "string") return inner(key, value)
    return needsEncodedWord(value) ? encoded(value) : write(key, value)
  }
}

const addressesOf = (addresses: ReadonlyArray<string>) => addresses.map((address) => ({ name: "", address }))

/** How a message is composed. */
export interface ComposeOptions {
  /** Whether a message with html and without a text gets a text. */
  readonly textAlternative: boolean
}

/** The text of the message: its own, or one from its html. */
const textOf = ({ html, text }: OutgoingMessage, { textAlternative }: ComposeOptions): string | null =>
  text === null && html !== null && textAlternative ? textAlternativeOf(html) : text

/**
 * Returns a function that begins a new stream of the message at each call. The stream has no field `Bcc` and no trace of this program. It ends
 * with an `AttachmentUnreadable` if an attachment cannot be read. Throws a `MessageNotComposable` if the message can never be sent.
 */
export const composeMessage = (message: OutgoingMessage, options: ComposeOptions): (() => Readable) => {
  const { messageIdHeader, date, from, replyTo, to, cc, subject, html, headers, attachments } = message
  const text = textOf(message, options)
  const parts = {
    ...(text === null ? {} : { text: withCrLf(text) }),
    ...(html === null ? {} : { html: withCrLf(html) })
  }
  const baseBoundary = boundaryOf(message)
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]))
  return () => {
    const root = new MailComposer({
      ...parts,
      messageId: messageIdHeader,
      date: new Date(date),
      from: { name: from.name ?? "", address: from.address },
      to: addressesOf(to),
      cc: addressesOf(cc),
      ...(replyTo === null ? {} : { replyTo: { name: "", address: replyTo } }),
      subject,
      headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
      alternatives: attachments.flatMap(invitationOf),
      attachments: filesOf(attachments).map(attachmentOf),
      baseBoundary,
      boundaryPrefix: "=_",
      disableFileAccess: true,
      disableUrlAccess: true,
      normalizeHeaderKey: (key) => names.get(key.toLowerCase()) ?? key
    }).compile()
    encodeValuesOf(root, message)
    return root.createReadStream()
  }
}
