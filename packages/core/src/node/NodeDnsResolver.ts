/**
 * The `DnsResolver` port over `node:dns`, with the name servers of the system or with the given name servers.
 *
 * @example
 * ```ts
 * import { MailCore } from "@mailkeep/core"
 * import * as NodeDnsResolver from "@mailkeep/core/node/dns"
 * import { Layer } from "effect"
 *
 * export const layer = Layer.provideMerge(MailCore.layer, NodeDnsResolver.layer({ servers: ["127.0.0.1:5353"] }))
 * ```
 */
import { Resolver } from "node:dns/promises"
import { Effect, Layer } from "effect"
import { DnsFailure, DnsResolver } from "../port/DnsResolver.ts"

/** The name servers, and how long a query may take. */
export interface NodeDnsOptions {
  /** Addresses of name servers, such as `127.0.0.1:5353`. Default: the name servers of the system. */
  readonly servers?: ReadonlyArray<string>
  /** The timeout of one query to one server. Default: 3,000. */
  readonly timeoutMillis?: number
}

/** Whether a text is the address of a name server, with or without a port. */
export const isNameServer = (value: unknown): boolean => {
  if (typeof value !== "string") return false
  try {
    new Resolver().setServers([value])
    return true
  } catch {
    return false
  }
}

const failures: Readonly<Record<string, Pick<DnsFailure, "definite" | "code">>> = {
  ENOTFOUND: { definite: true, code: "nxdomain" },
  ENODATA: { definite: true, code: "nodata" },
  ESERVFAIL: { definite: false, code: "servfail" },
  EREFUSED: { definite: false, code: "refused" },
  ETIMEOUT: { definite: false, code: "timeout" },
  ECANCELLED: { definite: false, code: "timeout" }
}

const failureOf = (cause: unknown): DnsFailure =>
  new DnsFailure(failures[(cause as NodeJS.ErrnoException).code ?? ""] ?? { definite: false, code: "unreachable" })

const noRecord = () => new DnsFailure({ definite: true, code: "nodata" })

/** Provides `DnsResolver`. A query is tried twice at each name server. An address that is not valid, and a timeout that is no integer, are defects. */
export const layer = ({ servers, timeoutMillis = 3000 }: NodeDnsOptions = {}): Layer.Layer<DnsResolver> =>
  Layer.sync(DnsResolver, () => {
    const makeResolver = () => {
      const resolver = new Resolver({ timeout: timeoutMillis, tries: 2 })
      if (servers !== undefined) resolver.setServers(servers)
      return resolver
    }
    // Node refuses options that are not valid. Without this call, each query would fail as if no server answered.
    makeResolver()
    const queried = <A>(query: (resolver: Resolver) => Promise<ReadonlyArray<A>>) =>
      Effect.tryPromise({
        try: (signal) => {
          const resolver = makeResolver()
          signal.addEventListener("abort", () => resolver.cancel())
          return query(resolver)
        },
        catch: failureOf
        // Node returns no records, and no failure, for an alias of a name that has none.
      }).pipe(Effect.filterOrFail((records) => records.length > 0, noRecord))
    return {
      texts: (name) =>
        Effect.map(
          queried((resolver) => resolver.resolveTxt(name)),
          (texts) => texts.map((parts) => parts.join(""))
        ),
      exchanges: (name) => queried((resolver) => resolver.resolveMx(name))
    }
  })
