/**
 * The laws of stores, transports, event sinks, rate limiters and DNS resolvers, and the functions that check an adapter against them.
 *
 * @example
 * ```ts
 * import { isConforming, runConformance, storeLaws } from "@mailkeep/conformance"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { Effect } from "effect"
 *
 * const report = await Effect.runPromise(
 *   runConformance("memory", storeLaws, { place: MemoryMailStore.layer }, { only: ["commit/all-or-nothing"] })
 * )
 * console.log(isConforming(report)) // true
 * ```
 */
export * as arbitraries from "./arbitraries/index.ts"
export type { ConformanceOptions, Waiver } from "./runConformance.ts"
export { runConformance, NotRun } from "./runConformance.ts"
export type { Capabilities, Law, LawBook, Opened } from "./Law.ts"
export { Violation } from "./Law.ts"
export type { LawReport, Report, Verdict } from "./Report.ts"
export { counted, isConforming, toJson, toMarkdown, verdicts } from "./Report.ts"
export type { Script, Step } from "./Script.ts"
export { answersOf, lockstep, printScript } from "./Script.ts"
export { ScriptDifference } from "./ScriptDifference.ts"
export { storeLaws } from "./store/storeLaws.ts"
export type { ChildModule, Place, ProductTransaction, StoreSubject } from "./store/StoreSubject.ts"
export { StorePlace } from "./store/StoreSubject.ts"
export { sinkLaws } from "./sink/sinkLaws.ts"
export type { SubscriberAct, Subscribers, Received, SinkWithSubscribers, SinkSubject } from "./sink/SinkSubject.ts"
export { SubscribersUnderLaw } from "./sink/SinkSubject.ts"
export { limiterLaws } from "./limiter/limiterLaws.ts"
export type { LimiterSubject } from "./limiter/LimiterSubject.ts"
export { LimiterPlace } from "./limiter/LimiterSubject.ts"
export { resolverLaws } from "./resolver/resolverLaws.ts"
export type { NameAnswer, NameServer, ResolverSubject, ResolverWithNameServer } from "./resolver/ResolverSubject.ts"
export { NameServerUnderLaw } from "./resolver/ResolverSubject.ts"
export { transportLaws } from "./transport/transportLaws.ts"
export type {
  Relay,
  RelayAct,
  AcceptedAttachment,
  AcceptedMail,
  TransportWithRelay,
  TransportSubject
} from "./transport/TransportSubject.ts"
export { mailOf, RelayUnderLaw, acceptedAttachments } from "./transport/TransportSubject.ts"
