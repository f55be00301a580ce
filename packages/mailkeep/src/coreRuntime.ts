/**
 * Makes the runtime of the core from the options of a product. Nothing is opened before the first effect runs.
 */
import process from "node:process"
import type { EventKind, MailCoreOptions, MailEvent, ProjectId } from "@mailkeep/core"
import { Domains, EventSender, MailCore, PlanSource, StoreNotOpened } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import * as NodeDnsResolver from "@mailkeep/core/node/dns"
import * as NodeFiles from "@mailkeep/core/node/files"
import { given } from "@mailkeep/core/options"
import { oldNodeSentence } from "@mailkeep/sqlite/node-version"
import { Context, Effect, Fiber, Layer, ManagedRuntime, Redacted, Scheduler, Scope } from "effect"
import { logLayer } from "./logging.ts"
import type { MailServices } from "./Mail.ts"
import type { MailOptions } from "./MailOptions.ts"
import { drainForever } from "./outbox/drainOutbox.ts"
import type { OutboxSource } from "./outbox/OutboxSource.ts"
import { scheduler } from "./scheduler.ts"

/** A handler of events, as `on` registers it. */
export interface Subscription {
  readonly name: string
  readonly kinds: ReadonlyArray<EventKind>
  readonly handler: (event: MailEvent) => unknown
}

/** What the mail does while the core opens. */
export interface Opening {
  /** Called when the opening begins. Returns the subscriptions so far. */
  readonly onBegin: () => ReadonlyArray<Subscription>
  /** Called when the core is open. `stopLoops` ends the work in the background and waits for the work under way. */
  readonly onOpen: (stopLoops: Effect.Effect<void>) => void
}

/** The scope of the open core, in which handlers stay registered. */
class OpenScope extends Context.Service<OpenScope, Scope.Scope>()("mailkeep/OpenScope") {}

/** The services of the runtime: those of `MailRuntime`, and the scope. */
export type CoreServices = MailServices | OpenScope

/** Registers a handler while the core is open. A handler that returns no promise has handled the event when it returns. */
export const subscribe = ({ name, kinds, handler }: Subscription) =>
  Effect.gen(function* () {
    const scope = yield* OpenScope
    const eventSender = yield* EventSender
    yield* eventSender
      .subscribe(name, async (event) => handler(event), kinds)
      .pipe(Effect.provideService(Scope.Scope, scope))
  })

const layerOf = <A>(
  adapter: { readonly layer: Layer.Layer<A, unknown> } | Layer.Layer<A, unknown>
): Layer.Layer<A, unknown> => ("layer" in adapter ? adapter.layer : adapter)

const webhookSink = (rules: MailOptions["webhooks"]) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@mailkeep/webhooks")),
      ({ WebhookSink }) => WebhookSink.layer(given(rules ?? {}))
    )
  )

/** An absent limit and one that is `undefined` mean the same to the core. */
const planSource = (plan: MailOptions["plan"] = {}) =>
  typeof plan === "function"
    ? PlanSource.layerFromPromises(plan as Parameters<typeof PlanSource.layerFromPromises>[0])
    : PlanSource.layerFixed(given(plan))

const adaptersOf = ({ store, transport, plan, webhooks, nameServers, attachmentFolder, adapters = [] }: MailOptions) =>
  Layer.mergeAll(
    layerOf(store),
    layerOf(transport),
    planSource(plan),
    NodeCrypto.layer,
    NodeDnsResolver.layer(nameServers === undefined ? {} : { servers: nameServers }),
    webhookSink(webhooks),
    ...(attachmentFolder === undefined ? [] : [NodeFiles.layer({ folder: attachmentFolder })]),
    // The last layer wins.
    ...[adapters].flat()
  )

const coreOptionsOf = ({ masterSecret, mailHost, ...options }: MailOptions): MailCoreOptions => {
  const { dispatcher, retention, handOff, events, webhooks, health, unsubscribe, graceMillis } = options
  return {
    ...given({ retention, graceMillis }),
    dispatcher: given(dispatcher ?? {}),
    handOff: given(handOff ?? {}),
    events: given(events ?? {}),
    webhooks: given(webhooks ?? {}),
    health: given(health ?? {}),
    unsubscribe: given(unsubscribe ?? {}),
    ...(masterSecret === undefined ? {} : { masterSecret: Redacted.make(masterSecret) }),
    ...(mailHost === undefined
      ? {}
      : {
          domains: {
            mailHost: typeof mailHost === "string" ? { host: mailHost, returnPathLabel: "bounces" } : mailHost
          }
        })
  }
}

/** The work in the background. */
const loopsOf = (outbox: OutboxSource | undefined) =>
  outbox === undefined
    ? MailCore.run
    : Effect.all([MailCore.run, drainForever(outbox)], { concurrency: "unbounded", discard: true })

/** Fails on a Node that is too old. Without it, the memory store would accept mail there, and the dispatcher would fail. */
const supportedNode = Layer.effectDiscard(
  Effect.suspend(() => {
    const detail = oldNodeSentence(process.versions)
    return detail === undefined
      ? Effect.void
      : Effect.fail(new StoreNotOpened({ reason: "unsupported_runtime", where: "the mail", detail }))
  })
)

/** What happens when the core opens: the domains are created, the handlers registered and the loops started, in this order. */
const startUp = ({ domains = [], background = true, outbox }: MailOptions, projectId: ProjectId, opening: Opening) =>
  Layer.effect(
    OpenScope,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const subscriptions = yield* Effect.sync(opening.onBegin)
      const { ensure } = yield* Domains
      for (const domain of domains)
        yield* ensure(projectId, typeof domain === "string" ? { domain, verified: true } : domain)
      for (const subscription of subscriptions) yield* Effect.provideService(subscribe(subscription), OpenScope, scope)
      const loops = background ? yield* Effect.forkScoped(loopsOf(outbox), { startImmediately: true }) : null
      yield* Effect.sync(() => opening.onOpen(loops === null ? Effect.void : Fiber.interrupt(loops)))
      return scope
    })
  )

/** Makes the runtime. Each runtime opens the store again. */
export const makeCoreRuntime = (
  options: MailOptions,
  projectId: ProjectId,
  opening: Opening
): ManagedRuntime.ManagedRuntime<CoreServices, unknown> =>
  ManagedRuntime.make(
    startUp(options, projectId, opening).pipe(
      Layer.provideMerge(MailCore.layerWith(coreOptionsOf(options))),
      Layer.provideMerge(adaptersOf(options)),
      Layer.provideMerge(supportedNode),
      Layer.provideMerge(logLayer(options.onLog)),
      Layer.provideMerge(Layer.succeed(Scheduler.Scheduler, scheduler))
    )
  )
