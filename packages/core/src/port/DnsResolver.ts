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
}> {}

export interface MailExchange {
  readonly exchange: string
  readonly priority: number
}

export interface DnsResolverShape {
  /** The TXT records of a name. The strings of each record are joined. */
  readonly texts: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
  /** The MX records of a name. */
  readonly exchanges: (name: string) => Effect.Effect<ReadonlyArray<MailExchange>, DnsFailure>
}

export class DnsResolver extends Context.Service<DnsResolver, DnsResolverShape>()("@mailkeep/core/port/DnsResolver") {}
