/** Decodes the text of a part: transfer encoding, then charset, then HTML to plain text. Source: RFC 2045 §6 */
import { decodeBase64 } from "../mime/base64.ts"
import { decodeCharset } from "../mime/charset.ts"
import { firstValue, wordOf } from "../mime/headerFields.ts"
import { decodeQuotedPrintable } from "../mime/quotedPrintable.ts"
import type { MimePart } from "./mimeParts.ts"

const encodedBytesMax = 256 * 1024

/** Puts line breaks for block elements, removes tags, and decodes the five entities that hide addresses and quotes. */
const textOfHtml = (html: string): string =>
  html
    .replace(/<(?:br|p|div|tr|td|th|li|h[1-6])\b[^<>]{0,1000}>/gi, "\n")
    .replace(/<[^<>]{0,2000}>/g, " ")
    .replace(/&lt;/gi, "<")
    .replace(/&gt;/gi, ">")
    .replace(/&quot;/gi, '"')
    .replace(/&#39;/g, "'")
    .replace(/&nbsp;/gi, " ")
    .replace(/&amp;/gi, "&")

/** Returns the text of a part with `\n` as line break. Reads at most `bytesMax` of the encoded content, by default 256 KiB. */
export const decodedText = (part: MimePart, bytesMax = encodedBytesMax): string => {
  const encoded = part.body.subarray(0, bytesMax)
  const encoding = wordOf(firstValue(part.headers, "content-transfer-encoding") ?? "")
  const bytes =
    encoding === "base64"
      ? decodeBase64(encoded)
      : encoding === "quoted-printable"
        ? decodeQuotedPrintable(encoded)
        : encoded
  const text = decodeCharset(bytes, part.parameters.get("charset") ?? "").replace(/\r\n?/g, "\n")
  return part.type === "text/html" ? textOfHtml(text) : text
}

/** Returns the texts of several parts. Reads at most 256 KiB of their encoded contents together. */
export const decodedTexts = (parts: ReadonlyArray<MimePart>): ReadonlyArray<string> => {
  let left = encodedBytesMax
  return parts.map((part) => {
    const text = decodedText(part, left)
    left = Math.max(0, left - part.body.length)
    return text
  })
}
