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
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  hash,
  randomBytes,
  timingSafeEqual
} from "node:crypto"
import type { KeyObject } from "node:crypto"
import { promisify } from "node:util"
import { Effect, Layer } from "effect"
import type { RsaKeyPair } from "../port/Crypto.ts"
import { Crypto } from "../port/Crypto.ts"
import { hmacSha256 } from "./hmac.ts"

const nonceBytes = 12
const tagBytes = 16

const keyOf = (text: string): Buffer => hash("sha256", text, "buffer")

const rsaBitsMin = 1024
const rsaBitsMax = 4096

/** Reads a private key in PEM. Node throws for a text of another form, and the error can quote it. */
const privateKeyOf = (pem: string): KeyObject | null => {
  try {
    return createPrivateKey({ key: pem, format: "pem" })
  } catch {
    return null
  }
}

const rsaKeyPairOf = (pem: string): RsaKeyPair | null => {
  const key = privateKeyOf(pem)
  if (key?.asymmetricKeyType !== "rsa") return null
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < rsaBitsMin || bits > rsaBitsMax) return null
  return {
    privateKey: key.export({ type: "pkcs8", format: "pem" }) as string,
    publicKey: createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
  }
}

const poolBytes = 4096
let pool: Buffer = Buffer.alloc(0)

/** Takes bytes from a pool, because each request to the system costs as much as hundreds of bytes. Gives no byte twice. */
const fromPool = (count: number): Uint8Array => {
  if (count > poolBytes / 8) return new Uint8Array(randomBytes(count))
  if (pool.length < count) pool = randomBytes(poolBytes)
  const taken = new Uint8Array(pool.subarray(0, count))
  pool.fill(0, 0, count)
  pool = pool.subarray(count)
  return taken
}

/** Provides `Crypto` with the functions of `node:crypto`. */
export const layer: Layer.Layer<Crypto> = Layer.succeed(Crypto, {
  sha256: (data) => hash("sha256", data),
  startSha256: () => {
    const started = createHash("sha256")
    return { update: (bytes) => void started.update(bytes), digest: () => started.digest("hex") }
  },
  hmacSha256,
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
  rsaKeyPairOf,
  randomBytes: fromPool
})
