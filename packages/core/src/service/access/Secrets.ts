/**
 * Keys for signatures and encryption, derived by purpose from one master secret. The master secret is kept in the store or given by the
 * caller. The key for addresses is separate: each store has its own and never changes it.
 */
import { Context, Data, Effect, Layer, Redacted, Result } from "effect"
import {
  checkSetting,
  masterSetting,
  openWithGivenMaster,
  openWithOwnMaster
} from "../../decide/access/masterSecret.ts"
import { ensureSetting } from "../../decide/store/setting.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { randomHex } from "../../internal/randomHex.ts"
import { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"

/** Suppressions are found by this secret for the life of the store, so it does not depend on a master secret that may change. */
const addressSetting = "address_secret"
const secretBytes = 32
const masterSecretCharactersMin = 32
const encoder = new TextEncoder()

const refusalMessages = {
  too_short: `The master secret has fewer than ${masterSecretCharactersMin} characters. Give a longer master secret, such as 64 random hexadecimal digits.`,
  different:
    "The store was first opened with another master secret. Give that master secret. This one cannot decrypt the webhook secrets and DKIM keys in the store.",
  missing: "The store was first opened with a master secret, and none is given now. Give the same master secret again.",
  store_has_own_secret:
    "The store has its own master secret, which was generated when the store was first opened. Open the store without a master secret."
} as const

/** The store cannot be opened with this master secret. Nothing was changed. `message` says what to do. */
export class MasterSecretRefused extends Data.TaggedError("MasterSecretRefused")<{
  readonly reason: keyof typeof refusalMessages
}> {
  override get message() {
    return refusalMessages[this.reason]
  }
  /** Not retryable: give the master secret that `message` asks for. */
  get isRetryable() {
    return false
  }
}

type CryptoShape = Crypto["Service"]

const settingOf = (store: MailStoreShape, name: string) =>
  Effect.map(store.read([{ _tag: "Setting", name }]), ([value]) => value)

/** Reads a setting, and writes `initial` when the store has none. When another process writes first, returns the value of that process. */
const storedOrInitial = (
  store: MailStoreShape,
  name: string,
  initial: string
): Effect.Effect<string, StoreUnavailable> => {
  const load = settingOf(store, name)
  const ensured = makeCommit(store)(
    load,
    (existing) => Result.succeed(ensureSetting({ name, existing, initial })),
    "bounded"
  )
  // A store that has the setting gets no write.
  return Effect.flatMap(load, (existing) => (existing === null ? ensured : Effect.succeed(existing)))
}

const checkOf = (crypto: CryptoShape, master: string): string =>
  crypto.hmacSha256(encoder.encode(master), "mailkeep/master-secret-check")

const storedMaster = (store: MailStoreShape) =>
  Effect.map(
    store.read([
      { _tag: "Setting", name: masterSetting },
      { _tag: "Setting", name: checkSetting }
    ]),
    ([own, check]) => ({ own, check })
  )

const refused = (reason: MasterSecretRefused["reason"]) => new MasterSecretRefused({ reason })

type MasterSource = (
  crypto: CryptoShape,
  store: MailStoreShape
) => Effect.Effect<string, StoreUnavailable | MasterSecretRefused>

const givenMaster =
  (given: Redacted.Redacted<string>): MasterSource =>
  (crypto, store) => {
    const master = Redacted.value(given)
    if (master.length < masterSecretCharactersMin) return Effect.fail(refused("too_short"))
    const givenCheck = checkOf(crypto, master)
    return makeCommit(store)(
      storedMaster(store),
      (stored) => Result.mapError(openWithGivenMaster({ ...stored, givenCheck }), refused),
      "bounded"
    ).pipe(Effect.as(master))
  }

const ownMaster: MasterSource = (crypto, store) =>
  Effect.suspend(() => {
    const generated = randomHex(crypto, secretBytes)
    const generatedCheck = checkOf(crypto, generated)
    return makeCommit(store)(
      storedMaster(store),
      (stored) => Result.mapError(openWithOwnMaster({ ...stored, generated, generatedCheck }), refused),
      "bounded"
    )
  })

const make = (masterOf: MasterSource) =>
  Effect.gen(function* () {
    const crypto = yield* Crypto
    const store = yield* MailStore
    const master = encoder.encode(yield* masterOf(crypto, store))
    const addressSecret = encoder.encode(yield* storedOrInitial(store, addressSetting, randomHex(crypto, secretBytes)))
    return {
      signer: (purpose: string) => {
        const signingKey = encoder.encode(crypto.hmacSha256(master, `mailkeep/${purpose}`))
        return (text: string) => crypto.hmacSha256(signingKey, text)
      },
      encryption: (purpose: string) => {
        // The stored secrets depend on this label.
        const encryptionKey = crypto.hmacSha256(master, `mailkeep/vault/${purpose}`)
        return {
          encrypt: (text: string) => crypto.encrypt(encryptionKey, text),
          decrypt: (encrypted: string) => crypto.decrypt(encryptionKey, encrypted)
        }
      },
      addressKey: (address: string) => crypto.hmacSha256(addressSecret, address)
    }
  })

/** The keys for signatures and for encryption, which are derived from the master secret, and the key for the addresses of suppressions. */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Signs texts for one purpose, such as `cursor`: HMAC-SHA-256 in base64url. Each purpose has its own signing key. */
    readonly signer: (purpose: string) => (text: string) => string
    /**
     * Encrypts and decrypts secrets for one purpose, such as `webhook`. Each purpose has its own encryption key. `decrypt` returns `null` when
     * the text was encrypted under another master secret.
     */
    readonly encryption: (purpose: string) => {
      readonly encrypt: (text: string) => string
      readonly decrypt: (encrypted: string) => string | null
    }
    /** The address key under which the suppression of a canonical address is stored. */
    readonly addressKey: (address: string) => string
  }
>()("@mailkeep/core/service/Secrets") {
  /**
   * Derives the keys from a given master secret. Fails when the secret has fewer than 32 characters, or when the store was first opened
   * with another master secret.
   */
  static readonly layerGiven = (
    master: Redacted.Redacted<string>
  ): Layer.Layer<Secrets, StoreUnavailable | MasterSecretRefused, Crypto | MailStore> =>
    Layer.effect(Secrets, make(givenMaster(master)))

  /**
   * Derives the keys from a master secret that is generated when the store is first opened, and kept in the store. Fails when the store was
   * first opened with a given master secret.
   */
  static readonly layer: Layer.Layer<Secrets, StoreUnavailable | MasterSecretRefused, Crypto | MailStore> =
    Layer.effect(Secrets, make(ownMaster))
}
