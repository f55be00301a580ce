/**
 * The port for hashing, sealing, comparing in constant time and random bytes. Synchronous but for making a key pair, so that nothing in a use case forces
 * a yield. `@mailkeep/core/node` has the layer over `node:crypto`.
 */
import type { Effect } from "effect"
import { Context } from "effect"

export interface RsaKeyPair {
  /** PKCS #8 PEM. */
  readonly privateKey: string
  /** Base64 of the SubjectPublicKeyInfo in DER. */
  readonly publicKey: string
}

export class Crypto extends Context.Service<
  Crypto,
  {
    /** In hex. */
    readonly sha256: (text: string) => string
    /** HMAC-SHA-256 in base64url. */
    readonly hmacSha256: (key: Uint8Array, text: string) => string
    /** AES-256-GCM under a key made of the text, as text: what `decrypt` reads. Never the same twice. */
    readonly encrypt: (key: string, text: string) => string
    /** `null` when it was encrypted under another key, or altered. */
    readonly decrypt: (key: string, sealed: string) => string | null
    /** Compares two texts without telling by its duration where they differ. */
    readonly equal: (a: string, b: string) => boolean
    /** A 2048-bit RSA key. The one thing here that takes its time. */
    readonly rsaKeyPair: Effect.Effect<RsaKeyPair>
    readonly randomBytes: (count: number) => Uint8Array
  }
>()("@mailkeep/core/port/Crypto") {}
