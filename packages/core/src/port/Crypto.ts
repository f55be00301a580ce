/**
 * The port for hashing, sealing, comparing in constant time and random bytes. Synchronous, so that nothing in a use case forces
 * a yield. `@mailkeep/core/node` has the layer over `node:crypto`.
 */
import { Context } from "effect"

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
    readonly randomBytes: (count: number) => Uint8Array
  }
>()("@mailkeep/core/port/Crypto") {}
