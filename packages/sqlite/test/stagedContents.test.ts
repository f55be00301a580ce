import { createHash } from "node:crypto"
import { closeSync, openSync, statSync, writeSync } from "node:fs"
import type { Change, ChangeOf } from "@mailkeep/core/adapter"
import { Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeStagedCommit } from "../src/internal/stagedCommit.ts"
import { prepared } from "../src/internal/recordTable.ts"
import { putStagedContent, stagedKey } from "../src/internal/stagedContents.ts"
import type { SqliteMailStore as Store } from "../src/SqliteMailStore.ts"
import { filesOfEachTest, open } from "./openedFile.ts"
import { makeStarted } from "./startedStore.ts"

const { file } = filesOfEachTest()

const chunkBytes = 256 * 1024
const projectId = "prj_acme"

/** A content of whole chunks, each with other bytes. */
const contentOf = (chunkCount: number, first = 0): ChangeOf<"PutContent"> => {
  const chunks = Array.from({ length: chunkCount }, (_, n) => new Uint8Array(chunkBytes).fill(first + n))
  const hash = chunks.reduce((all, chunk) => all.update(chunk), createHash("sha256")).digest("hex")
  return { _tag: "PutContent", projectId, hash, chunks }
}

const setting = (name: string): Change => ({ _tag: "PutSetting", name, value: "1" })

/** A guard that does not hold. */
const refusedChange: Change = { _tag: "DistributeEvent", projectId, id: "evt_missing" }

interface Row {
  readonly hash: string
  readonly chunk: number
}

/** The hashes and numbers of all chunks in the file. */
const rowsInFile = (): ReadonlyArray<Row> => {
  const database = new Database(file(), { readonly: true })
  try {
    return database
      .prepare("SELECT hash, chunk FROM mailkeep_contents ORDER BY hash, chunk")
      .all() as ReadonlyArray<Row>
  } finally {
    database.close()
  }
}

const insertRow = (hash: string): void => {
  const database = new Database(file())
  try {
    database.prepare("INSERT INTO mailkeep_contents VALUES (?, ?, 0, x'00')").run(projectId, hash)
  } finally {
    database.close()
  }
}

/** Overwrites every page of the file but the first, which describes the tables. */
const damageFile = (): void => {
  const firstPageBytes = 4096
  const descriptor = openSync(file(), "r+")
  try {
    const damage = new Uint8Array(statSync(file()).size - firstPageBytes).fill(255)
    writeSync(descriptor, damage, 0, damage.length, firstPageBytes)
  } finally {
    closeSync(descriptor)
  }
}

const rowsOf = ({ hash, chunks }: ChangeOf<"PutContent">): ReadonlyArray<Row> =>
  chunks.map((_, chunk) => ({ hash, chunk }))

/** Whether the store has the same bytes. A comparison by `expect` takes a second for each MiB. */
const hasBytes = (store: Store["Service"], { hash, chunks }: ChangeOf<"PutContent">) =>
  Effect.map(
    store.read(chunks.map((_, chunk) => ({ _tag: "ContentChunk", projectId, hash, chunk }) as const)),
    (read) => read.every((bytes, chunk) => bytes !== null && Buffer.compare(bytes, chunks[chunk]!) === 0)
  )

describe.each(["worker", "caller"] as const)("a commit with large contents on the %s thread", (commitThread) => {
  const inStore = <A, E>(test: (store: Store["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(makeStarted({ filename: file(), commitThread }), test)))

  it("writes every MiB in a transaction of its own, and then the commit", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const [large, small] = [contentOf(9), contentOf(1, 100)]
        yield* store.commit([large, small, setting("large")])
        expect(store.groupCounts().groups).toBe(3 + 1 + 1)
        expect(rowsInFile()).toEqual(
          [...rowsOf(large), ...rowsOf(small)].toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
        )
        expect([yield* hasBytes(store, large), yield* hasBytes(store, small)]).toEqual([true, true])
      })
    ))

  it("writes contents up to 1 MiB in the commit itself", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* store.commit([contentOf(3), contentOf(1, 100)])
        expect(store.groupCounts().groups).toBe(1)
      })
    ))

  it("fails with StoreUnavailable when SQLite cannot look for the content", async () => {
    await inStore((store) => store.commit([setting("first")]))
    const failure = await inStore((store) => {
      damageFile()
      return Effect.flip(store.commit([contentOf(9)]))
    })
    expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "unreachable" })
  })

  it("lets other commits run before its end", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const large = yield* Effect.forkChild(store.commit([contentOf(40)]), { startImmediately: true })
        for (let n = 0; n < 5; n++) yield* store.commit([setting(`small ${n}`)])
        expect(large.pollUnsafe()).toBeUndefined()
        yield* Fiber.join(large)
      })
    ))

  it("leaves nothing when a guard does not hold", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(store.commit([contentOf(9), refusedChange]))
        expect(failure).toEqual(new Conflict({ at: 1, change: "DistributeEvent", reason: "NotFound" }))
        expect(rowsInFile()).toEqual([])
      })
    ))

  it("leaves nothing when it is interrupted", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const large = yield* Effect.forkChild(store.commit([contentOf(40)]), { startImmediately: true })
        yield* store.commit([setting("small")])
        yield* Fiber.interrupt(large)
        expect(rowsInFile()).toEqual([])
      })
    ))

  it("leaves nothing when it is interrupted while another connection has the lock and the product has named its own", async () => {
    await Effect.runPromise(open(file()))
    const [product, other] = [new Database(file()), new Database(file())]
    const options = { filename: file(), commitThread, connection: product }
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* makeStarted(options)
          other.exec("BEGIN IMMEDIATE")
          const large = yield* Effect.forkChild(store.commit([contentOf(9)]), { startImmediately: true })
          // Longer than the thread waits for the lock before it looks for a transaction of the product.
          yield* Effect.sleep("80 millis")
          const interruption = yield* Effect.forkChild(Fiber.interrupt(large), { startImmediately: true })
          yield* Effect.sleep("150 millis")
          other.exec("COMMIT")
          yield* Fiber.join(interruption)
        })
      )
    )
    product.close()
    other.close()
    expect(rowsInFile()).toEqual([])
  })

  it("writes a content that the project has no second time", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* store.commit([contentOf(9)])
        const { groups } = store.groupCounts()
        yield* store.commit([contentOf(9)])
        expect(store.groupCounts().groups).toBe(groups + 1)
        expect(rowsInFile()).toEqual(rowsOf(contentOf(9)))
      })
    ))

  it("writes no MiB in the transaction of another", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const large = [contentOf(8), contentOf(8, 50), contentOf(8, 100)]
        yield* Effect.forEach(large, (content) => store.commit([content]), { concurrency: "unbounded" })
        expect(store.groupCounts().groups).toBeGreaterThanOrEqual(3 * 2 + 1)
        expect(rowsInFile().length).toBe(3 * 8)
      })
    ))

  it("keeps one of two contents that are the same and are committed at once", () =>
    inStore((store) =>
      Effect.gen(function* () {
        yield* Effect.all([store.commit([contentOf(9)]), store.commit([contentOf(9)])], { concurrency: 2 })
        expect(rowsInFile()).toEqual(rowsOf(contentOf(9)))
      })
    ))

  it("deletes a content that was staged an hour ago by a process that ended, and reads none of them", () =>
    inStore((store) =>
      Effect.gen(function* () {
        const hour = 60 * 60 * 1000
        const [old, young] = [stagedKey(Date.now() - hour - 1, "old"), stagedKey(Date.now() - hour / 2, "young")]
        insertRow(old)
        insertRow(young)
        const [records] = yield* store.read([
          { _tag: "Records", kind: "Content", projectId: null, after: null, limit: 9 }
        ])
        expect(records).toEqual([])
        yield* store.commit([contentOf(9)])
        expect(rowsInFile().filter(({ hash }) => hash.startsWith("staged-"))).toEqual([{ hash: young, chunk: 0 }])
      })
    ))
})

describe("a content that is deleted before the commit that needs it", () => {
  it("is committed with its bytes", async () => {
    const submitted: Array<unknown> = []
    const commit = makeStagedCommit({
      hasContent: () => Effect.succeed(true),
      submit: ((write: { readonly changes: ReadonlyArray<{ readonly _tag: string }> }) => {
        submitted.push(write)
        return write.changes[0]!._tag === "PutStagedContent"
          ? Effect.fail(new Conflict({ at: 0, change: "PutContent", reason: "NotFound" }))
          : Effect.void
      }) as never
    })
    const changes = [contentOf(9), setting("large")]
    await Effect.runPromise(commit(changes))
    expect(submitted.slice(1)).toEqual([{ _tag: "Commit", changes }])
  })
})

describe("a commit that cannot stage its content because the file is locked", () => {
  it("fails a second later, also when the file is still locked", () =>
    Effect.gen(function* () {
      const locked = new StoreUnavailable({ reason: "locked" })
      const submitted: Array<string> = []
      const commit = makeStagedCommit({
        hasContent: () => Effect.succeed(false),
        submit: ((write: { readonly _tag: string }) =>
          Effect.suspend(() => {
            submitted.push(write._tag)
            return write._tag === "StageChunks" ? Effect.fail(locked) : Effect.never
          })) as never
      })
      const failing = yield* Effect.forkChild(Effect.flip(commit([contentOf(9), contentOf(9, 50)])), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      expect(failing.pollUnsafe()).toEqual(Exit.succeed(locked))
      expect(submitted).toEqual(["StageChunks", "DiscardStaged", "DiscardStaged"])
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise))
})

describe("putStagedContent", () => {
  it.each<[string, string | null]>([
    ["a staged content without its second chunk", stagedKey(0, "one")],
    ["a content that was not staged", null]
  ])("commits nothing of %s", async (_, key) => {
    await Effect.runPromise(open(file()))
    if (key !== null) insertRow(key)
    const database = new Database(file())
    const content = { _tag: "PutStagedContent", projectId, hash: "a", key, chunkCount: 2 } as const
    expect(putStagedContent(prepared(database), content)).toBe("NotFound")
    database.close()
    expect(rowsInFile().map(({ hash }) => hash)).toEqual(key === null ? [] : [key])
  })
})

describe("stagedKey", () => {
  it("is as long as a hash, greater than every hash, and ordered by time", () => {
    const keys = [0, 1, 999, 1_000, Date.now(), 9e12].map((now) => stagedKey(now, crypto.randomUUID()))
    expect(keys.map(({ length }) => length)).toEqual(keys.map(() => 64))
    expect(keys.toSorted()).toEqual(keys)
    expect(keys[0]! > "f".repeat(64)).toBe(true)
  })
})
