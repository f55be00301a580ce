/**
 * Keys for sealing, derived by label from one master secret that is kept in the store or given from outside; and the store's own key for
 * addresses, which is never another.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { randomHex } from "../internal/randomHex.ts"
import { Crypto } from "../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

const masterSetting = "master_secret"
/** A suppression is found by it for as long as the store lives, so it does not depend on a secret that may be changed. */
const addressSetting = "address_secret"
const secretBytes = 32
const encoder = new TextEncoder()

type Kept = (name: string) => Effect.Effect<string, StoreUnavailable>

/** A secret that is made when nobody has asked for it before. */
const keeping =
  (crypto: Crypto["Service"], store: MailStoreShape): Kept =>
  (name) =>
    Effect.gen(function* () {
      const read = Effect.map(store.read([{ _tag: "Setting", name }]), ([value]) => value)
      const standing = yield* read
      if (standing !== null) return standing
      const made = randomHex(crypto, secretBytes)
      return yield* store.commit([{ _tag: "PutSetting", name, value: made }]).pipe(
        Effect.as(made),
        // Another process was first; its secret stands.
        Effect.catchTag("Conflict", () => Effect.map(read, (value) => value ?? made))
      )
    })

const make = (masterOf: (kept: Kept) => Effect.Effect<string, StoreUnavailable>) =>
  Effect.gen(function* () {
    const crypto = yield* Crypto
    const kept = keeping(crypto, yield* MailStore)
    const master = encoder.encode(yield* masterOf(kept))
    const ofAddresses = encoder.encode(yield* kept(addressSetting))
    return {
      seal: (label: string) => {
        const key = encoder.encode(crypto.hmacSha256(master, `mailkeep/${label}`))
        return (text: string) => crypto.hmacSha256(key, text)
      },
      vault: (label: string) => {
        const key = crypto.hmacSha256(master, `mailkeep/vault/${label}`)
        return {
          encrypt: (text: string) => crypto.encrypt(key, text),
          decrypt: (sealed: string) => crypto.decrypt(key, sealed)
        }
      },
      addressKey: (address: string) => crypto.hmacSha256(ofAddresses, address)
    }
  })

export class Secrets extends Context.Service<
  Secrets,
  {
    /** HMAC-SHA-256 in base64url under the key of that label. */
    readonly seal: (label: string) => (text: string) => string
    /** Encrypts under the key of that label, and reads it back: `null` under another master secret. */
    readonly vault: (label: string) => {
      readonly encrypt: (text: string) => string
      readonly decrypt: (sealed: string) => string | null
    }
    /** The key of a canonical address among the suppressions. */
    readonly addressKey: (address: string) => string
  }
>()("@mailkeep/core/service/Secrets") {
  /** The master secret given from outside: at least 32 characters. */
  static readonly layerGiven = (
    master: Redacted.Redacted<string>
  ): Layer.Layer<Secrets, StoreUnavailable, Crypto | MailStore> =>
    Layer.effect(
      Secrets,
      make(() => Effect.succeed(Redacted.value(master)))
    )

  /** Made when the store is first opened, and kept in it. */
  static readonly layer: Layer.Layer<Secrets, StoreUnavailable, Crypto | MailStore> = Layer.effect(
    Secrets,
    make((kept) => kept(masterSetting))
  )
}
