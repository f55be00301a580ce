/**
 * Stores with a fault that real databases and clients have, as they lose a part of what they are given. The laws catch each.
 */
import type { Message } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { runConformance, storeLaws } from "../src/index.ts"
import type { Mutation } from "./mutants/mutating.ts"
import { changing, rereading } from "./mutants/mutating.ts"

const storing = (change: (message: Message) => Message): Mutation =>
  changing("InsertMessage", (one) => [{ ...one, message: change(one.message) }])

const withoutNulls = (message: Message): Message => ({
  ...message,
  metadata: Object.fromEntries(Object.entries(message.metadata).filter(([, value]) => value !== null))
})

const withoutLists = (message: Message): Message => ({
  ...message,
  metadata: Object.fromEntries(Object.entries(message.metadata).filter(([, value]) => !Array.isArray(value)))
})

/** `TextDecoder` does so, unless it has the option `ignoreBOM`. */
const decoded = (message: Message): Message => ({
  ...message,
  html: message.html === null ? null : new TextDecoder().decode(new TextEncoder().encode(message.html))
})

/** Most collations of MySQL compare texts so, also `utf8mb4_bin`. */
const withoutLastSpaces: Mutation = changing("RecordIdempotency", (change) => [
  { ...change, record: { ...change.record, key: change.record.key.trimEnd() } }
])

/** A range of keys does so, when the project ends without a separator. */
const byPrefix: Mutation = rereading("ApiKeys", (store, { _tag, projectId }) =>
  Effect.map(
    Effect.forEach(["prj_law", "prj_other"], (project) =>
      project.startsWith(projectId)
        ? Effect.map(store.read([{ _tag, projectId: project }]), ([found]) => found)
        : Effect.succeed([])
    ),
    (found) => found.flat()
  )
)

/** A statement of SQL that lists the columns of the recipients does so. */
const senderKept: Mutation = changing("RewriteRecord", (change) => {
  const { before, after } = change
  if (before.kind !== "Message" || after?.kind !== "Message") return [change]
  const { from, replyTo } = before.record
  return [{ ...change, after: { ...after, record: { ...after.record, from, replyTo } } }]
})

/** Compares the revision of each expected record first, and writes the other changes later. A lock keeps each absent record absent. */
const revisionsApart: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const read = changes.filter((change) => change._tag === "Expect" && change.revision !== null)
      yield* store.commit(read)
      if (read.length > 0) yield* Effect.yieldNow
      yield* store.commit(changes.filter((change) => !read.includes(change)))
    })
})

const mutant = (mutate: Mutation): Layer.Layer<MailStore> =>
  Layer.effect(MailStore, Effect.map(MemoryMailStore.make, mutate))

/** The sweep of messages does not look whether the store is open. */
const sweepingAfterClose = Layer.effect(
  MailStore,
  Effect.map(MailStore, (store) => ({ ...store, sweepMessages: () => Effect.succeed({ deleted: 0, next: null }) }))
).pipe(Layer.provide(MemoryMailStore.layer))

const cases: ReadonlyArray<readonly [string, string, Layer.Layer<MailStore>]> = [
  ["loses null in the metadata", "values/json-unchanged", mutant(storing(withoutNulls))],
  ["loses lists in the metadata", "values/json-unchanged", mutant(storing(withoutLists))],
  ["loses the byte order mark of a text", "values/texts-unchanged", mutant(storing(decoded))],
  [
    "loses the changes of a commit after the first 200",
    "commit/as-large-as-they-come",
    mutant((store) => ({ ...store, commit: (changes) => store.commit(changes.slice(0, 200)) }))
  ],
  [
    "compares names without the spaces at their end",
    "values/names-differ-by-every-character",
    mutant(withoutLastSpaces)
  ],
  [
    "finds the records of each project whose id begins with the given one",
    "isolation/no-project-sees-another",
    mutant(byPrefix)
  ],
  [
    "compares expected revisions before its transaction",
    "guards/each-kind-is-expected-in-a-race",
    mutant(revisionsApart)
  ],
  ["keeps the sender of a rewritten message", "records/rewrites-what-was-read", mutant(senderKept)],
  ["sweeps messages after its close", "durability/closed-is-reported", sweepingAfterClose]
]

describe("storeLaws", () => {
  it.each(cases)("catches a store that %s", async (_, law, place) => {
    const { laws } = await Effect.runPromise(runConformance("lossy", storeLaws, { place }, { only: [law] }))
    expect(laws.map(({ id, verdict }) => [id, verdict])).toEqual([[law, "broken"]])
  })
})
