/**
 * Hands over one claimed delivery. The begin of the attempt, the phase `finalizing` and the result are separate commits. Source: decision 0006.
 * The dispatcher decides which deliveries to claim, and when.
 */
import { Context, Duration, Effect, Layer, Result } from "effect"
import { beginAttempt } from "../../decide/delivery/beginAttempt.ts"
import type { HandOffResult } from "../../decide/delivery/handOffResult.ts"
import type { HandledStatus } from "../../decide/delivery/claim.ts"
import { claimLost } from "../../decide/delivery/claim.ts"
import { finishAttempt } from "../../decide/delivery/finishAttempt.ts"
import { queueDue } from "../../decide/delivery/queueDue.ts"
import type { Decision } from "../../decide/store/Decision.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import { parseDomain } from "../../domain/message/Address.ts"
import { dayMillis, minuteMillis } from "../../domain/value/Instant.ts"
import type { Given, OptionRules } from "../../domain/value/OptionRule.ts"
import { checkedOptions, given, mustBe, optionsOf, wholeOption } from "../../domain/value/OptionRule.ts"
import type { RetryPolicy } from "../../domain/delivery/RetrySchedule.ts"
import { defaultRetryPolicy, retryRules } from "../../domain/delivery/RetrySchedule.ts"
import { checkedTransport } from "../../internal/delivery/checkedTransport.ts"
import { finalize, onlyOnce } from "../../internal/delivery/finalizing.ts"
import type { HandOffFactDeps } from "../../internal/delivery/handOffFacts.ts"
import {
  acceptedFacts,
  loadBeginAttempt,
  loadFinishAttempt,
  loadQueueDue
} from "../../internal/delivery/handOffFacts.ts"
import type { ClaimLease } from "../../internal/worker/claimLease.ts"
import { confirmLease, leaseForFinalizing } from "../../internal/worker/claimLease.ts"
import { knownFirst } from "../../internal/store/knownFacts.ts"
import type { Commit, NotStored } from "../../internal/store/commit.ts"
import { makeCommit, outcomeKeptMillis } from "../../internal/store/commit.ts"
import type { OutgoingDeps } from "../../internal/delivery/outgoing.ts"
import { outgoingOf } from "../../internal/delivery/outgoing.ts"
import type { RelayLimiter } from "../../internal/delivery/relayLimiter.ts"
import { makeRelayLimiter } from "../../internal/delivery/relayLimiter.ts"
import { tokenVerifier } from "../../internal/delivery/tokenVerifier.ts"
import { traced } from "../../internal/observability/traced.ts"
import {
  afterPermission,
  handOffResultOf,
  runTransport,
  withoutTransport
} from "../../internal/delivery/transportRun.ts"
import { Crypto } from "../../port/Crypto.ts"
import { IdSource } from "../../port/IdSource.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { HandOffRevoked, Transport } from "../../port/Transport.ts"
import { Secrets } from "../access/Secrets.ts"
import { UnsubscribeLinks } from "../contact/UnsubscribeLinks.ts"

export type { ClaimLease } from "../../internal/worker/claimLease.ts"
export type { Moment } from "../../internal/worker/moment.ts"
export { NotStored } from "../../internal/store/commit.ts"
export type { HandledStatus } from "../../decide/delivery/claim.ts"

/** Deadlines and retries of hand-offs. */
export interface HandOffOptions {
  /**
   * How long the core tries to hand over a delivery, how long it waits after an ambiguous attempt, and how often it retries. A field that is not
   * given has its default: 72 hours, 10 minutes, 2 retries of ambiguous attempts and 3 dead workers.
   */
  readonly retry: Partial<RetryPolicy>
  /**
   * The deadline of a whole hand-off. 1 to 86,400,000. Default: 20 minutes. The answer to the end of data alone may take 10 minutes
   * (RFC 5321 §4.5.3.2.6).
   */
  readonly deadlineMillis: number
  /**
   * The operator's own domain whose mail reaches the listener for bounces, such as `bounces.host.example`. Return paths are at this domain when
   * the sender domain has no verified record `return_path`. Without either, bounces go to the sender's address. Default: none.
   */
  readonly bounceDomain: string | undefined
}

export const handOffRules: OptionRules<HandOffOptions> = {
  retry: optionsOf(retryRules),
  deadlineMillis: wholeOption(1, dayMillis),
  bounceDomain: mustBe(
    "a domain name, such as bounces.host.example",
    (value) => typeof value === "string" && parseDomain(value) !== undefined
  )
}

interface HandOffSettings extends HandOffOptions {
  readonly retry: RetryPolicy
}

const handOffSettings = ({ retry = {}, ...options }: Given<Partial<HandOffOptions>>): HandOffSettings => ({
  deadlineMillis: 20 * minuteMillis,
  bounceDomain: undefined,
  ...options,
  retry: { ...defaultRetryPolicy, ...given(retry) }
})

interface Deps extends HandOffFactDeps {
  readonly options: HandOffSettings
  readonly commit: Commit
  readonly outgoing: OutgoingDeps
  readonly relayLimiter: RelayLimiter
}

/** Decides about a claimed delivery. The claim is lost when the delivery was deleted since. */
const unlessDeleted =
  <Facts, A>(decide: (facts: Facts) => Decision<A>) =>
  (facts: Facts | null): Result.Result<Decision<A | HandledStatus>> =>
    Result.succeed(facts === null ? claimLost : decide(facts))

const queueScheduled = traced("HandOffs.queueScheduled", (deps: Deps, claimed: Delivery, leaseMillis: number) =>
  deps.commit(loadQueueDue(deps, claimed), unlessDeleted(queueDue), {
    keepTryingMillis: leaseMillis
  })
)

/** Commits the result of the attempt. Repeats within `boundMillis` until the store has the result. */
const recordResult = (
  { commit }: Deps,
  load: ReturnType<typeof loadFinishAttempt>,
  result: HandOffResult,
  boundMillis: number
): Effect.Effect<HandledStatus, NotStored> =>
  commit(
    load,
    unlessDeleted((facts) => finishAttempt(result, facts)),
    { keepTryingMillis: boundMillis }
  )

const handOver = traced("HandOffs.handOver", (deps: Deps, claimed: Delivery, lease: ClaimLease) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* (): Effect.gen.Return<HandledStatus, NotStored> {
      const addressKey = deps.addressKey(claimed.address)
      const leased = yield* leaseForFinalizing(lease)
      const started = yield* deps.commit(
        loadBeginAttempt(deps, claimed, addressKey, leased),
        unlessDeleted(beginAttempt),
        { keepTryingMillis: lease.millis }
      )
      if (typeof started === "string") return started
      const outgoing = Effect.mapError(
        outgoingOf(deps.outgoing, started),
        () => new HandOffRevoked({ why: "store_unavailable" })
      )
      let attempt = started.attempt
      const beginsFinalizing = attempt.phase === "finalizing"
      const permitted = beginsFinalizing ? confirmLease(lease, leased) : finalize(deps, started, addressKey, lease)
      let isPermitted = false
      const finalizing = onlyOnce(
        Effect.map(permitted, () => {
          attempt = { ...attempt, phase: "finalizing" }
          isPermitted = true
        })
      )
      const exit = yield* restore(
        Effect.flatMap(outgoing, (outgoing) => runTransport(deps.transport, outgoing, finalizing)).pipe(
          Effect.timeoutOrElse({
            duration: Duration.millis(deps.options.deadlineMillis),
            orElse: () => Effect.succeed(undefined)
          })
        )
      ).pipe(Effect.exit, deps.relayLimiter.duringHandOff)
      const boundMillis = Math.max(lease.millis, outcomeKeptMillis)
      const ended = handOffResultOf(exit)
      // An attempt that began in the phase `finalizing` has not reached the relay before the transport runs.
      const notPermitted = beginsFinalizing ? withoutTransport(ended) : ended
      const result = isPermitted ? afterPermission(ended) : notPermitted
      yield* deps.relayLimiter.record(result)
      const load = loadFinishAttempt(deps, started.delivery)
      const isAccepted = result._tag === "Accepted" || result._tag === "Delivered"
      const known = isAccepted ? knownFirst(acceptedFacts(deps, { ...started, attempt }, addressKey), load) : load
      return yield* recordResult(deps, known, result, boundMillis)
    })
  )
)

const recover = traced("HandOffs.recover", (deps: Deps, claimed: Delivery, leaseMillis: number) =>
  recordResult(deps, loadFinishAttempt(deps, claimed), { _tag: "WorkerDied" }, leaseMillis)
)

/**
 * Processes a claimed delivery. `leaseMillis` is how long the lease of its worker lasts after each renewal. Fails with `NotStored` when the
 * store did not write the result in time: after the lease, or after an hour for the result of a hand-off.
 */
type HandleClaimed = (claimed: Delivery, leaseMillis: number) => Effect.Effect<HandledStatus, NotStored>

/**
 * Hands over claimed deliveries. The dispatcher uses this service; a product replaces it only to test a dispatcher.
 *
 * @example
 * ```ts
 * import { Dispatcher, HandOffs } from "@mailkeep/core"
 * import { Layer } from "effect"
 *
 * // A dispatcher whose hand-offs end after 5 minutes.
 * export const layer = Dispatcher.layerWith().pipe(Layer.provide(HandOffs.layerWith({ deadlineMillis: 300_000 })))
 * ```
 */
export class HandOffs extends Context.Service<
  HandOffs,
  {
    /** Queues a claimed delivery in status `scheduled` that is due, or ends it when it may no longer be sent. */
    readonly queueScheduled: HandleClaimed
    /** Hands over a claimed delivery in status `queued`, whose worker holds the lease. An interruption before the end of data returns the delivery to the queue. */
    readonly handOver: (claimed: Delivery, lease: ClaimLease) => Effect.Effect<HandledStatus, NotStored>
    /** Ends the attempt of a claimed delivery in status `sending` whose worker died. */
    readonly recover: HandleClaimed
    /** The concurrency limit of the relay, as this process sees it. */
    readonly relayLimiter: RelayLimiter
    /** How many hand-offs the transport takes at once; absent: any number. */
    readonly atOnceMax?: number | undefined
  }
>()("@mailkeep/core/service/HandOffs") {
  /**
   * The hand-offs with other options than the defaults. `MailCore.layerWith` makes them with all other services. An option that is not valid is a
   * defect: a `TypeError` that names the option.
   */
  static readonly layerWith = (options: Partial<HandOffOptions> = {}) =>
    Layer.effect(
      HandOffs,
      Effect.gen(function* () {
        const settings = handOffSettings(checkedOptions("handOff", handOffRules, options))
        const store = yield* MailStore
        const { addressKey, signer, encryption } = yield* Secrets
        const relayLimiter = makeRelayLimiter()
        const deps: Deps = {
          options: settings,
          store,
          commit: makeCommit(store),
          ids: yield* IdSource,
          plans: yield* PlanSource,
          transport: checkedTransport(yield* Transport),
          addressKey,
          outgoing: {
            store,
            signReturnPath: tokenVerifier(yield* Crypto, signer, "return-path").sign,
            decryptDkimKey: encryption("dkim").decrypt,
            unsubscribeHeaders: (yield* UnsubscribeLinks).headersOf,
            bounceDomain: settings.bounceDomain === undefined ? null : parseDomain(settings.bounceDomain)!
          },
          relayLimiter
        }
        return {
          queueScheduled: (claimed, leaseMillis) => queueScheduled(deps, claimed, leaseMillis),
          handOver: (claimed, lease) => handOver(deps, claimed, lease),
          recover: (claimed, leaseMillis) => recover(deps, claimed, leaseMillis),
          relayLimiter,
          atOnceMax: deps.transport.capabilities.handOffsAtOnceMax
        }
      })
    )
}
