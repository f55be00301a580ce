/**
 * How long writes wait for the lock of another connection, when many of them wait.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Change } from "@mailkeep/core/adapter"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { expect, it, onTestFinished } from "vitest"
import type { GroupWriter } from "../src/internal/groupCommit.ts"
import { makeGroupCommit } from "../src/internal/groupCommit.ts"
import { fileIdentityOf } from "../src/internal/fileCheck.ts"
import { lockMillis, monotonicMillis } from "../src/internal/lockWait.ts"
import type { ProductConnections } from "../src/internal/productConnections.ts"
import { makeProductConnections } from "../src/internal/productConnections.ts"
import { makeCommitThread } from "../src/internal/thread/commitThread.ts"
import type { Write } from "../src/internal/writes.ts"
import { open } from "./openedFile.ts"

const put = (name: string): ReadonlyArray<Change> => [{ _tag: "PutSetting", name, value: "1" }]
const write = (name: string): Write => ({ _tag: "Commit", changes: put(name) })

/** An existing store whose lock another connection of the process has. */
const lockedFile = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-lock-"))
  const filename = join(folder, "mail.db")
  await Effect.runPromise(open(filename))
  const other = new Database(filename)
  other.exec("BEGIN IMMEDIATE")
  onTestFinished(() => {
    other.close()
    rmSync(folder, { recursive: true })
  })
  return filename
}

/** Commits groups with the thread alone. Each waits so long, by its call. Returns how long all of them took, and the failures. */
const failuresWhileLocked = async (
  groups: number,
  waitMillis: number,
  connections: ProductConnections = makeProductConnections()
) => {
  const filename = await lockedFile()
  return Effect.gen(function* () {
    const thread = yield* makeCommitThread(filename, fileIdentityOf(filename), connections, () => true)
    yield* thread.started
    const began = monotonicMillis()
    const writes = (group: number) => Array.from({ length: 200 }, (_, n) => write(`${group}-${n}`))
    const failures = yield* Effect.forEach(
      Array.from({ length: groups }, (_, n) => n),
      (group) => Effect.flip(thread.commit(writes(group), began + waitMillis)),
      { concurrency: "unbounded" }
    )
    return { millis: monotonicMillis() - began, reasons: failures.map(({ reason }) => reason) }
  }).pipe(Effect.scoped, Effect.runPromise)
}

it("lets many groups wait for a lock at the same time, and not one after the other", async () => {
  const { millis, reasons } = await failuresWhileLocked(6, 1500)
  expect(reasons).toEqual(Array.from({ length: 6 }, () => "locked"))
  expect(millis).toBeGreaterThanOrEqual(1500)
  // One after the other, the groups would wait for 9 s.
  expect(millis).toBeLessThan(5000)
})

it("lets many groups wait at the same time, also when the product has named a connection", async () => {
  const product = new Database(":memory:")
  onTestFinished(() => void product.close())
  const connections = makeProductConnections()
  connections.add(product)
  const { millis, reasons } = await failuresWhileLocked(6, 1500, connections)
  expect(reasons).toEqual(Array.from({ length: 6 }, () => "locked"))
  expect(millis).toBeLessThan(5000)
})

it("counts the wait of each write from its call, also while it waits behind others", async () => {
  const waits: Array<number> = []
  const writer: GroupWriter = {
    batching: () => ({ writesMax: 1, isConcurrent: false }),
    commit: (_, lockedUntil) => {
      waits.push(lockedUntil)
      return Effect.fail(new StoreUnavailable({ reason: "locked" }))
    },
    dataVersion: Effect.succeed(1)
  }
  await Effect.gen(function* () {
    const group = yield* makeGroupCommit(writer)
    const called = monotonicMillis()
    yield* Effect.forEach(["a", "b", "c"], (name) => Effect.flip(group.submit(write(name))), {
      concurrency: "unbounded"
    })
    expect(waits).toHaveLength(3)
    for (const lockedUntil of waits) expect(lockedUntil - called).toBeLessThanOrEqual(lockMillis + 100)
  }).pipe(Effect.scoped, Effect.runPromise)
})

it("keeps a write that was called later waiting after an earlier one has failed", async () => {
  const filename = await lockedFile()
  await Effect.gen(function* () {
    const thread = yield* makeCommitThread(filename, fileIdentityOf(filename), makeProductConnections(), () => true)
    yield* thread.started
    const began = monotonicMillis()
    const until = (waitMillis: number) =>
      Effect.map(
        Effect.flip(thread.commit([write(`w${waitMillis}`)], began + waitMillis)),
        () => monotonicMillis() - began
      )
    const [early, late] = yield* Effect.all([until(200), until(1200)], { concurrency: "unbounded" })
    expect(early).toBeLessThan(1200)
    expect(late).toBeGreaterThanOrEqual(1200)
  }).pipe(Effect.scoped, Effect.runPromise)
})
