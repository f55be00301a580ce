import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MailStore } from "@mailkeep/core"
import { inCommitOrder } from "@mailkeep/core/adapter"
import { digestStore } from "@mailkeep/core/move"
import * as NodeCrypto from "@mailkeep/core/node"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { acceptedAt, fill } from "../src/rows/scale.ts"
import { numbers } from "../src/workload.ts"

const folder = mkdtempSync(join(tmpdir(), "mailkeep-copied-"))
afterAll(() => rmSync(folder, { recursive: true }))

const digestsOf = (filename: string, prepare: Effect.Effect<unknown, unknown, MailStore> = Effect.void) =>
  Effect.gen(function* () {
    yield* prepare
    const { kinds } = yield* digestStore(yield* MailStore)
    return { Message: kinds.Message, Delivery: kinds.Delivery }
  }).pipe(
    Effect.provide(NodeCrypto.layer),
    Effect.provide(SqliteMailStore.layer({ filename })),
    Effect.scoped,
    Effect.runPromise
  )

describe("copyInSqlite", () => {
  it("makes the same messages and deliveries as commits of the store", async () => {
    const count = 320
    await fill(join(folder, "copied.db"), count)
    const committed = Effect.flatMap(MailStore, (store) =>
      store.commit(inCommitOrder(numbers(count).flatMap((n) => acceptedAt(n, count))))
    )
    const expected = await digestsOf(join(folder, "committed.db"), committed)
    expect(expected.Delivery.count).toBe(count)
    expect(await digestsOf(join(folder, "copied.db"))).toEqual(expected)
  })
})
