/**
 * The whole core as one layer over its ports.
 */
import { Layer } from "effect"
import { storeGate } from "../internal/storeGate.ts"
import { IdSource } from "../port/IdSource.ts"
import { RateLimiter } from "../port/RateLimiter.ts"
import { Access } from "./Access.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { ContactLists } from "./ContactLists.ts"
import { Contacts } from "./Contacts.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import type { DispatcherOptions } from "./Dispatcher.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { Domains } from "./Domains.ts"
import type { HandOffOptions } from "./HandOffs.ts"
import { HandOffs } from "./HandOffs.ts"
import { Projects } from "./Projects.ts"
import { Properties } from "./Properties.ts"
import { Secrets } from "./Secrets.ts"
import { Segments } from "./Segments.ts"
import { Sending } from "./Sending.ts"
import { Suppressions } from "./Suppressions.ts"
import { Templates } from "./Templates.ts"
import { WorkSignal } from "./WorkSignal.ts"

export interface MailCoreOptions {
  readonly dispatcher?: Partial<DispatcherOptions>
  readonly handOff?: Partial<HandOffOptions>
}

/**
 * Every service, over `MailStore`, `Transport`, `PlanSource` and `Crypto`. Nothing runs in the background until
 * `Dispatcher.run` does.
 */
export const layerWith = (options: MailCoreOptions = {}) =>
  Layer.mergeAll(
    Access.layer,
    ApiKeys.layerNoDeps,
    Contacts.layerNoDeps,
    DeliveryLog.layerNoDeps,
    Dispatcher.layerWith(options.dispatcher).pipe(Layer.provide(HandOffs.layerWith(options.handOff))),
    Domains.layerNoDeps,
    ContactLists.layerNoDeps,
    Sending.layerNoDeps,
    Suppressions.layerNoDeps,
    Templates.layerNoDeps
  ).pipe(
    Layer.provideMerge(Segments.layerNoDeps),
    Layer.provideMerge(Properties.layerNoDeps),
    Layer.provideMerge(Layer.mergeAll(Projects.layer, Secrets.layer, WorkSignal.layer)),
    Layer.provideMerge(Layer.mergeAll(IdSource.layer, RateLimiter.layerInProcess)),
    Layer.provide(storeGate)
  )

export { storeGate } from "../internal/storeGate.ts"

export const layer = layerWith()
