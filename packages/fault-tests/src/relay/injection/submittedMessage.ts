/**
 * Writes a case as the MIME message that a careful client would submit: every payload is encoded, so that it arrives at Mailkeep as a value.
 * A header field or a command that a client writes itself is no injection.
 */
import type { SampleFile, SampleMail } from "../SampleMail.ts"

/** Encoded words have at most 75 characters (RFC 2047 §2). Each has whole characters. */
const wordCharactersMax = 10

const inBase64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64")

const encodedWords = (text: string): string => {
  const characters = [...text]
  const pieces = Array.from({ length: Math.ceil(characters.length / wordCharactersMax) }, (_, n) =>
    characters.slice(n * wordCharactersMax, (n + 1) * wordCharactersMax).join("")
  )
  return pieces.map((piece) => `=?utf-8?B?${inBase64(piece)}?=`).join("\r\n ")
}

/** The body of a part in base64, in lines of 76 characters. */
const bodyOf = (content: string | Uint8Array): string => inBase64(content).replaceAll(/.{76}/g, "$&\r\n")

/** A parameter in the form of RFC 2231. */
const parameter = (name: string, value: string): string =>
  `${name}*=utf-8''${[...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`

const filePart = ({ filename, contentType, contentId, content }: SampleFile): ReadonlyArray<string> => [
  `Content-Type: ${contentType}`,
  `Content-Disposition: ${contentId === null ? "attachment" : "inline"}; ${parameter("filename", filename)}`,
  ...(contentId === null ? [] : [`Content-ID: <${contentId}>`]),
  "Content-Transfer-Encoding: base64",
  "",
  bodyOf(content)
]

const textPart = (kind: string, text: string): ReadonlyArray<string> => [
  `Content-Type: text/${kind}; charset=utf-8`,
  "Content-Transfer-Encoding: base64",
  "",
  bodyOf(text)
]

const multipart = (
  kind: string,
  boundary: string,
  parts: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => [
  `Content-Type: multipart/${kind}; boundary="${boundary}"`,
  "",
  ...parts.flatMap((part) => [`--${boundary}`, ...part]),
  `--${boundary}--`
]

/**
 * What cannot be encoded must be ASCII without line breaks, and an address must not have the brackets that the client writes around it. Otherwise
 * the client itself writes another message.
 */
const isWritable = ({ from, to, cc, bcc, replyTo, headers, files, ...texts }: SampleMail): boolean =>
  [from, ...to, ...cc, ...bcc, replyTo ?? ""].every((address) => /^[ -;=?-~]*$/.test(address)) &&
  [texts.subject, texts.text, texts.html, texts.fromName, ...Object.values(headers)].every(
    (text) => text?.isWellFormed() ?? true
  ) &&
  Object.keys(headers).every((name) => /^[!-9;-~]+$/.test(name)) &&
  files.every(({ contentType, contentId }) => /^[ -~]*$/.test(`${contentType}${contentId ?? ""}`))

/** The message with CRLF line ends, without the last one. `undefined` when a client could not write this case. */
export const submittedMessage = (mail: SampleMail): Buffer | undefined => {
  if (!isWritable(mail)) return undefined
  const { fromName, from, to, cc, replyTo, subject, text, html, headers, files } = mail
  const bodies = multipart("alternative", "b1", [textPart("plain", text ?? ""), textPart("html", html ?? "")])
  const lines = [
    `From: ${fromName === null ? "" : `${encodedWords(fromName)} `}<${from}>`,
    `To: ${to.map((address) => `<${address}>`).join(", ")}`,
    ...(cc.length === 0 ? [] : [`Cc: ${cc.map((address) => `<${address}>`).join(", ")}`]),
    ...(replyTo === null ? [] : [`Reply-To: <${replyTo}>`]),
    `Subject: ${encodedWords(subject)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${encodedWords(value)}`),
    "MIME-Version: 1.0",
    ...(files.length === 0 ? bodies : multipart("mixed", "b0", [bodies, ...files.map(filePart)]))
  ]
  return Buffer.from(lines.join("\r\n"))
}
