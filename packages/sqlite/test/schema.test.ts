import { createHash } from "node:crypto"
import { claimableStatuses, indexedStatuses, noLogFilters } from "@mailkeep/core/adapter"
import { checkedColumns, checkListOf, statusesWithDueTime } from "@mailkeep/test-support/checkedColumns"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migrations } from "../src/internal/migrations.ts"
import { logSearch } from "../src/internal/scannedPages.ts"
import { openFreshDatabase } from "./freshDatabase.ts"

let database: Awaited<ReturnType<typeof openFreshDatabase>>["database"]
let close: () => void
beforeAll(async () => {
  ;({ database, close } = await openFreshDatabase())
})
afterAll(() => close())

const schemaOf = (table: string) =>
  (
    database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) as {
      readonly sql: string
    }
  ).sql

describe("migrations", () => {
  // Released files have the tables of these bytes. Add a step; do not change an existing step.
  it("keeps the checksum of every released migration", () => {
    const checksums = migrations.map((sql) => createHash("sha256").update(sql).digest("hex"))
    expect(checksums).toEqual([
      "aa9e840fe11650a7d02aef780cd2c5b5a474cbf93f6ee2acb51ba900eaf67cb0",
      "4d733aa30ee4da688a4fd4ffcb8f4b63341743e5e37bae103c2452cbbc461ed4",
      "f0cda1afb9f9a031012667200342ec3fbc12bcb0b196e37253c55e091c2763b0",
      "dbc3e9a71690c5a8348f20aff174941b9e91baf72d3fa1172cb99af288cb2395",
      "d70b067cfcd46d1e125203e3f5dbf57f10cfcd737b9e4a7d24c2a2094d4ea957"
    ])
  })
})

describe("the CHECK lists", () => {
  it.each(checkedColumns)("lists the values of the domain in the CHECK of %s.%s", (table, column, values) => {
    expect(checkListOf(schemaOf(`mailkeep_${table}`), column)).toEqual(values)
  })

  it("has a due time exactly in the statuses that a claim can take", () => {
    expect(statusesWithDueTime(schemaOf("mailkeep_deliveries"))).toEqual([...claimableStatuses])
  })

  it("makes every table strict", () => {
    const tables = database
      .prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'")
      .all() as ReadonlyArray<{
      readonly name: string
      readonly strict: number
    }>
    expect(tables.filter(({ name, strict }) => strict !== 1 && !name.startsWith("mailkeep_contact_texts"))).toEqual([])
    expect(tables.length).toBeGreaterThan(10)
  })
})

describe("queries that must be fast", () => {
  const statusIndex = /CREATE INDEX mailkeep_deliveries_of_status .*/.exec(migrations.join(""))![0]
  const indexedByStatus = [...statusIndex.matchAll(/status = '(\w+)'/g)].map(([, status]) => status!)
  const plan = (sql: string, ...values: ReadonlyArray<unknown>) =>
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as ReadonlyArray<{ readonly detail: string }>)
      .map(({ detail }) => detail)
      .join("; ")

  const search = { projectId: "p", filters: noLogFilters, after: null } as const
  const dates = { startDate: 1, endDate: 9 } as const

  it.each(indexedStatuses.filter((status) => status !== "sending"))(
    "reads a page of the log with the status %s by an index without a scan or a sort",
    (status) => {
      for (const after of [null, { createdAt: 5, id: "d" }])
        for (const some of [{}, dates]) {
          const [sql, values] = logSearch({ ...search, filters: { ...noLogFilters, ...some, status }, after })
          const found = plan(sql, ...values, 9)
          expect(found).toMatch(
            /SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_of_status \(project_id=\? AND status=\?/
          )
          expect(found).not.toMatch(/SCAN|TEMP B-TREE/)
          if (after !== null) expect(found).toContain("(created_at,id)<(?,?)")
        }
    }
  )

  it("reads only the deliveries that are sending for a page of them", () => {
    const [sql, values] = logSearch({ ...search, filters: { ...noLogFilters, status: "sending" } })
    expect(plan(sql, ...values, 9)).toMatch(
      /SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_lanes \(status=\? AND project_id=\?/
    )
  })

  it("has exactly the statuses in the index that the core expects there, except sending", () => {
    expect([...indexedByStatus, "sending"].toSorted()).toEqual(indexedStatuses.toSorted())
  })

  it.each([
    [
      "the newest page",
      "SELECT * FROM mailkeep_deliveries WHERE project_id = 'p' ORDER BY created_at DESC, id DESC LIMIT 9",
      /SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_newest/
    ],
    [
      "a later page",
      "SELECT * FROM mailkeep_deliveries INDEXED BY mailkeep_deliveries_newest WHERE project_id = 'p' AND (created_at, id) < (5, 'd') ORDER BY created_at DESC, id DESC LIMIT 9",
      /SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_newest \(project_id=\? AND \(created_at,id\)<\(\?,\?\)\)/
    ],
    [
      "a recipient's page",
      "SELECT * FROM mailkeep_deliveries INDEXED BY mailkeep_deliveries_of_recipient WHERE project_id = 'p' AND address = 'a' ORDER BY created_at DESC, id DESC",
      /mailkeep_deliveries_of_recipient \(project_id=\? AND address=\?/
    ],
    [
      "a contact's page",
      "SELECT * FROM mailkeep_deliveries INDEXED BY mailkeep_deliveries_of_contact WHERE project_id = 'p' AND contact_id = 'c' ORDER BY created_at DESC, id DESC",
      /mailkeep_deliveries_of_contact \(project_id=\? AND contact_id=\?/
    ],
    [
      "a message's deliveries",
      "SELECT * FROM mailkeep_deliveries WHERE message_id = 'm' ORDER BY id",
      /mailkeep_deliveries_of_message/
    ],
    [
      "a contact by address",
      "SELECT * FROM mailkeep_contacts WHERE project_id = 'p' AND address = 'a'",
      /SEARCH mailkeep_contacts USING INDEX sqlite_autoindex_mailkeep_contacts_\d \(project_id=\? AND address=\?\)/
    ],
    [
      "an API key by its public id",
      "SELECT * FROM mailkeep_api_keys WHERE public_id = 'k'",
      /SEARCH mailkeep_api_keys USING INDEX sqlite_autoindex_mailkeep_api_keys_\d \(public_id=\?\)/
    ],
    [
      "a part of a content",
      "SELECT bytes FROM mailkeep_contents WHERE project_id = 'p' AND hash = 'h' AND chunk = 1",
      /SEARCH mailkeep_contents USING INDEX mailkeep_contents_by_chunk \(project_id=\? AND hash=\? AND chunk=\?\)/
    ],
    [
      "whether a message has a content",
      "SELECT 1 FROM mailkeep_message_contents WHERE project_id = 'p' AND hash = 'h'",
      /SEARCH mailkeep_message_contents USING (COVERING )?(INDEX|PRIMARY KEY).*\(project_id=\? AND hash=\?\)/
    ],
    [
      "the oldest messages",
      "SELECT * FROM mailkeep_messages INDEXED BY mailkeep_messages_oldest WHERE created_at < 5 ORDER BY created_at, id LIMIT 9",
      /SEARCH mailkeep_messages USING INDEX mailkeep_messages_oldest \(created_at<\?\)/
    ],
    [
      "the events about a delivery",
      "SELECT * FROM mailkeep_events INDEXED BY mailkeep_events_of_delivery WHERE json_extract(data, '$.deliveryId') = 'd' AND project_id = 'p' ORDER BY id",
      /SEARCH mailkeep_events USING INDEX mailkeep_events_of_delivery \(<expr>=\?\)/
    ],
    [
      "the event deliveries of an event",
      "SELECT * FROM mailkeep_event_deliveries WHERE event_id = 'e' AND project_id = 'p' ORDER BY id",
      /SEARCH mailkeep_event_deliveries USING INDEX mailkeep_event_deliveries_of_event \(event_id=\?\)/
    ],
    [
      "the next due time",
      "SELECT due_at FROM mailkeep_deliveries WHERE status = 'queued' AND due_at IS NOT NULL AND worker IS NULL ORDER BY due_at LIMIT 1",
      /SEARCH mailkeep_deliveries USING INDEX mailkeep_deliveries_due/
    ]
  ])("reads %s by an index without a scan or a sort", (_, sql, expected) => {
    const found = plan(sql)
    expect(found).toMatch(expected)
    expect(found).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})

describe("contents", () => {
  it("stores contents in a table with row ids", () => {
    expect(schemaOf("mailkeep_contents")).not.toMatch(/WITHOUT ROWID/i)
  })
})

describe("resources", () => {
  // Without row ids, SQLite reads each row in full that a search by key compares: with bodies of 4 MiB, 15 ms for one search.
  it("stores resources in a table with row ids", () => {
    expect(schemaOf("mailkeep_resources")).not.toMatch(/WITHOUT ROWID/i)
  })
})
