/**
 * Keys for sealing, derived by label from one master secret that is kept in the store or given from outside; and the store's own key for
 * addresses, which is never another.
 */
import { Context, Data, Effect, Layer, Redacted } from "effect"
import { randomHex } from "../internal/randomHex.ts"
import { Crypto } from "../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

const masterSetting = "master_secret"
/** A suppression is found by it for as long as the store lives, so it does not depend on a secret that may be changed. */
const addressSetting = "address_secret"
const secretBytes = 32
const masterSecretCharactersMin = 32
const encoder = new TextEncoder()

/** Shows under which master secret the store was first opened, without telling it. */
const checkSetting = "master_secret_check"

const refusedWords = {
  too_short: `The master secret has fewer than ${masterSecretCharactersMin} characters. Give a longer one, such as 64 random hexadecimal digits.`,
  different:
    "The store was first opened with another master secret. Give that one: under this one, webhook secrets and DKIM keys in the store cannot be read.",
  missing: "The store was first opened with a master secret, and none is given now. Give the same one again.",
  own: "The store has a master secret of its own, made when it was first opened. Open it without a given master secret."
} as const

/** The store is not opened under this master secret; nothing was changed. `message` says what to do. */
export class MasterSecretRefused extends Data.TaggedError("MasterSecretRefused")<{
  readonly reason: keyof typeof refusedWords
}> {
  override get message() {
    return refusedWords[this.reason]
  }
}

type CryptoShape = Crypto["Service"]

const settingOf = (store: MailStoreShape, name: string) =>
  Effect.map(store.read([{ _tag: "Setting", name }]), ([value]) => value)

/** A setting that is written when the store has none; another process may be first, and then its value counts. */
const keptSetting = (store: MailStoreShape, name: string, made: string): Effect.Effect<string, StoreUnavailable> =>
  Effect.gen(function* () {
    const existing = yield* settingOf(store, name)
    if (existing !== null) return existing
    return yield* store.commit([{ _tag: "PutSetting", name, value: made }]).pipe(
      Effect.as(made),
      Effect.catchTag("Conflict", () => Effect.map(settingOf(store, name), (value) => value ?? made))
    )
  })

const checkOf = (crypto: CryptoShape, master: string): string =>
  crypto.hmacSha256(encoder.encode(master), "mailkeep/master-secret-check")

type MasterSource = (
  crypto: CryptoShape,
  store: MailStoreShape
) => Effect.Effect<string, StoreUnavailable | MasterSecretRefused>

const givenMaster =
  (given: Redacted.Redacted<string>): MasterSource =>
  (crypto, store) =>
    Effect.gen(function* () {
      const master = Redacted.value(given)
      if (master.length < masterSecretCharactersMin) return yield* new MasterSecretRefused({ reason: "too_short" })
      if ((yield* settingOf(store, masterSetting)) !== null) return yield* new MasterSecretRefused({ reason: "own" })
      const check = checkOf(crypto, master)
      if ((yield* keptSetting(store, checkSetting, check)) !== check)
        return yield* new MasterSecretRefused({ reason: "different" })
      return master
    })

const ownMaster: MasterSource = (crypto, store) =>
  Effect.gen(function* () {
    const own = yield* settingOf(store, masterSetting)
    const check = yield* settingOf(store, checkSetting)
    if (own === null && check !== null) return yield* new MasterSecretRefused({ reason: "missing" })
    return own ?? (yield* keptSetting(store, masterSetting, randomHex(crypto, secretBytes)))
  })

const make = (masterOf: MasterSource) =>
  Effect.gen(function* () {
    const crypto = yield* Crypto
    const store = yield* MailStore
    const master = encoder.encode(yield* masterOf(crypto, store))
    const ofAddresses = encoder.encode(yield* keptSetting(store, addressSetting, randomHex(crypto, secretBytes)))
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
  /**
   * Keys from a master secret that is given, of at least 32 characters. Refuses one that is shorter, and any other than the one that the
   * store was first opened with.
   */
  static readonly layerGiven = (
    master: Redacted.Redacted<string>
  ): Layer.Layer<Secrets, StoreUnavailable | MasterSecretRefused, Crypto | MailStore> =>
    Layer.effect(Secrets, make(givenMaster(master)))

  /** Keys from a master secret that is made when the store is first opened, and kept in it. Refuses a store that was first opened with a given one. */
  static readonly layer: Layer.Layer<Secrets, StoreUnavailable | MasterSecretRefused, Crypto | MailStore> =
    Layer.effect(Secrets, make(ownMaster))
}
