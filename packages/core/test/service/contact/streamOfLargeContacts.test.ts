/**
 * Streams of contacts that have the most and longest properties.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { project, stores, withTestMail } from "@mailkeep/test-support"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { MailStoreShape, Query } from "../../../src/adapter.ts"
import { MailStore } from "../../../src/adapter.ts"
import { Contacts } from "../../../src/index.ts"
import { makeContactReader } from "../../../src/internal/contact/contactReader.ts"
import { contact } from "../../decide/fixtures.ts"

const properties = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`prop_${n}`, "🎉".repeat(500)]))

const writeContacts = (store: MailStoreShape, count: number) =>
  Effect.gen(function* () {
    for (let n = 0; n < count; n++) {
      const [id, email] = [`con_${n}` as const, `ada${n}@example.org`]
      const person = contact({ id, projectId: project, email, address: email, properties, createdAt: n })
      yield* store.commit([{ _tag: "PutContact", contact: person, replaces: null }])
    }
  })

describe("a stream of the largest contacts", () => {
  it("answers a search that finds many of them", { timeout: 60_000 }, () =>
    withTestMail(stores[1])(
      Effect.gen(function* () {
        yield* writeContacts(yield* MailStore, 200)
        const found = (yield* Contacts).stream(project, { search: "ada" })
        expect(yield* Stream.runCount(found)).toBe(200)
      })
    )
  )

  it("reads few of them at once by an index", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* MemoryMailStore.make
        yield* writeContacts(store, 150)
        const limits: Array<number> = []
        const watched: MailStoreShape = {
          ...store,
          read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => {
            for (const query of queries) if (query._tag === "ContactPage") limits.push(query.limit)
            return store.read(queries)
          }
        }
        expect(yield* Stream.runCount(makeContactReader(watched).stream(project, {}))).toBe(150)
        expect(limits).toEqual([100, 27, 27])
      })
    ))
})
