/**
 * The `Crypto` port over `node:crypto`.
 *
 * @example
 * ```ts
 * import { MailCore } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { Layer } from "effect"
 *
 * export const layer = Layer.provide(MailCore.layer, NodeCrypto.layer)
 * ```
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  generateKeyPair,
  hash,
  randomBytes,
  timingSafeEqual
} from "node:crypto"
import { promisify } from "node:util"
import { Effect, Layer } from "effect"
import { Crypto } from "../port/Crypto.ts"

const nonceBytes = 12
const tagBytes = 16

const keyOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Provides `Crypto` with the functions of `node:crypto`. */
export const layer: Layer.Layer<Crypto> = Layer.succeed(Crypto, {
  sha256: (data) => hash("sha256", data),
  hmacSha256: (key, text) => createHmac("sha256", key).update(text).digest("base64url"),
  encrypt: (key, text) => {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv("aes-256-gcm", keyOf(key), nonce)
    const encrypted = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
    return encrypted.toString("base64url")
  },
  decrypt: (key, text) => {
    const encrypted = Buffer.from(text, "base64url")
    if (encrypted.length < nonceBytes + tagBytes) return null
    const decipher = createDecipheriv("aes-256-gcm", keyOf(key), encrypted.subarray(0, nonceBytes))
    decipher.setAuthTag(encrypted.subarray(-tagBytes))
    try {
      const clear = decipher.update(encrypted.subarray(nonceBytes, -tagBytes))
      return Buffer.concat([clear, decipher.final()]).toString("utf8")
    } catch {
      return null
    }
  },
  equal: (a, b) => {
    const [left, right] = [Buffer.from(a), Buffer.from(b)]
    return left.length === right.length && timingSafeEqual(left, right)
  },
  rsaKeyPair: Effect.map(
    Effect.promise(() =>
      promisify(generateKeyPair)("rsa", {
        modulusLength: 2048,
        publicKeyEncoding: { type: "spki", format: "der" },
        privateKeyEncoding: { type: "pkcs8", format: "pem" }
      })
    ),
    ({ privateKey, publicKey }) => ({ privateKey, publicKey: publicKey.toString("base64") })
  ),
  randomBytes: (count) => new Uint8Array(randomBytes(count))
})
