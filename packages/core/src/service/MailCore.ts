/**
 * All services of the core in one layer over the ports.
 */
import type { Redacted } from "effect"
import { Effect, Layer } from "effect"
import { notifyOnEvents } from "../internal/notifyOnEvents.ts"
import { checkedStore } from "../internal/checkedStore.ts"
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
import { WakeUp } from "./WakeUp.ts"

export interface MailCoreOptions {
  readonly dispatcher?: Partial<DispatcherOptions>
  readonly handOff?: Partial<HandOffOptions>
  readonly relay?: Partial<EventRelayOptions>
  readonly webhooks?: Partial<WebhooksOptions>
  readonly domains?: Partial<DomainsOptions>
  /**
   * How long a shutdown waits, in milliseconds, for hand-offs and event deliveries under way. Applies to the dispatcher and the event relay,
   * which end in parallel. Default: 15 s for the dispatcher and 5 s for the relay. `dispatcher.graceMillis` and `relay.graceMillis` override it.
   */
  readonly graceMillis?: number
  /**
   * The secret from which the keys are derived that sign cursors and encrypt DKIM keys and webhook secrets. It has at least 32 characters.
   * A store must always be opened with the same master secret. Without this option, the core generates a secret and keeps it in the store.
   */
  readonly masterSecret?: Redacted.Redacted<string>
}

/** Wakes the relay whenever a commit appends an event. */
const notifyingStore = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const { notifyEvents } = yield* WakeUp
    return notifyOnEvents(yield* MailStore, notifyEvents)
  })
).pipe(Layer.provide(WakeUp.layer))

/**
 * All services, over `MailStore`, `Transport`, `PlanSource` and `Crypto`. Nothing runs in the background before `run`, or before `Dispatcher.run`
 * and `EventRelay.run`. Webhooks also need an `EventSink`, and checks of domains need a `DnsResolver`.
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
    Layer.provideMerge(Layer.mergeAll(Projects.layer, secrets, WakeUp.layer)),
    Layer.provideMerge(Layer.mergeAll(IdSource.layer, RateLimiter.layerInProcess)),
    Layer.provide(notifyingStore),
    Layer.provide(checkedStore)
  )
}

/**
 * Runs the dispatcher, the event relay and the checks of domains, until interrupted. Then all of them end in parallel, so that a
 * shutdown takes the longest grace time and not the sum.
 */
export const run: Effect.Effect<never, never, Dispatcher | EventRelay | Domains> = Effect.gen(function* () {
  const loops = [(yield* Dispatcher).run, (yield* EventRelay).run, (yield* Domains).run]
  yield* Effect.all(loops, { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})

export { checkedStore } from "../internal/checkedStore.ts"

export const layer = layerWith()
