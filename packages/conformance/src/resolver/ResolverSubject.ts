/**
 * What the author of a DNS resolver supplies: the resolver, and a name server whose answers a law chooses.
 */
import type { DnsResolverShape, MailExchange } from "@mailkeep/core/adapter"
import { DnsResolver } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Law, LawBody, LawBook, Stated } from "../Law.ts"
import { makeLaw } from "../Law.ts"

/** What the name server answers for a name. */
export type NameAnswer =
  /** The name has these records and no others. A TXT record is a list of strings of at most 255 bytes. */
  | {
      readonly does: "exist"
      readonly texts?: ReadonlyArray<ReadonlyArray<string>>
      readonly exchanges?: ReadonlyArray<MailExchange>
    }
  /** The name is an alias (CNAME) of another name. The answer also has the records of that name, as that of a recursive name server. */
  | { readonly does: "alias"; readonly of: string }
  /** Answers SERVFAIL. */
  | { readonly does: "fail" }
  /** Answers REFUSED. */
  | { readonly does: "refuse" }
  /** Never answers. */
  | { readonly does: "hang" }

/** The name server of a law: a law sets its answers and reads the names of its queries. */
export interface NameServer {
  /** Sets the answer for a name from now on. A name without an answer does not exist (NXDOMAIN). */
  readonly script: (name: string, answer: NameAnswer) => Effect.Effect<void, unknown>
  /** The name of each query that the name server received, in order. */
  readonly asked: Effect.Effect<ReadonlyArray<string>, unknown>
}

/** A DNS resolver and the name server that it asks. */
export interface ResolverWithNameServer {
  readonly layer: Layer.Layer<DnsResolver, unknown>
  readonly nameServer: NameServer
}

/** What the author of a DNS resolver supplies to `resolverLaws`. */
export interface ResolverSubject {
  /**
   * A new resolver, and a name server without names. If the resolver has a timeout of its own, make it shorter than 1 s: a law then also checks how a
   * query ends that nobody answers.
   */
  readonly resolver: Effect.Effect<ResolverWithNameServer, unknown, Scope.Scope>
}

/**
 * The name server of the law that is being checked. A law of your own reads it.
 *
 * @example
 * ```ts
 * import { NameServerUnderLaw } from "@mailkeep/conformance"
 * import { Effect } from "effect"
 *
 * // The number of queries that the name server received.
 * export const count = Effect.gen(function* () {
 *   const nameServer = yield* NameServerUnderLaw
 *   return (yield* nameServer.asked).length
 * })
 * ```
 */
export class NameServerUnderLaw extends Context.Service<NameServerUnderLaw, NameServer>()(
  "@mailkeep/conformance/NameServerUnderLaw"
) {}

export type ResolverLaw = Law<DnsResolver | NameServerUnderLaw>

export const openResolver: LawBook<ResolverSubject, DnsResolver | NameServerUnderLaw>["open"] = ({ resolver }) =>
  Effect.gen(function* () {
    const { layer, nameServer } = yield* resolver
    const opened = Context.get(yield* Layer.build(Layer.fresh(layer)), DnsResolver)
    return {
      capabilities: {},
      context: Context.make(DnsResolver, opened).pipe(Context.add(NameServerUnderLaw, nameServer))
    }
  })

const why = "decisions/0013-domains.md"

/** Defines a law over the open resolver and its name server. */
export const resolverLaw = (
  id: ResolverLaw["id"],
  stated: Stated<Record<never, never>>,
  check: (resolver: DnsResolverShape, nameServer: NameServer) => LawBody<never>
): ResolverLaw =>
  makeLaw<DnsResolver | NameServerUnderLaw>(id, why, stated, function* () {
    yield* check(yield* DnsResolver, yield* NameServerUnderLaw)
  })
