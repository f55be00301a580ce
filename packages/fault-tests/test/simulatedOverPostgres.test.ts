/**
 * A simulated run over PostgreSQL is the same as over the memory store, and a difference is found.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { compareStores, withSynchronousStores } from "../src/postgres/simulatedOverPostgres.ts"

/** Acknowledges each fifth commit and does not apply it. */
const losingCommits = (store: MailStoreShape): MailStoreShape => {
  let count = 0
  return { ...store, commit: (changes) => (count++ % 5 === 4 ? Effect.void : store.commit(changes)) }
}

/** Keeps a setting that the memory store does not have. */
const keepingMore = (store: MailStoreShape): MailStoreShape => {
  Effect.runSync(store.commit([{ _tag: "PutSetting", name: "more", value: "x" }]))
  return store
}

describe.skipIf(!hasPostgres())("compareStores", () => {
  // `pnpm faults postgres-simulate` runs more seeds.
  it("finds no difference between PostgreSQL and the memory store with seed 106", { timeout: 120_000 }, async () => {
    const { problems, counts } = await withSynchronousStores((stores) => compareStores(stores, 106))
    expect(problems).toEqual([])
    expect(counts.commits).toBeGreaterThan(50)
  })

  it("finds a store that acknowledges commits without applying them", { timeout: 120_000 }, async () => {
    const { problems } = await withSynchronousStores((stores) => compareStores(stores, 106, losingCommits))
    expect(problems.length).toBeGreaterThan(0)
  })

  it("finds a record that the memory store does not have", { timeout: 120_000 }, async () => {
    const { problems } = await withSynchronousStores((stores) => compareStores(stores, 106, keepingMore))
    expect(problems).toContain("the records at the end differ from those of the memory store")
  })
})
