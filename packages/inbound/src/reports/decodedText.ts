/** Decodes the text of a part: transfer encoding, then charset, then HTML to plain text. Source: RFC 2045 §6 */
import { decodeBase64 } from "../mime/base64.ts"
import { decodeCharset } from "../mime/charset.ts"
import { firstValue } from "../mime/headerFields.ts"
import { decodeQuotedPrintable } from "../mime/quotedPrintable.ts"
import type { MimePart } from "./mimeParts.ts"

const encodedBytesMax = 256 * 1024

/** Puts line breaks for block elements, removes tags, and decodes the five entities that hide addresses and quotes. */
const textOfHtml = (html: string): string =>
  html
    .replace(/<(?:br|p|div|tr|li|h[1-6])\b[^<>]{0,1000}>/gi, "\n")
    .replace(/<[^<>]{0,2000}>/g, " ")
    .replace(/&lt;/gi, "<")
    .replace(/&gt;/gi, ">")
    .replace(/&quot;/gi, '"')
    .replace(/&#39;/g, "'")
    .replace(/&nbsp;/gi, " ")
    .replace(/&amp;/gi, "&")

/** Returns the text of a part with `\n` as line break. Reads at most 256 KiB of the encoded content. */
export const decodedText = (part: MimePart): string => {
  const encoded = part.body.subarray(0, encodedBytesMax)
  const encoding = firstValue(part.headers, "content-transfer-encoding")?.toLowerCase() ?? ""
  const bytes =
    encoding === "base64"
      ? decodeBase64(encoded)
      : encoding === "quoted-printable"
        ? decodeQuotedPrintable(encoded)
        : encoded
  const text = decodeCharset(bytes, part.parameters.get("charset") ?? "utf-8").replace(/\r\n?/g, "\n")
  return part.type === "text/html" ? textOfHtml(text) : text
}
