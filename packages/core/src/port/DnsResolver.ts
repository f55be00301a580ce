/**
 * The port that queries DNS.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"

/** DNS gave no usable answer. */
export class DnsFailure extends Data.TaggedError("DnsFailure")<{
  /** `true`: the name or the record does not exist, so a retry does not help. `false`: a name server or the network failed. */
  readonly definite: boolean
  readonly code: "nxdomain" | "nodata" | "servfail" | "refused" | "timeout" | "unreachable"
}> {
  override get message() {
    return `DNS gave no usable answer: ${this.code}.`
  }
  /** Retryable, unless the answer is definite. */
  get isRetryable() {
    return !this.definite
  }
}

/** An MX record. */
export interface MailExchange {
  readonly exchange: string
  readonly priority: number
}

/**
 * Queries DNS. Every function asks again at each call: the core keeps no answer. A query without an answer after a minute counts as a timeout. A name that
 * does not exist fails with `nxdomain`. A name without such a record fails with `nodata`, also when it is an alias. `resolverLaws` of
 * `@mailkeep/conformance` checks this.
 */
export interface DnsResolverShape {
  /** The TXT records of a name. The strings of each record are joined. */
  readonly texts: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
  /** The MX records of a name. */
  readonly exchanges: (name: string) => Effect.Effect<ReadonlyArray<MailExchange>, DnsFailure>
}

/**
 * Queries DNS for the checks of sender domains. `@mailkeep/core/node/dns` has the layer for Node.
 *
 * @example
 * ```ts
 * import { DnsResolver } from "@mailkeep/core"
 * import { DnsFailure } from "@mailkeep/core/adapter"
 * import { Effect, Layer } from "effect"
 *
 * // A resolver for tests: no name exists.
 * export const layer = Layer.succeed(DnsResolver, {
 *   texts: () => Effect.fail(new DnsFailure({ definite: true, code: "nxdomain" })),
 *   exchanges: () => Effect.fail(new DnsFailure({ definite: true, code: "nxdomain" }))
 * })
 * ```
 */
export class DnsResolver extends Context.Service<DnsResolver, DnsResolverShape>()("@mailkeep/core/port/DnsResolver") {}
