/**
 * The DNS port for authors who do not use Effect: the same contract, as plain async functions.
 */
import { Layer } from "effect"
import type { MailExchange } from "./DnsResolver.ts"
import { DnsFailure, DnsResolver } from "./DnsResolver.ts"
import { promised } from "./promised.ts"

/**
 * A DNS resolver as async functions, with the contract of `DnsResolverShape`. `signal` is aborted when the query must end. Reject with a `DnsFailure`
 * when DNS gives no usable answer. Any other rejection counts as a defect of the adapter: a log line has the class of the error.
 */
export interface PromiseResolver {
  /** The TXT records of a name. The strings of each record are joined. */
  readonly texts: (name: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>
  /** The MX records of a name. */
  readonly exchanges: (name: string, signal: AbortSignal) => Promise<ReadonlyArray<MailExchange>>
}

const isFailure = (cause: unknown): cause is DnsFailure => cause instanceof DnsFailure

/**
 * Makes the layer of a DNS resolver.
 *
 * @example
 * ```ts
 * import { DnsFailure, resolverFromPromises } from "@mailkeep/core/adapter"
 *
 * // A resolver for tests, which knows one name.
 * export const layer = resolverFromPromises({
 *   texts: async (name) => {
 *     if (name !== "acme.example") throw new DnsFailure({ definite: true, code: "nxdomain" })
 *     return ["v=spf1 a:mail.acme.example -all"]
 *   },
 *   exchanges: async () => [{ exchange: "mail.acme.example", priority: 10 }]
 * })
 * ```
 */
export const resolverFromPromises = (resolver: PromiseResolver): Layer.Layer<DnsResolver> =>
  Layer.succeed(DnsResolver, {
    texts: (name) => promised((signal) => resolver.texts(name, signal), isFailure),
    exchanges: (name) => promised((signal) => resolver.exchanges(name, signal), isFailure)
  })
