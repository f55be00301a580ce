import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  ambiguityPolicies,
  attemptOutcomes,
  attemptPhases,
  claimableStatuses,
  contactSources,
  deliveryReasons,
  deliveryStatuses,
  domainStatuses,
  emailStatuses,
  sendingSources
} from "@mailkeep/core/domain"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"

let folder: string
let database: Database.Database
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-schema-"))
  const filename = join(folder, "mail.db")
  await Effect.runPromise(Effect.scoped(SqliteMailStore.make({ filename })))
  database = new Database(filename, { readonly: true })
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

const schemaOf = (table: string) =>
  (
    database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) as {
      readonly sql: string
    }
  ).sql

describe("the CHECK lists are the domain's", () => {
  it.each<[string, string, ReadonlyArray<string>]>([
    ["deliveries", "status", deliveryStatuses],
    ["deliveries", "reason", deliveryReasons],
    ["deliveries", "source", sendingSources],
    ["deliveries", "kind", ["to", "cc", "bcc"]],
    ["deliveries", "bounce_type", ["hard", "soft"]],
    ["messages", "source", sendingSources],
    ["messages", "on_ambiguous", ambiguityPolicies],
    ["projects", "on_ambiguous", ambiguityPolicies],
    ["domains", "status", domainStatuses],
    ["contacts", "email_status", emailStatuses],
    ["contacts", "source", contactSources],
    ["attempts", "phase", attemptPhases],
    ["attempts", "outcome", attemptOutcomes]
  ])("%s.%s", (table, column, values) => {
    const list = new RegExp(`^\\s*${column}\\b.*CHECK \\(${column} IN \\(([^)]*)\\)\\)`, "m").exec(schemaOf(table))?.[1]
    expect(list?.split(",").map((value) => value.trim().slice(1, -1))).toEqual(values)
  })

  it("a delivery is due exactly in the statuses that a claim reaches", () => {
    const list = /due_at IS NOT NULL\) = \(status IN \(([^)]*)\)/.exec(schemaOf("deliveries"))?.[1]
    expect(list?.split(",").map((value) => value.trim().slice(1, -1))).toEqual([...claimableStatuses])
  })

  it("every table is strict", () => {
    const tables = database
      .prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'")
      .all() as ReadonlyArray<{
      readonly name: string
      readonly strict: number
    }>
    expect(tables.filter(({ name, strict }) => strict !== 1 && !name.startsWith("contact_search"))).toEqual([])
    expect(tables.length).toBeGreaterThan(10)
  })
})

describe("what must be quick is a seek", () => {
  const plan = (sql: string, ...values: ReadonlyArray<unknown>) =>
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as ReadonlyArray<{ readonly detail: string }>)
      .map(({ detail }) => detail)
      .join("; ")

  it.each([
    [
      "a claim",
      "SELECT id FROM deliveries WHERE status = 'queued' AND due_at <= 5 ORDER BY due_at, id LIMIT 9",
      /SEARCH deliveries USING (COVERING )?INDEX deliveries_due/
    ],
    [
      "the newest page",
      "SELECT * FROM deliveries WHERE project_id = 'p' ORDER BY created_at DESC, id DESC LIMIT 9",
      /SEARCH deliveries USING INDEX deliveries_newest/
    ],
    [
      "a later page",
      "SELECT * FROM deliveries INDEXED BY deliveries_newest WHERE project_id = 'p' AND (created_at, id) < (5, 'd') ORDER BY created_at DESC, id DESC LIMIT 9",
      /SEARCH deliveries USING INDEX deliveries_newest \(project_id=\? AND \(created_at,id\)<\(\?,\?\)\)/
    ],
    [
      "a recipient's page",
      "SELECT * FROM deliveries INDEXED BY deliveries_of_recipient WHERE project_id = 'p' AND address = 'a' ORDER BY created_at DESC, id DESC",
      /deliveries_of_recipient \(project_id=\? AND address=\?/
    ],
    [
      "a contact's page",
      "SELECT * FROM deliveries INDEXED BY deliveries_of_contact WHERE project_id = 'p' AND contact_id = 'c' ORDER BY created_at DESC, id DESC",
      /deliveries_of_contact \(project_id=\? AND contact_id=\?/
    ],
    ["a message's deliveries", "SELECT * FROM deliveries WHERE message_id = 'm' ORDER BY id", /deliveries_of_message/],
    [
      "a contact by address",
      "SELECT * FROM contacts WHERE project_id = 'p' AND address = 'a'",
      /SEARCH contacts USING INDEX sqlite_autoindex_contacts_\d \(project_id=\? AND address=\?\)/
    ],
    [
      "a key by its public part",
      "SELECT * FROM api_keys WHERE public_id = 'k'",
      /SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_\d \(public_id=\?\)/
    ],
    [
      "the next due time",
      "SELECT due_at FROM deliveries WHERE status = 'queued' AND due_at IS NOT NULL AND worker IS NULL ORDER BY due_at LIMIT 1",
      /SEARCH deliveries USING INDEX deliveries_due/
    ]
  ])("%s", (_, sql, expected) => {
    const found = plan(sql)
    expect(found).toMatch(expected)
    expect(found).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe("definitions", () => {
  // Without row ids, SQLite reads each row in full that a search by key compares: with bodies of 4 MiB, 15 ms for one seek.
  it("are in a table with row ids", () => {
    expect(schemaOf("definitions")).not.toMatch(/WITHOUT ROWID/i)
  })
})
