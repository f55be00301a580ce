/**
 * The signed links with which a recipient unsubscribes: in the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`.
 * Source: decision 0045; RFC 2369 §3.2; RFC 8058.
 */
import { Context, Effect, Layer } from "effect"
import type { HeaderFields } from "../../domain/message/HeaderField.ts"
import { deliveryToken, readDeliveryToken } from "../../domain/delivery/DeliveryToken.ts"
import type { DeliveryId } from "../../domain/value/Id.ts"
import type { OptionRules } from "../../domain/value/OptionRule.ts"
import { checkedOptions, mustBe } from "../../domain/value/OptionRule.ts"
import { tokenVerifier } from "../../internal/delivery/tokenVerifier.ts"
import { Crypto } from "../../port/Crypto.ts"
import { isErased } from "../../domain/contact/addressRedaction.ts"
import { isUnsubscribeUrl, unsubscribeBaseOf } from "../../domain/contact/unsubscribeUrl.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Secrets } from "../access/Secrets.ts"
import { Suppressions } from "./Suppressions.ts"

/** Where the links point. */
export interface UnsubscribeOptions {
  /**
   * The address of the page that unsubscribes, such as `https://mail.acme.example/unsubscribe`; the token follows after a slash. The HTTP
   * server answers at `/unsubscribe`. It must be https, because a mailbox provider posts to it (RFC 8058 §3.1). Default: none.
   */
  readonly url: string | undefined
}

export const unsubscribeRules: OptionRules<UnsubscribeOptions> = {
  url: mustBe("an https URL without a query", (value) => typeof value === "string" && isUnsubscribeUrl(value))
}

/**
 * Unsubscribes recipients by the signed link of a message. A link names one delivery, so it unsubscribes its recipient in its project alone.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { UnsubscribeLinks } from "@mailkeep/core"
 *
 * // The handler of POST /unsubscribe/:token in a product with its own routes.
 * export const handlePost = (token: string) =>
 *   Effect.map(Effect.flatMap(UnsubscribeLinks, (links) => links.unsubscribe(token)), (done) => (done ? 200 : 404))
 * ```
 */
export class UnsubscribeLinks extends Context.Service<
  UnsubscribeLinks,
  {
    /** The header fields of a delivery's message; none without `unsubscribe.url`. */
    readonly headersOf: (deliveryId: DeliveryId) => HeaderFields
    /** Whether messages can have links: `unsubscribe.url` is set. */
    readonly isConfigured: boolean
    /** Whether the token of a link is valid. Changes nothing: a program that checks links opens them too. */
    readonly isValid: (token: string) => boolean
    /**
     * Unsubscribes the recipient of the delivery: the address is suppressed, and its contact becomes `unsubscribed` with an event. Returns
     * `false` for a token that is not valid, for a recipient that was erased, and for a message that was deleted after its time
     * (`retention.messagesMillis`). A repeat changes nothing.
     */
    readonly unsubscribe: (token: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("@mailkeep/core/service/UnsubscribeLinks") {
  /** Makes the service. `MailCore.layerWith({ unsubscribe: { url } })` makes it with all others. An option that is not valid is a defect: a `TypeError` that names the option. */
  static readonly layerWith = (options: Partial<UnsubscribeOptions> = {}) =>
    Layer.effect(
      UnsubscribeLinks,
      Effect.gen(function* () {
        const { url } = checkedOptions("unsubscribe", unsubscribeRules, options)
        const store = yield* MailStore
        const suppressions = yield* Suppressions
        const verifier = tokenVerifier(yield* Crypto, (yield* Secrets).signer, "unsubscribe")
        const base = url === undefined ? null : unsubscribeBaseOf(url)

        const unsubscribe = Effect.fn("UnsubscribeLinks.unsubscribe")(function* (token: string) {
          const id = readDeliveryToken(token, verifier)
          const [delivery] = id === undefined ? [null] : yield* store.read([{ _tag: "DeliveryById", id }])
          // The recipient of an erased delivery is not known. A page that says that it worked would be wrong.
          if (delivery === null || isErased(delivery)) return false
          // The project and the address are of a stored delivery, so a refusal of them is a bug.
          yield* Effect.catchTag(
            suppressions.addReason(delivery.projectId, delivery.recipient, "unsubscribed"),
            "InvalidArgument",
            Effect.die
          )
          return true
        })

        return {
          headersOf: (deliveryId): HeaderFields =>
            base === null
              ? {}
              : {
                  "List-Unsubscribe": `<${base}/${deliveryToken(deliveryId, verifier.sign)}>`,
                  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
                },
          isConfigured: base !== null,
          isValid: (token) => readDeliveryToken(token, verifier) !== undefined,
          unsubscribe
        }
      })
    )
}
