/**
 * The private keys that `NodeCrypto` reads.
 */
import { createPublicKey, createSign, createVerify, generateKeyPairSync } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Crypto } from "../../src/index.ts"
import * as NodeCrypto from "../../src/node/NodeCrypto.ts"

const { rsaKeyPairOf } = Effect.runSync(Effect.provide(Crypto, NodeCrypto.layer))

const rsa = (bits: number) => generateKeyPairSync("rsa", { modulusLength: bits }).privateKey
const small = rsa(1024)

describe("rsaKeyPairOf", () => {
  it.each(["pkcs8", "pkcs1"] as const)("reads a private key in PEM of the form %s", (type) => {
    const pem = small.export({ type, format: "pem" }) as string
    const { privateKey, publicKey } = rsaKeyPairOf(pem)!
    expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    const signature = createSign("sha256").update("mail").sign(privateKey)
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), type: "spki", format: "der" })
    expect(createVerify("sha256").update("mail").verify(key, signature)).toBe(true)
  })

  it("reads a key between lines of text, and with line ends of Windows", () => {
    const pem = small.export({ type: "pkcs8", format: "pem" }) as string
    expect(rsaKeyPairOf(`DKIM of acme\r\n${pem.replaceAll("\n", "\r\n")}`)).toEqual(rsaKeyPairOf(pem))
  })

  it.each([
    ["an empty text", ""],
    ["a text without a key", "not a key"],
    ["a text without line breaks", (small.export({ type: "pkcs8", format: "pem" }) as string).replaceAll("\n", "\\n")],
    ["a public key", createPublicKey(small).export({ type: "spki", format: "pem" }) as string],
    [
      "a key with a passphrase",
      small.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" }) as string
    ],
    ["a key that is too short", rsa(512).export({ type: "pkcs8", format: "pem" }) as string],
    [
      "a key of another kind",
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string
    ]
  ])("refuses %s", (_, text) => {
    expect(rsaKeyPairOf(text)).toBeNull()
  })
})
