/**
 * Submitted messages with a signature or an encryption.
 */
import { describe, expect, it } from "vitest"
import { faultOf, multipart, read } from "./submittedMessage.ts"

describe("readMessage", () => {
  const protectedBy = (type: string) =>
    `has a part of the type ${type}. Mailkeep composes each message again, so a signature or an encryption would break`
  const signed = ["Content-Type: text/plain", "", "Hi"]
  const signature = ["Content-Type: application/pkcs7-signature; name=smime.p7s", "", "MIIG"]
  const signedPart = multipart("signed", signed, signature).map((line) => line.replace("=_b", "=_c"))

  it.each([
    ["a signature of S/MIME or PGP", multipart("signed", signed, signature), "multipart/signed"],
    [
      "an encryption of PGP",
      multipart("Encrypted", ["Content-Type: application/pgp-encrypted", "", "Version: 1"], ["", "-----BEGIN"]),
      "multipart/encrypted"
    ],
    ["a signed part", multipart("mixed", signedPart, signed), "multipart/signed"],
    [
      "an encryption of S/MIME",
      ["Content-Type: application/pkcs7-mime; name=smime.p7m", "", "MIIG"],
      "application/pkcs7-mime"
    ],
    ["an old type of S/MIME", ["Content-Type: application/x-pkcs7-mime", "", "MIIG"], "application/x-pkcs7-mime"]
  ])("refuses a message with %s, which would break", async (_, lines, type) => {
    expect(await faultOf(lines.join("\r\n"))).toBe(protectedBy(type))
  })

  it("keeps a signed message in a message, and an encrypted file", async () => {
    const { text, attachments } = await read(
      multipart(
        "mixed",
        signed,
        ["Content-Type: message/rfc822", "", ...signedPart],
        ["Content-Type: application/pkcs7-mime; name=backup.p7m", "", "MIIG"]
      )
    )
    expect(text).toBe("Hi")
    expect(attachments.map(({ filename, contentType }) => [filename, contentType])).toEqual([
      ["message.eml", "application/octet-stream"],
      ["backup.p7m", "application/pkcs7-mime"]
    ])
  })
})
