import { MemoryMailStore } from "@mailkeep/memory"
import { Effect } from "effect"
import { expect, it } from "vitest"
import type { Query } from "../../../src/domain/store/Query.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { makePruning } from "../../../src/internal/store/pruning.ts"
import { message } from "../../decide/fixtures.ts"

const longest = "x".repeat(2 * 1024 * 1024)

it.each([
  ["twenty messages at once", "short", [20, 10]],
  ["few messages at once while their bodies are long", longest, [4, 4, 4, 4, 4, 4, 4, 2]]
])("prunes %s", (_, body, expected) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* MemoryMailStore.make
      for (let n = 0; n < 30; n++) {
        const one = message({
          id: `msg_${n}`,
          html: body,
          text: body,
          idempotencyKey: "",
          attachments: [],
          createdAt: n
        })
        yield* store.commit([{ _tag: "InsertMessage", message: one }])
      }
      const loaded: Array<number> = []
      const read: Array<number> = []
      const watched: MailStoreShape = {
        ...store,
        read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => {
          if (queries[0]?._tag === "Message") loaded.push(queries.length)
          if (queries[0]?._tag === "MessagesBefore") read.push(queries[0].limit)
          return store.read(queries)
        }
      }
      const prunePage = makePruning(watched)
      let isPruning = true
      while (isPruning) isPruning = yield* prunePage({ bodies: 100, attachments: null }, 0)
      expect(loaded).toEqual(expected)
      expect(Math.max(...read)).toBe(4)
      const [left] = yield* store.read([{ _tag: "MessagesBefore", before: 100, after: null, limit: 100 }])
      expect(left.map(({ html, text }) => [html, text])).toEqual(left.map(() => [null, null]))
      expect(left).toHaveLength(30)
    })
  )
)
