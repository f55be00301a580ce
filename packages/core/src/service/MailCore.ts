/**
 * All services of the core in one layer over the ports.
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { dayMillis } from "../domain/value/Instant.ts"
import type { OptionRules } from "../domain/value/OptionRule.ts"
import { checkedOptions, given, mustBe, optionsOf, wholeOption } from "../domain/value/OptionRule.ts"
import { webhookRules } from "../domain/webhook/WebhookUrl.ts"
import { boundedPlanSource } from "../internal/plan/boundedPlanSource.ts"
import { boundedRateLimiter } from "../internal/plan/boundedRateLimiter.ts"
import { notifyOnEvents } from "../internal/event/notifyOnEvents.ts"
import { checkedStore } from "../internal/store/checkedStore.ts"
import { closableStore } from "../internal/store/closableStore.ts"
import { makeMeasuredStore, StoreWriteStatus } from "../internal/store/measuredStore.ts"
import type { RetentionOptions } from "../domain/store/Retention.ts"
import { retentionRules } from "../domain/store/Retention.ts"
import { IdSource } from "../port/IdSource.ts"
import { MailStore } from "../port/MailStore.ts"
import { RateLimiter } from "../port/RateLimiter.ts"
import { Access } from "./access/Access.ts"
import { ApiKeys } from "./access/ApiKeys.ts"
import { ContactFiles } from "./contact/ContactFiles.ts"
import { ContactLists } from "./contact/ContactLists.ts"
import { Contacts } from "./contact/Contacts.ts"
import type { UnsubscribeOptions } from "./contact/UnsubscribeLinks.ts"
import { UnsubscribeLinks, unsubscribeRules } from "./contact/UnsubscribeLinks.ts"
import { DeliveryLog } from "./delivery/DeliveryLog.ts"
import { Dispatcher } from "./delivery/Dispatcher.ts"
import type { DispatcherOptions } from "./delivery/DispatcherOptions.ts"
import { dispatcherRules } from "./delivery/DispatcherOptions.ts"
import type { DomainsOptions } from "./domain-name/Domains.ts"
import { Domains, domainsRules } from "./domain-name/Domains.ts"
import { Feedback } from "./delivery/Feedback.ts"
import type { HandOffOptions } from "./delivery/HandOffs.ts"
import { EventSender } from "./event/EventSender.ts"
import type { EventSenderOptions } from "./event/EventSenderOptions.ts"
import { eventSenderRules } from "./event/EventSenderOptions.ts"
import { handOffRules, HandOffs } from "./delivery/HandOffs.ts"
import type { HealthOptions } from "./observability/Health.ts"
import { Health, healthRules } from "./observability/Health.ts"
import { Projects } from "./access/Projects.ts"
import { Properties } from "./contact/Properties.ts"
import { Secrets } from "./access/Secrets.ts"
import { Segments } from "./contact/Segments.ts"
import { Sending } from "./message/Sending.ts"
import { Suppressions } from "./contact/Suppressions.ts"
import { Templates } from "./template/Templates.ts"
import { TransactionSending } from "./message/TransactionSending.ts"
import type { WebhooksOptions } from "./webhook/Webhooks.ts"
import { Webhooks } from "./webhook/Webhooks.ts"
import { WakeUp } from "./delivery/WakeUp.ts"

/** Options of the services. An absent option means its default. */
export interface MailCoreOptions {
  /** Limits and times of the dispatcher. */
  readonly dispatcher?: Partial<DispatcherOptions>
  /** How long records are kept. `dispatcher.retention` overrides it. */
  readonly retention?: RetentionOptions
  /** Deadlines and retries of hand-offs. */
  readonly handOff?: Partial<HandOffOptions>
  /** Limits and times of the event sender. */
  readonly events?: Partial<EventSenderOptions>
  /** The rules for URLs of webhooks. Give the event sink the same rules. */
  readonly webhooks?: Partial<WebhooksOptions>
  /** The names that the DNS records of sender domains contain. */
  readonly domains?: Partial<DomainsOptions>
  /** The times after which `Health` counts work as stuck. */
  readonly health?: Partial<HealthOptions>
  /** Where the links of `List-Unsubscribe` point. Needed for the option `listUnsubscribe` of a send. */
  readonly unsubscribe?: Partial<UnsubscribeOptions>
  /**
   * How long a shutdown waits, in milliseconds, for hand-offs and event deliveries under way. Applies to the dispatcher and the event sender,
   * which end in parallel. 0 to 86,400,000. Default: 15 s for the dispatcher and 5 s for the event sender. `dispatcher.graceMillis` and
   * `events.graceMillis` override it.
   */
  readonly graceMillis?: number
  /**
   * The secret from which keys are derived. They encrypt DKIM keys and webhook secrets, and sign cursors, return paths and unsubscribe links. It has
   * at least 32 characters. A store must always be opened with the same master secret. Without this option, the core generates a secret and keeps it
   * in the store.
   */
  readonly masterSecret?: Redacted.Redacted<string>
}

/**
 * The rule of each option. The services check their own options too, because a program can make one of them alone. For a program with other options
 * around these, as `openMail` has.
 */
export const optionRules: OptionRules<MailCoreOptions> = {
  dispatcher: optionsOf(dispatcherRules),
  retention: optionsOf(retentionRules),
  handOff: optionsOf(handOffRules),
  events: optionsOf(eventSenderRules),
  webhooks: optionsOf(webhookRules),
  domains: optionsOf(domainsRules),
  health: optionsOf(healthRules),
  unsubscribe: optionsOf(unsubscribeRules),
  graceMillis: wholeOption(0, dayMillis),
  masterSecret: mustBe("a redacted text", Redacted.isRedacted)
}

/** Wakes the event sender whenever a commit appends an event. */
const notifyingStore = Layer.effect(
  MailStore,
  Effect.gen(function* () {
    const { events } = yield* WakeUp
    return notifyOnEvents(yield* MailStore, events.notify, yield* Effect.scope)
  })
).pipe(Layer.provide(WakeUp.layer))

/** The limiter of the adapters, such as one that all processes share, or else one in this process. The core waits at most 10 s for another program. */
const rateLimiter = Layer.unwrap(
  Effect.map(
    Effect.serviceOption(RateLimiter),
    Option.match({
      onNone: () => RateLimiter.layerInProcess,
      onSome: (limiter) => Layer.succeed(RateLimiter, boundedRateLimiter(limiter))
    })
  )
)

/** Measures the commits of the services. */
const measuredStore = Layer.effectContext(
  Effect.map(MailStore, (store) => {
    const { store: measured, writeStatus } = makeMeasuredStore(store)
    return Context.make(MailStore, measured).pipe(Context.add(StoreWriteStatus, writeStatus))
  })
)

/**
 * All services, over `MailStore`, `Transport`, `PlanSource` and `Crypto`. Only three loops do work in the background: `Dispatcher.run`,
 * `EventSender.run` and `Domains.run`; `run` runs all of them. There is one exception: 30 s after the first immediate send, one check logs a
 * warning when no dispatcher hands over the mail.
 *
 * Four adapters are optional:
 *
 * - `EventSink`: sends events to webhooks. Without it, event deliveries to webhooks stay pending. The event sender logs one warning when there are any.
 * - `DnsResolver`: checks domains. Without it, each check ends as `temporary_failure`. The first check logs a warning.
 * - `RateLimiter`: counts requests for all processes together. Without it, each process grants the whole limit.
 * - `FileReader`: reads attachments by their `path`. Without it, a send with a `path` is refused with `InvalidArgument`.
 *
 * Set `domains.mailHost` too. With the default host `localhost`, customers would publish `a:localhost`. The first DNS records with this host
 * log a warning.
 *
 * An unknown option and a value outside of its bounds are a defect of the layer: a `TypeError` that names the option by its path, such as
 * `dispatcher.concurrency`. A field that is `undefined` counts as absent.
 */
export const layerWith = (options: MailCoreOptions = {}) =>
  Layer.unwrap(Effect.sync(() => servicesWith(checkedOptions("", optionRules, options))))

const servicesWith = (options: MailCoreOptions) => {
  const secrets = options.masterSecret === undefined ? Secrets.layer : Secrets.layerGiven(options.masterSecret)
  const retention = options.retention === undefined ? {} : { retention: options.retention }
  const grace = options.graceMillis === undefined ? {} : { graceMillis: options.graceMillis }
  const leaseMillis = options.dispatcher?.leaseMillis
  // One layer for both, so that `Health` sees the relay of the dispatcher.
  const handOffs = HandOffs.layerWith(options.handOff)
  return Layer.mergeAll(
    Access.layer,
    ApiKeys.layer,
    Contacts.layer,
    DeliveryLog.layer,
    Dispatcher.layerWith({ ...grace, ...retention, ...given(options.dispatcher ?? {}) }).pipe(Layer.provide(handOffs)),
    Health.layerWith({ ...(leaseMillis === undefined ? {} : { leaseMillis }), ...given(options.health ?? {}) }).pipe(
      Layer.provide(handOffs)
    ),
    Domains.layerWith(options.domains),
    Feedback.layer,
    ContactLists.layer,
    ContactFiles.layer.pipe(Layer.provide(Contacts.layer)),
    Properties.layer,
    Segments.layer,
    Sending.layer,
    TransactionSending.layer,
    Templates.layer,
    Webhooks.layerWith(options.webhooks).pipe(
      Layer.provideMerge(EventSender.layerWith({ ...grace, ...given(options.events ?? {}) }))
    )
  ).pipe(
    Layer.provideMerge(UnsubscribeLinks.layerWith(options.unsubscribe)),
    Layer.provideMerge(Suppressions.layer),
    Layer.provideMerge(Layer.mergeAll(Projects.layer, secrets, WakeUp.layer)),
    Layer.provideMerge(Layer.mergeAll(IdSource.layer, rateLimiter)),
    Layer.provide(Layer.merge(notifyingStore, boundedPlanSource)),
    Layer.provide(measuredStore),
    Layer.provide(closableStore),
    Layer.provide(checkedStore)
  )
}

/**
 * Runs the dispatcher, the event sender and the checks of domains, until interrupted. Then all of them end in parallel, so that a
 * shutdown takes the longest grace time and not the sum.
 */
export const run: Effect.Effect<never, never, Dispatcher | EventSender | Domains> = Effect.gen(function* () {
  const loops = [(yield* Dispatcher).run, (yield* EventSender).run, (yield* Domains).run]
  yield* Effect.all(loops, { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})

// Public for a program that makes a single service over a store, as the test kit does. `layerWith` already checks its store.
export { checkedStore } from "../internal/store/checkedStore.ts"

/** All services with the default options. */
export const layer = layerWith()
