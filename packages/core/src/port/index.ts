/**
 * The ports of the core, which adapters implement.
 */
export * from "./Crypto.ts"
export * from "./DnsResolver.ts"
export * from "./EventSink.ts"
export * from "./IdSource.ts"
export * from "./MailStore.ts"
export * from "./PlanSource.ts"
export * from "./PromiseSink.ts"
export * from "./PromiseStore.ts"
export * from "./PromiseTransport.ts"
export * from "./RateLimiter.ts"
export * from "./Transport.ts"
