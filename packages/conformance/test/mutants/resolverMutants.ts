/**
 * A mutant of the DNS resolver over a name server in the process for each law.
 */
import type { DnsResolverShape } from "@mailkeep/core/adapter"
import { DnsResolver } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import type { NameAnswer, ResolverSubject } from "../../src/index.ts"
import type { Lookup } from "../scriptedResolver.ts"
import { nodata, nxdomain, resolverOver, subjectOf } from "../scriptedResolver.ts"

const withLookup = (change: (lookup: Lookup, answers: ReadonlyMap<string, NameAnswer>) => Lookup): ResolverSubject =>
  subjectOf((lookup, answers) => Layer.succeed(DnsResolver, resolverOver(change(lookup, answers))))

const withResolver = (change: (resolver: DnsResolverShape) => Partial<DnsResolverShape>): ResolverSubject =>
  subjectOf((lookup) => {
    const resolver = resolverOver(lookup)
    return Layer.succeed(DnsResolver, { ...resolver, ...change(resolver) })
  })

export const resolverMutants: Readonly<Record<string, ResolverSubject>> = {
  "texts/joined": withLookup(
    (lookup) => (name) =>
      Effect.map(lookup(name), (records) => ({
        ...records,
        texts: records.texts?.map((strings) => [strings.join(" ")]) ?? []
      }))
  ),
  "texts/each-record": withLookup(
    (lookup) => (name) =>
      Effect.map(lookup(name), (records) => ({ ...records, texts: records.texts?.slice(0, 1) ?? [] }))
  ),
  "exchanges/host-and-priority": withResolver(({ exchanges }) => ({
    exchanges: (name) => Effect.map(exchanges(name), (found) => found.map((one) => ({ ...one, priority: 10 })))
  })),
  "names/aliases-are-followed": withLookup(
    (lookup, answers) => (name) => (answers.get(name)?.does === "alias" ? Effect.fail(nodata) : lookup(name))
  ),
  "names/each-its-own-answer": withLookup((lookup) => {
    let latest = ""
    return (name) => {
      latest = name
      return Effect.andThen(
        Effect.yieldNow,
        Effect.suspend(() => lookup(latest))
      )
    }
  }),
  "absent/is-definite": withResolver(({ exchanges }) => ({
    exchanges: (name) =>
      Effect.catch(exchanges(name), ({ code }) => (code === "nodata" ? Effect.succeed([]) : Effect.fail(nxdomain)))
  })),
  "failure/is-temporary": withResolver(({ texts }) => ({
    texts: (name) => Effect.mapError(texts(name), () => nxdomain)
  })),
  "failure/silence-is-temporary": withLookup(
    (lookup, answers) => (name) =>
      answers.get(name)?.does === "hang" ? Effect.andThen(Effect.yieldNow, Effect.fail(nodata)) : lookup(name)
  ),
  "answers/not-kept": withResolver(({ texts }) => {
    const kept = new Map<string, ReadonlyArray<string>>()
    return {
      texts: (name) => {
        const known = kept.get(name)
        return known === undefined
          ? Effect.tap(texts(name), (found) => Effect.sync(() => kept.set(name, found)))
          : Effect.succeed(known)
      }
    }
  }),
  "deadline/interruptible": withResolver(({ texts }) => {
    let isCut = false
    return {
      texts: (name) =>
        Effect.suspend(() => (isCut ? Effect.succeed([]) : texts(name))).pipe(
          Effect.onInterrupt(() => Effect.sync(() => void (isCut = true)))
        )
    }
  })
}
