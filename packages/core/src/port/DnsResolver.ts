/**
 * The port that asks DNS.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"

/** There was no answer to use. */
export class DnsFailure extends Data.TaggedError("DnsFailure")<{
  /** The name or the record does not exist: asking again will not help. Otherwise it was a server or the way to it. */
  readonly definite: boolean
  readonly code: "nxdomain" | "nodata" | "servfail" | "refused" | "timeout" | "unreachable"
}> {}

export interface MailExchange {
  readonly exchange: string
  readonly priority: number
}

export interface DnsResolverShape {
  /** The texts at a name, the strings of each joined. */
  readonly texts: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
  readonly exchanges: (name: string) => Effect.Effect<ReadonlyArray<MailExchange>, DnsFailure>
}

export class DnsResolver extends Context.Service<DnsResolver, DnsResolverShape>()("@mailkeep/core/port/DnsResolver") {}
