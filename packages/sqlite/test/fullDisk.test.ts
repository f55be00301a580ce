/**
 * A store on a disk that is full.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { filesOfEachTest, mountTmpfs, put, refusal } from "./openedFile.ts"

const { file, folder } = filesOfEachTest()

describe("the disk of a store", () => {
  it("reports a full disk, keeps acknowledged commits, and continues when the disk has space again", async (context) => {
    const unmount = mountTmpfs(folder(), "size=1m")
    if (unmount === undefined) return context.skip("skipped: this user may not mount a small file system")
    try {
      await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const store = yield* SqliteMailStore.make({ filename: file() })
            const filler = join(folder(), "filler")
            let kept = 0
            const fill = Effect.gen(function* () {
              for (let i = 0; i < 500; i++) {
                yield* store.commit([{ _tag: "PutSetting", name: `s${i}`, value: "x".repeat(8000) }])
                kept++
              }
            })
            writeFileSync(filler, "x".repeat(200_000))
            expect(yield* Effect.flip(fill)).toMatchObject({ _tag: "StoreUnavailable", reason: "full" })
            expect(kept).toBeGreaterThan(0)
            for (let i = 0; i < kept; i++) {
              const [value] = yield* store.read([{ _tag: "Setting", name: `s${i}` }])
              expect(value).toHaveLength(8000)
            }
            rmSync(filler)
            yield* store.commit(put("after"))
          })
        )
      )
    } finally {
      unmount()
    }
  })

  it("fails to open a file when the disk is full", async (context) => {
    const unmount = mountTmpfs(folder(), "size=64k")
    if (unmount === undefined) return context.skip("skipped: this user may not mount a small file system")
    try {
      writeFileSync(join(folder(), "filler"), "x".repeat(40_000))
      expect(await refusal(file())).toMatchObject({ reason: "full" })
    } finally {
      unmount()
    }
  })
})
