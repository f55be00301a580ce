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
    /** Compares two texts without telling by its duration where they differ. */
    readonly equal: (a: string, b: string) => boolean
    readonly randomBytes: (count: number) => Uint8Array
  }
>()("@mailkeep/core/port/Crypto") {}
