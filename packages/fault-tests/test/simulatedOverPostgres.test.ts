/**
 * A simulated run over PostgreSQL is the same as over the memory store, and a difference is found.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { hasPostgres, sharedPostgres } from "@mailkeep/test-support/postgres"
import type { SynchronousStores } from "@mailkeep/test-support/synchronousPostgres"
import { startSynchronousStores } from "@mailkeep/test-support/synchronousPostgres"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { compareStores } from "../src/postgres/simulatedOverPostgres.ts"

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
  let stores: SynchronousStores
  beforeAll(async () => {
    const server = await sharedPostgres()
    stores = startSynchronousStores(server.urlOf(await server.createDatabase()))
  })
  afterAll(() => stores.end())

  // `pnpm faults postgres-simulate` runs more seeds.
  it("finds no difference between PostgreSQL and the memory store with seed 106", () => {
    const { problems, counts } = compareStores(stores, 106)
    expect(problems).toEqual([])
    expect(counts.commits).toBeGreaterThan(50)
  })

  it("finds a store that acknowledges commits without applying them", () => {
    const { problems } = compareStores(stores, 106, losingCommits)
    expect(problems.length).toBeGreaterThan(0)
  })

  it("finds a record that the memory store does not have", () => {
    const { problems } = compareStores(stores, 106, keepingMore)
    expect(problems).toContain("the records at the end differ from those of the memory store")
  })
})
