/**
 * The event sink that posts webhooks to https addresses.
 *
 * @example
 * ```ts
 * import { EventSink } from "@mailkeep/core"
 * import { WebhookSink } from "@mailkeep/webhooks"
 * import { Effect } from "effect"
 *
 * const refused = Effect.gen(function* () {
 *   const request = { id: "evd_1", endpoint: "https://127.0.0.1/", headers: {}, body: new Uint8Array() }
 *   return (yield* Effect.flip((yield* EventSink).send(request))).reason
 * })
 * console.log(await Effect.runPromise(Effect.provide(refused, WebhookSink.layer()))) // address_not_allowed
 * ```
 */
export * as WebhookSink from "./WebhookSink.ts"
