/**
 * Keys for sealing, derived by label from one master secret that is kept in the store or given from outside.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { randomHex } from "../internal/randomHex.ts"
import { Crypto } from "../port/Crypto.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"

const settingName = "master_secret"
const secretBytes = 32
const encoder = new TextEncoder()

export class Secrets extends Context.Service<
  Secrets,
  {
    /** HMAC-SHA-256 in base64url under the key of that label. */
    readonly seal: (label: string) => (text: string) => string
  }
>()("@mailkeep/core/service/Secrets") {
  /** The master secret given from outside: at least 32 characters. */
  static readonly layerGiven = (master: Redacted.Redacted<string>): Layer.Layer<Secrets, never, Crypto> =>
    Layer.effect(
      Secrets,
      Effect.map(Crypto, (crypto) => sealing(crypto, encoder.encode(Redacted.value(master))))
    )

  /** Made when the store is first opened, and kept in it. */
  static readonly layer: Layer.Layer<Secrets, StoreUnavailable, Crypto | MailStore> = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const store = yield* MailStore
      const read = Effect.map(store.read([{ _tag: "Setting", name: settingName }]), ([value]) => value)
      const standing = yield* read
      if (standing !== null) return sealing(crypto, encoder.encode(standing))
      const made = randomHex(crypto, secretBytes)
      const kept = yield* store.commit([{ _tag: "PutSetting", name: settingName, value: made }]).pipe(
        Effect.as(made),
        // Another process was first; its secret stands.
        Effect.catchTag("Conflict", () => Effect.map(read, (value) => value ?? made))
      )
      return sealing(crypto, encoder.encode(kept))
    })
  )
}

const sealing = (crypto: Crypto["Service"], master: Uint8Array): Secrets["Service"] => ({
  seal: (label) => {
    const key = encoder.encode(crypto.hmacSha256(master, `mailkeep/${label}`))
    return (text) => crypto.hmacSha256(key, text)
  }
})
