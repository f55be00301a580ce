import { rmSync } from "node:fs"
import type { ContactRecord, QueryOf } from "@mailkeep/core/adapter"
import { newestFirst, noContactFilters } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { SqliteMailStore as Store } from "../src/SqliteMailStore.ts"
import { SqliteMailStore } from "../src/index.ts"
import { putContact } from "../src/internal/contactWrites.ts"
import { countMatches, newestMatches, textMatchOf } from "../src/internal/contactTexts.ts"
import type { Prepared, Value } from "../src/internal/recordTable.ts"
import { prepared } from "../src/internal/recordTable.ts"
import { contacts as contactTable } from "../src/internal/tables.ts"
import { createFileOfVersion } from "./fileOfVersion.ts"
import { filesOfEachTest } from "./openedFile.ts"

const { file } = filesOfEachTest()

const inStore = <A, E>(test: (store: Store["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(SqliteMailStore.make({ filename: file(), commitThread: "caller" }), test))
  )

const contactOf = (projectId: string, n: number, change: Partial<ContactRecord> = {}): ContactRecord =>
  ({
    id: `con_${projectId}_${String(n).padStart(5, "0")}`,
    projectId,
    email: `C${n}@x.example`,
    address: `c${n}@x.example`,
    userId: null,
    firstName: "Äda",
    lastName: "Lovelace",
    phoneNumber: null,
    emailStatus: "subscribed",
    source: "manual",
    properties: {},
    listIds: [],
    createdAt: n,
    updatedAt: n,
    revision: 1,
    ...change
  }) as ContactRecord

const scan = (projectId: string, search: string, limit = 100): QueryOf<"ContactScan"> => ({
  _tag: "ContactScan",
  projectId: projectId as ContactRecord["projectId"],
  filters: { ...noContactFilters, search },
  after: null,
  skip: 0,
  limit,
  scanLimit: 1000
})

/** Makes a file with the tables of the version before the index had ranges of row ids, and with contacts. */
const makeOldFile = (contacts: ReadonlyArray<ContactRecord>) => {
  const database = createFileOfVersion(file(), 2)
  const insert = database.prepare(contactTable.insertNew)
  const index = database.prepare("INSERT INTO mailkeep_contact_search (rowid, email, name) VALUES (?, ?, ?)")
  for (const contact of contacts) {
    const { lastInsertRowid } = insert.run(...contactTable.valuesOf(contact, contactTable.fields))
    index.run(lastInsertRowid, contact.email.toLowerCase(), `${contact.firstName} ${contact.lastName}`.toLowerCase())
  }
  database.close()
}

describe("the migration to an index by project", () => {
  it("finds every contact of a file of an earlier version, and contacts that are created, changed and removed later", async () => {
    const old = Array.from({ length: 30 }, (_, n) =>
      contactOf(n % 3 === 0 ? "prj_a" : "prj_b", n, { createdAt: 50 - n })
    )
    makeOldFile(old)
    await inStore((store) =>
      Effect.gen(function* () {
        const check = (present: ReadonlyArray<ContactRecord>) =>
          Effect.gen(function* () {
            for (const projectId of ["prj_a", "prj_b"])
              for (const text of ["äda love", "c1", "@X.EX", "C12@"]) {
                const [{ items, matches }] = yield* store.read([scan(projectId, text)])
                const expected = present.filter(
                  (one) =>
                    one.projectId === projectId &&
                    `${one.email} ${one.firstName} ${one.lastName}`.toLowerCase().includes(text.toLowerCase())
                )
                expect(items).toEqual(expected.toSorted(newestFirst))
                expect(matches).toBe(expected.length)
              }
          })
        yield* check(old)
        const created = contactOf("prj_a", 120)
        const changed = { ...old[1]!, email: "C121@x.example", address: "c121@x.example", revision: 2 }
        yield* store.commit([{ _tag: "PutContact", contact: created, replaces: null }])
        yield* store.commit([
          { _tag: "PutContact", contact: changed, replaces: 1 },
          { _tag: "RemoveContact", projectId: old[29]!.projectId, id: old[29]!.id, revision: 1 }
        ])
        yield* check([old[0]!, changed, ...old.slice(2, 29), created])
      })
    )
  })
})

/** Runs a test on a connection to a store with contacts, which were created in this order. */
const withContacts = async (contacts: ReadonlyArray<ContactRecord>, test: (connection: Prepared) => void) => {
  await inStore(() => Effect.void)
  const database = new Database(file())
  const connection = prepared(database)
  database.transaction(() => {
    for (const contact of contacts) putContact(connection, contact, null)
  })()
  test(connection)
  database.close()
}

/** The newest matches in a store with these contacts, and how many rows the search read. */
const search = async (contacts: ReadonlyArray<ContactRecord>, count: number, rowsMax?: number) => {
  let found: ReadonlyArray<string> | null = []
  let rows = 0
  await withContacts(contacts, (connection) => {
    const match = textMatchOf(connection, "prj_a", "lovelace", null)!
    const counting: Prepared = {
      ...connection,
      statement: (sql) =>
        ({
          iterate: function* (...values: ReadonlyArray<Value>) {
            for (const row of connection.statement(sql).iterate(...values)) {
              rows++
              yield row
            }
          }
        }) as never
    }
    found = newestMatches(counting, match, count, rowsMax)
  })
  return { found, rows }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("newestMatches", () => {
  it("reads one row more than it returns when contacts were created in the order of their times", async () => {
    const contacts = numbers(300).flatMap((n) => [contactOf("prj_a", n), contactOf("prj_b", n)])
    expect(await search(contacts, 5)).toEqual({
      found: [299, 298, 297, 296, 295].map((n) => contactOf("prj_a", n).id),
      rows: 6
    })
  })

  it("reads few rows more when some contacts were created late", async () => {
    const contacts = numbers(300).map((n) => contactOf("prj_a", n, { createdAt: n % 10 === 0 ? n - 5 : n }))
    const { found, rows } = await search(contacts, 5)
    expect(found).toEqual([299, 298, 297, 296, 295].map((n) => contactOf("prj_a", n).id))
    expect(rows).toBeLessThan(20)
  })

  it("reads all matches when a contact far in the future was created first", async () => {
    const contacts = numbers(50).map((n) => contactOf("prj_a", n, { createdAt: n === 0 ? 1e9 : n }))
    expect(await search(contacts, 2)).toEqual({ found: [0, 49].map((n) => contactOf("prj_a", n).id), rows: 50 })
  })

  it("gives up after the largest number of rows", async () => {
    const contacts = numbers(50).map((n) => contactOf("prj_a", n, { createdAt: -n }))
    expect((await search(contacts, 2, 49)).found).toBeNull()
    rmSync(file())
    expect((await search(contacts, 2, 50)).found).toHaveLength(2)
  })

  it("seeks the rows of the project in the index of texts, and does not sort them", () =>
    withContacts([contactOf("prj_a", 1)], (connection) => {
      const sqls: Array<string> = []
      const recording: Prepared = { ...connection, statement: (sql) => (sqls.push(sql), connection.statement(sql)) }
      const match = textMatchOf(connection, "prj_a", "lovelace", null)!
      newestMatches(recording, match, 9)
      const plan = connection
        .statement(`EXPLAIN QUERY PLAN ${sqls[0]!}`)
        .all(...match)
        .map((row) => (row as { readonly detail: string }).detail)
        .join("; ")
      // `M` is the search for the text, `>` and `<` are the bounds of the row ids.
      expect(plan).toMatch(
        /SCAN found VIRTUAL TABLE INDEX \d+:M\d><; SEARCH mailkeep_contacts USING INTEGER PRIMARY KEY/
      )
      expect(plan).not.toContain("TEMP B-TREE")
    }))
})

describe("countMatches", () => {
  it("counts the matches of the project, up to one more than the largest number", () =>
    withContacts(
      [...numbers(20), 0].map((n, at) => contactOf(at === 20 ? "prj_b" : "prj_a", n)),
      (connection) => {
        const match = textMatchOf(connection, "prj_a", "lovelace", null)!
        expect([5, 19, 20, 99].map((max) => countMatches(connection, match, max))).toEqual([6, 20, 20, 20])
        expect(countMatches(connection, textMatchOf(connection, "prj_b", "lovelace", null)!, 99)).toBe(1)
      }
    ))
})
