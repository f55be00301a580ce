/**
 * The port for hashing, encryption, comparison in constant time and random bytes. Every function except `rsaKeyPair` is synchronous, so that
 * a use case does not have to yield. `@mailkeep/core/node` has the layer over `node:crypto`.
 */
import type { Effect } from "effect"
import { Context } from "effect"

/** A key pair that signs mail (DKIM). */
export interface RsaKeyPair {
  /** PKCS #8 PEM. */
  readonly privateKey: string
  /** Base64 of the SubjectPublicKeyInfo in DER. */
  readonly publicKey: string
}

/** A SHA-256 of bytes that are given piece by piece. */
export interface Sha256 {
  readonly update: (bytes: Uint8Array) => void
  /** The hash of all bytes in hexadecimal. Called once, at the end. */
  readonly digest: () => string
}

/**
 * Hashing, encryption, comparison in constant time and random bytes. `@mailkeep/core/node` has the layer for Node.
 *
 * @example
 * ```ts
 * import { Crypto } from "@mailkeep/core"
 * import * as NodeCrypto from "@mailkeep/core/node"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(Crypto, (crypto) => crypto.sha256("Mailkeep").length)
 * console.log(Effect.runSync(Effect.provide(program, NodeCrypto.layer))) // 64
 * ```
 */
export class Crypto extends Context.Service<
  Crypto,
  {
    /** SHA-256 of bytes, or of a text in UTF-8, in hexadecimal. */
    readonly sha256: (data: string | Uint8Array) => string
    /** Starts a SHA-256 of bytes that are too many for one turn of the event loop. */
    readonly startSha256: () => Sha256
    /** HMAC-SHA-256 in base64url. */
    readonly hmacSha256: (key: Uint8Array, text: string) => string
    /** AES-256-GCM under a key that is derived from the text `key`. `decrypt` reads the result. Each call returns another text. */
    readonly encrypt: (key: string, text: string) => string
    /** Returns `null` when the text was encrypted under another key or was altered. */
    readonly decrypt: (key: string, encrypted: string) => string | null
    /** Compares two texts in a time that does not depend on where they differ. */
    readonly equal: (a: string, b: string) => boolean
    /** Generates a 2048-bit RSA key pair. Takes about 40 ms of processor time. */
    readonly rsaKeyPair: Effect.Effect<RsaKeyPair>
    /**
     * The key pair of a private key in PEM: PKCS #8, or PKCS #1 (`BEGIN RSA PRIVATE KEY`). Returns `null` for another text, for a key that needs a
     * passphrase, and for a key that is no RSA key of 1024 to 4096 bits.
     */
    readonly rsaKeyPairOf: (privateKey: string) => RsaKeyPair | null
    /** Random bytes that nobody can predict. */
    readonly randomBytes: (count: number) => Uint8Array
  }
>()("@mailkeep/core/port/Crypto") {}
