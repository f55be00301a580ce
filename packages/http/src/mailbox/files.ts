/**
 * The header fields with which a file of a mail is served, so that a browser saves it and never shows it as a page.
 */
import { commonHeaders } from "./page.ts"

/** Images that the preview may show. The policy keeps a script in an SVG from running. */
const imageTypes: ReadonlySet<string> = new Set([
  "image/avif",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/svg+xml",
  "image/webp"
])

/** The value of `Content-Disposition` that lets a browser save a file under this name (RFC 6266, RFC 8187). */
const savedAs = (filename: string): string => {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_")
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** The header fields of a file. Every type but an image becomes one that a browser does not show. */
export const fileHeaders = (filename: string, contentType: string): Readonly<Record<string, string>> => ({
  ...commonHeaders,
  "content-type": imageTypes.has(contentType) ? contentType : "application/octet-stream",
  "content-disposition": savedAs(filename),
  "content-security-policy": "sandbox; default-src 'none'"
})
