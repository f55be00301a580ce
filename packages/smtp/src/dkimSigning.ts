/**
 * Signs a message with the DKIM key of the sender domain (RFC 6376), with RSA and SHA-256 and the relaxed canonicalization.
 *
 * The signer of nodemailer never signs a header field that is absent, so this file writes the signature itself. The canonical body comes from
 * nodemailer.
 */
import { createPrivateKey, sign } from "node:crypto"
import { domainToASCII } from "node:url"
import type { DkimSignature } from "@mailkeep/core/adapter"
import { Redacted } from "effect"
import { foldLines } from "nodemailer/lib/mime-funcs"

/**
 * These fields are signed once more than they occur (RFC 6376 §5.4.2). A field that somebody adds to the message later breaks the signature.
 */
const oversigned = ["from", "subject", "to", "date", "reply-to", "content-type"]

/** These fields are signed when they occur. RFC 8058 §4 requires both fields of the one-click unsubscription. */
const signed = [
  "cc",
  "message-id",
  "mime-version",
  "content-transfer-encoding",
  "in-reply-to",
  "references",
  "list-id",
  "list-help",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "list-subscribe",
  "list-post",
  "list-owner",
  "list-archive"
]

/** A field of the header, with one character for each byte. */
export interface HeaderLine {
  /** The name in lower case. */
  readonly key: string
  /** The whole field with its name, in folded form. */
  readonly line: string
}

/** The relaxed form of the value of a field (RFC 6376 §3.4.2). */
const relaxedValue = (line: string): string =>
  line
    .slice(line.indexOf(":") + 1)
    .replace(/\r?\n/g, "")
    .replace(/[ \t]+/g, " ")
    .replace(/^ | $/g, "")

/** The signed fields in the order of the tag `h=`. A field that occurs twice is signed from the last to the first (RFC 6376 §5.4.2). */
const fieldsToSign = (lines: ReadonlyArray<HeaderLine>) => {
  const names: Array<string> = []
  const values: Array<string> = []
  for (const name of [...oversigned, ...signed]) {
    const found = lines.filter(({ key }) => key === name).toReversed()
    names.push(...found.map(() => name), ...(oversigned.includes(name) ? [name] : []))
    values.push(...found.map(({ line }) => `${name}:${relaxedValue(line)}\r\n`))
  }
  return { names, values }
}

const signedWith = (privateKey: Redacted.Redacted<string>, data: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const key = createPrivateKey(Redacted.value(privateKey))
    if (key.asymmetricKeyType !== "rsa") throw new TypeError("The DKIM key is not an RSA key.")
    sign("sha256", Buffer.from(data, "latin1"), key, (error, signature) =>
      error === null ? resolve(signature.toString("base64")) : reject(error)
    )
  })

/**
 * Returns the field `DKIM-Signature` with its line break, to be written before the message. Rejects when the key is not an RSA key in the form
 * PKCS #8 PEM.
 */
export const signatureField = async (
  lines: ReadonlyArray<HeaderLine>,
  bodyHash: string,
  { domain, selector, privateKey }: DkimSignature
): Promise<string> => {
  const { names, values } = fieldsToSign(lines)
  const tags = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domainToASCII(domain)}; s=${selector}; bh=${bodyHash};`
  const unsigned = `${foldLines(`DKIM-Signature: ${tags} h=${names.join(" : ")};`, 76)}\r\n b=`
  const signature = await signedWith(privateKey, `${values.join("")}dkim-signature:${relaxedValue(unsigned)}`)
  return `${unsigned}${signature.replace(/.{72}(?=.)/g, "$&\r\n ")}\r\n`
}
