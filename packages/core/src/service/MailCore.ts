/**
 * The whole core as one layer over its ports.
 */
import type { Redacted } from "effect"
import { Effect, Layer } from "effect"
import { tellingOfEvents } from "../internal/eventTelling.ts"
import { storeGate } from "../internal/storeGate.ts"
import { IdSource } from "../port/IdSource.ts"
import { MailStore } from "../port/MailStore.ts"
import { RateLimiter } from "../port/RateLimiter.ts"
import { Access } from "./Access.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { ContactFiles } from "./ContactFiles.ts"
import { ContactLists } from "./ContactLists.ts"
import { Contacts } from "./Contacts.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import type { DispatcherOptions } from "./Dispatcher.ts"
import { Dispatcher } from "./Dispatcher.ts"
import type { DomainsOptions } from "./Domains.ts"
import { Domains } from "./Domains.ts"
import type { HandOffOptions } from "./HandOffs.ts"
import type { EventRelayOptions } from "./EventRelay.ts"
import { EventRelay } from "./EventRelay.ts"
import { HandOffs } from "./HandOffs.ts"
import { Projects } from "./Projects.ts"
import { Properties } from "./Properties.ts"
import { Secrets } from "./Secrets.ts"
import { Segments } from "./Segments.ts"
import { Sending } from "./Sending.ts"
import { Suppressions } from "./Suppressions.ts"
import { Templates } from "./Templates.ts"
import type { WebhooksOptions } from "./Webhooks.ts"
import { Webhooks } from "./Webhooks.ts"
import { WorkSignal } from "./WorkSignal.ts"

export interface MailCoreOptions {
  readonly dispatcher?: Partial<DispatcherOptions>
  readonly handOff?: Partial<HandOffOptions>
  readonly relay?: Partial<EventRelayOptions>
  readonly webhooks?: Partial<WebhooksOptions>
  readonly domains?: Partial<DomainsOptions>
  /**
   * How long a shutdown waits, in milliseconds, for hand-offs and event deliveries under way: one value for the dispatcher and the relay, which
   * end in parallel. 15 s and 5 s when left out; `dispatcher.graceMillis` and `relay.graceMillis` come first.
   */
  readonly graceMillis?: number
  /**
   * From which the keys are derived that seal cursors and encrypt DKIM keys and webhook secrets; at least 32 characters, and always the same
   * for one store: another one is refused. Made and kept in the store when left out.
   */
  readonly masterSecret?: Redacted.Redacted<string>
}

/** Wakes the relay whenever a commit appends an event. */
const telling = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const { notifyOfEvents } = yield* WorkSignal
    return tellingOfEvents(yield* MailStore, notifyOfEvents)
  })
).pipe(Layer.provide(WorkSignal.layer))

/**
 * Every service, over `MailStore`, `Transport`, `PlanSource` and `Crypto`. Nothing runs in the background until
 * `Dispatcher.run` and `EventRelay.run` do. Webhooks are pushed where an `EventSink` is given
 * beside the others, and DNS is asked where a `DnsResolver` is.
 */
export const layerWith = (options: MailCoreOptions = {}) => {
  const secrets = options.masterSecret === undefined ? Secrets.layer : Secrets.layerGiven(options.masterSecret)
  const grace = options.graceMillis === undefined ? {} : { graceMillis: options.graceMillis }
  return Layer.mergeAll(
    Access.layer,
    ApiKeys.layerNoDeps,
    Contacts.layerNoDeps,
    DeliveryLog.layerNoDeps,
    Dispatcher.layerWith({ ...grace, ...options.dispatcher }).pipe(Layer.provide(HandOffs.layerWith(options.handOff))),
    Domains.layerWith(options.domains),
    ContactLists.layerNoDeps,
    ContactFiles.layerNoDeps.pipe(Layer.provide(Contacts.layerNoDeps)),
    Sending.layerNoDeps,
    Suppressions.layerNoDeps,
    Templates.layerNoDeps,
    Webhooks.layerWith(options.webhooks).pipe(Layer.provideMerge(EventRelay.layerWith({ ...grace, ...options.relay })))
  ).pipe(
    Layer.provideMerge(Segments.layerNoDeps),
    Layer.provideMerge(Properties.layerNoDeps),
    Layer.provideMerge(Layer.mergeAll(Projects.layer, secrets, WorkSignal.layer)),
    Layer.provideMerge(Layer.mergeAll(IdSource.layer, RateLimiter.layerInProcess)),
    Layer.provide(telling),
    Layer.provide(storeGate)
  )
}

/**
 * Everything that works in the background: the dispatcher, the event relay and the checks of domains, until it is interrupted. Then all of them
 * end at the same time, so that a shutdown takes the longest grace and not the sum.
 */
export const run: Effect.Effect<never, never, Dispatcher | EventRelay | Domains> = Effect.gen(function* () {
  const loops = [(yield* Dispatcher).run, (yield* EventRelay).run, (yield* Domains).run]
  yield* Effect.all(loops, { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})

export { storeGate } from "../internal/storeGate.ts"

export const layer = layerWith()
