/**
 * The `Crypto` port over `node:crypto`.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Layer } from "effect"
import { Crypto } from "../port/Crypto.ts"

export const layer: Layer.Layer<Crypto> = Layer.succeed(Crypto, {
  sha256: (text) => hash("sha256", text),
  hmacSha256: (key, text) => createHmac("sha256", key).update(text).digest("base64url"),
  equal: (a, b) => {
    const [left, right] = [Buffer.from(a), Buffer.from(b)]
    return left.length === right.length && timingSafeEqual(left, right)
  },
  randomBytes: (count) => new Uint8Array(randomBytes(count))
})
