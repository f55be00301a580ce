/**
 * A DNS resolver over a name server in the process, whose answers a law chooses.
 */
import type { DnsResolver, DnsResolverShape } from "@mailkeep/core/adapter"
import { DnsFailure } from "@mailkeep/core/adapter"
import type { Layer } from "effect"
import { Effect } from "effect"
import type { NameAnswer, NameServer } from "../src/index.ts"

export const nxdomain = new DnsFailure({ definite: true, code: "nxdomain" })
export const nodata = new DnsFailure({ definite: true, code: "nodata" })
const servfail = new DnsFailure({ definite: false, code: "servfail" })
const refused = new DnsFailure({ definite: false, code: "refused" })

type Records = Extract<NameAnswer, { readonly does: "exist" }>
/** The records of a name. */
export type Lookup = (name: string) => Effect.Effect<Records, DnsFailure>

const lookupOf = (answers: ReadonlyMap<string, NameAnswer>): Lookup =>
  function lookup(name) {
    const answer = answers.get(name)
    switch (answer?.does) {
      case "exist":
        return Effect.succeed(answer)
      case "alias":
        return lookup(answer.of)
      case "fail":
        return Effect.fail(servfail)
      case "refuse":
        return Effect.fail(refused)
      case "hang":
        return Effect.never
      case undefined:
        return Effect.fail(nxdomain)
    }
  }

const someOf = <A>(records: ReadonlyArray<A> = []): Effect.Effect<ReadonlyArray<A>, DnsFailure> =>
  records.length === 0 ? Effect.fail(nodata) : Effect.succeed(records)

export const resolverOver = (lookup: Lookup): DnsResolverShape => ({
  texts: (name) => Effect.flatMap(lookup(name), ({ texts }) => someOf(texts?.map((strings) => strings.join("")))),
  exchanges: (name) => Effect.flatMap(lookup(name), ({ exchanges }) => someOf(exchanges))
})

/** A resolver whose layer a function makes from the answers of its name server. */
export const subjectOf = (
  makeLayer: (lookup: Lookup, answers: ReadonlyMap<string, NameAnswer>) => Layer.Layer<DnsResolver>
) => ({
  resolver: Effect.sync(() => {
    const answers = new Map<string, NameAnswer>()
    const asked: Array<string> = []
    const nameServer: NameServer = {
      script: (name, answer) => Effect.sync(() => answers.set(name, answer)),
      asked: Effect.sync(() => [...asked])
    }
    const lookup = lookupOf(answers)
    const counted: Lookup = (name) =>
      Effect.suspend(() => {
        asked.push(name)
        return lookup(name)
      })
    return { layer: makeLayer(counted, answers), nameServer }
  })
})
