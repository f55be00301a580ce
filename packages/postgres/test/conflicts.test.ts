import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Connection } from "../src/internal/database.ts"
import { makeDatabase } from "../src/internal/database.ts"
import { PostgresMailStore } from "../src/index.ts"
import { isRepeatable } from "../src/internal/sqlStates.ts"
import { makeFindConflict } from "../src/internal/write/conflicts.ts"
import { testServer } from "./testServer.ts"

const findConflict = makeFindConflict("mailkeep")

/** The reason, or `repeated` if the transaction is to run again. */
const resultOf = (connection: Connection, change: object) =>
  findConflict(connection, change as Change).catch((cause: unknown) => (isRepeatable(cause) ? "repeated" : cause))

type Change = Parameters<typeof findConflict>[1]
type Rows = ReadonlyArray<object>

/** Finds the conflict of a change whose statements have these answers, in order. Returns the reason and the number of the statements. */
const findWith = async (change: object, answers: ReadonlyArray<Rows>) => {
  let sent = 0
  const query = async (sql: string, values: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<never>> => {
    expect(sql).toMatch(/^(?:SELECT .* FROM mailkeep\.\w+ WHERE \w+ = \$1 AND \w+ = \$2|WITH written AS )/)
    expect(new Set(sql.match(/\$\d/g)).size).toBe(values.length)
    return (answers[sent++] ?? []) as ReadonlyArray<never>
  }
  return [await resultOf({ query, prepared: query }, change), sent]
}

const projectId = "prj_1"
const none: Rows = []
const revision1: Rows = [{ revision: 1 }]
const revision2: Rows = [{ revision: 2 }]

const apiKey = { _tag: "PutApiKey", key: { projectId, id: "key_1", publicId: "p" }, replaces: 1 }
const domain = { _tag: "PutDomain", domain: { projectId, domain: "a.example" }, replaces: 1 }
const resource = {
  _tag: "PutResource",
  resource: { projectId, id: "lst_1", kind: "list", parent: "", name: null },
  replaces: 1
}
const delivery = { _tag: "TransitionDelivery", projectId, id: "del_1", from: "queued", fencingToken: 1 }
const attempt = { _tag: "InsertAttempt", attempt: { projectId, deliveryId: "del_1", number: 1 } }
const expectKey = (revision: number | null) => ({
  _tag: "Expect",
  record: { kind: "ApiKey", projectId, id: "key_1" },
  revision
})

describe("the conflict of a change that was not applied", () => {
  it.each<[string, object, ReadonlyArray<Rows>, string]>([
    ["an addition to a counter", { _tag: "AddToCounter", projectId, name: "allowance" }, [], "Exhausted"],
    ["a change that only inserts", { _tag: "PutSetting", name: "s", value: "x" }, [], "AlreadyExists"],
    ["a new record", { ...domain, replaces: null }, [], "AlreadyExists"],
    ["an attempt that exists", attempt, [[{}]], "AlreadyExists"],
    ["an attempt without its delivery", attempt, [none], "NotFound"],
    ["a transition of a delivery with another state", delivery, [[{}]], "Stale"],
    ["a transition without its delivery", delivery, [none], "NotFound"],
    ["a record with another revision", apiKey, [revision2], "Stale"],
    ["a record that does not exist", apiKey, [none], "NotFound"],
    ["a unique value that another record has", apiKey, [revision1, [{}]], "AlreadyExists"],
    ["an expected record with another revision", expectKey(1), [revision2], "Stale"],
    ["an expected record that does not exist", expectKey(1), [none], "NotFound"],
    ["a record where none was expected", expectKey(null), [revision1], "AlreadyExists"]
  ])("is found for %s", async (_, change, answers, reason) => {
    expect(await findWith(change, answers)).toEqual([reason, answers.length])
  })

  it.each<[string, object, ReadonlyArray<Rows>]>([
    ["changes its unique value", apiKey, [revision1, none, [{}]]],
    ["gives up its unique value", resource, [revision1, none, [{}]]]
  ])("is none when the record %s, and the change is applied", async (_, change, answers) => {
    expect(await findWith(change, answers)).toEqual([undefined, answers.length])
  })

  it.each<[string, object, ReadonlyArray<Rows>]>([
    ["an expected record has the revision now", expectKey(1), [revision1]],
    ["an unexpected record is gone now", expectKey(null), [none]],
    ["a record without a unique value has the revision now", domain, [revision1]],
    ["a record with a new unique value changed again", apiKey, [revision1, none, none]]
  ])("is not known when %s, so the transaction runs again", async (_, change, answers) => {
    expect(await findWith(change, answers)).toEqual(["repeated", answers.length])
  })
})

const rowsSql = [
  `INSERT INTO mailkeep.api_keys (project_id, id, public_id, secret_hash, name, permissions, created_at, revision)
VALUES ('prj_1', 'key_1', 'old', '', '', '[]', 1, 1)`,
  `INSERT INTO mailkeep.resources (project_id, id, kind, parent, name, content, created_at, updated_at, revision)
VALUES ('prj_1', 'lst_1', 'list', '', 'old', '{}', 1, 1, 1)`,
  `INSERT INTO mailkeep.contacts (project_id, id, email, address, first_name, last_name, email_status, source, properties, list_ids,
  created_at, updated_at, revision, search_email, search_name, search_keys)
VALUES ('prj_1', 'con_1', 'old', 'old', '', '', 'subscribed', 'manual', '{}', '[]', 1, 1, 1, '', '', '{}')`
]
const contact = { projectId, id: "con_1", email: "new", address: "new", firstName: "", lastName: "", listIds: [] }

describe.skipIf(!hasPostgres())("the conflict of a change that gives a record another unique value", () => {
  it.each<[string, object]>([
    ["api_keys SET public_id", { ...apiKey, key: { ...apiKey.key, publicId: "new" } }],
    ["resources SET name", { ...resource, resource: { ...resource.resource, name: "new" } }],
    ["contacts SET address", { _tag: "PutContact", contact, replaces: 1 }]
  ])("is not the record itself when another transaction has just run UPDATE %s", async (set, change) => {
    const server = await testServer()
    const database = await server.createDatabase()
    const connectionString = server.urlOf(database)
    await Effect.runPromise(Effect.scoped(PostgresMailStore.make({ connectionString })))
    await server.run(database, ...rowsSql)
    const pool = new pg.Pool({ connectionString })
    onTestFinished(() => pool.end())
    let sent = 0
    const result = await makeDatabase(pool).use((connection) => {
      const query: Connection["query"] = async (sql, values) => {
        // The other transaction ends after the revision was read.
        if (++sent === 2) await server.run(database, `UPDATE mailkeep.${set} = 'new', revision = 2`)
        return connection.query(sql, values)
      }
      return resultOf({ query, prepared: query }, change)
    })
    expect([result, sent]).toEqual(["repeated", 3])
  })
})
