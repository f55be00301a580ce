/**
 * On which servers the store opens: a table of settings, and one real server that does not sync.
 */
import { hasPostgres, openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import type { DurabilityOptions, ServerSettings } from "../src/internal/serverSettings.ts"
import { serverRefusalOf } from "../src/internal/serverSettings.ts"

const sound: ServerSettings = {
  version: 140_000,
  encoding: "UTF8",
  recovering: false,
  readOnly: "off",
  synchronous: "on",
  fsync: "on",
  pages: "on"
}

const strict: DurabilityOptions = { allowAsynchronousCommit: false, storageKeepsCommits: false }

describe("serverRefusalOf", () => {
  it.each<[string, Partial<ServerSettings>, Partial<DurabilityOptions>, string | undefined]>([
    ["a sound server", {}, {}, undefined],
    ["a server that waits until its standby has applied a commit", { synchronous: "remote_apply" }, {}, undefined],
    ["a server that waits until its standby has a commit in memory", { synchronous: "remote_write" }, {}, undefined],
    ["PostgreSQL 13", { version: 130_014 }, {}, "unsupported_runtime"],
    ["another encoding", { encoding: "LATIN1" }, {}, "unsupported_runtime"],
    ["a standby", { recovering: true }, {}, "read_only"],
    ["a role that may only read", { readOnly: "on" }, {}, "read_only"],
    ["commits without a sync", { fsync: "off" }, {}, "not_durable"],
    ["pages that can be torn", { pages: "off" }, {}, "not_durable"],
    ["commits that are answered early", { synchronous: "off" }, {}, "not_durable"],
    ["commits that do not wait for the standby", { synchronous: "local" }, {}, "not_durable"],
    [
      "no sync, on storage that keeps commits",
      { fsync: "off", pages: "off" },
      { storageKeepsCommits: true },
      undefined
    ],
    ["early answers, which are allowed", { synchronous: "off" }, { allowAsynchronousCommit: true }, undefined],
    [
      "early answers, on storage that keeps commits",
      { synchronous: "off" },
      { storageKeepsCommits: true },
      "not_durable"
    ],
    ["no sync, where early answers are allowed", { fsync: "off" }, { allowAsynchronousCommit: true }, "not_durable"]
  ])("checks %s", (_, settings, options, reason) => {
    expect(serverRefusalOf({ ...sound, ...settings }, { ...strict, ...options })?.reason).toBe(reason)
  })
})

describe.skipIf(!hasPostgres())("make", () => {
  it("refuses a server that does not sync, unless its storage keeps commits", async () => {
    const watched = openWatched({ isInMemory: true })
    onTestFinished(() => watched.close())
    const server = await startPostgres(watched, { fsync: "off" })
    const connectionString = server.urlOf(await server.createDatabase())
    const open = (options: Partial<DurabilityOptions>) =>
      PostgresMailStore.make({ connectionString, ...options }).pipe(Effect.scoped, Effect.runPromise)
    await expect(open({})).rejects.toMatchObject({ reason: "not_durable" })
    expect((await open({ storageKeepsCommits: true })).capabilities).toEqual({ durable: true, multiProcess: true })
  })
})
