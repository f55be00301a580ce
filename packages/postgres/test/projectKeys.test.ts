/**
 * The keys of the tables, so that the schema can be distributed by project: Citus demands the column `project_id` in each unique key.
 */
import { parse } from "libpg-query"
import { describe, expect, it } from "vitest"
import { migrations } from "../src/internal/migrations.ts"

type Node = Readonly<Record<string, unknown>>

/** A key or an index of a table. */
interface Key {
  readonly name: string
  readonly isUnique: boolean
  readonly columns: ReadonlyArray<string>
}

/** The tables that belong to no project. The id of a row of `projects` is the project itself. */
const ofNoProject = ["leases", "projects", "rate_buckets", "schema_version", "settings"]

/** The indexes that do not begin with the project, each with the reason. */
const acrossProjects: Readonly<Record<string, string>> = {
  api_keys_by_public_id: "A request proves its project by the public id of its API key.",
  contacts_search: "A search compares the project of each row that it finds.",
  deliveries_by_id: "A return path and an unsubscribe link name only the delivery.",
  deliveries_due: "A claim takes the deliveries of all projects in turn.",
  deliveries_due_set: "A claim asks whether the clock was set back, for all projects.",
  deliveries_lanes: "A claim takes the deliveries of all projects in turn.",
  domains_due: "A worker checks the domains of all projects.",
  event_deliveries_due: "A subscription receives the events of all projects.",
  event_deliveries_ended: "A sweep deletes the event deliveries of all projects.",
  events_oldest: "A sweep deletes the events of all projects.",
  idempotency_expiry: "A sweep deletes the records of all projects.",
  messages_oldest: "A sweep deletes the messages of all projects.",
  undistributed_events_oldest: "A worker distributes the events of all projects, oldest first."
}

const listOf = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? (value as ReadonlyArray<Node>) : [])
const textOf = (node: Node): string => String((node["String"] as Node | undefined)?.["sval"])

const kindOf: Readonly<Record<string, string>> = { CONSTR_PRIMARY: "primary key", CONSTR_UNIQUE: "unique key" }

/** The keys of a `CREATE TABLE`: of its columns, and of the table. */
const keysOfTable = (table: Node): ReadonlyArray<Key> =>
  listOf(table["tableElts"]).flatMap((element) => {
    const column = element["ColumnDef"] as Node | undefined
    const constraints = column === undefined ? [element] : listOf(column["constraints"])
    return constraints.flatMap((one) => {
      const constraint = one["Constraint"] as Node
      const name = kindOf[String(constraint["contype"])]
      if (name === undefined) return []
      const columns = column === undefined ? listOf(constraint["keys"]).map(textOf) : [String(column["colname"])]
      return [{ name, isUnique: true, columns }]
    })
  })

const keyOfIndex = (index: Node): Key => ({
  name: String(index["idxname"]),
  isUnique: index["unique"] === true,
  columns: listOf(index["indexParams"]).map((one) => String((one["IndexElem"] as Node)["name"]))
})

/** The keys and the indexes of each table. */
const keysOf = async (sql: string): Promise<ReadonlyMap<string, ReadonlyArray<Key>>> => {
  const keys = new Map<string, ReadonlyArray<Key>>()
  const { stmts } = (await parse(sql)) as { readonly stmts: ReadonlyArray<{ readonly stmt: Node }> }
  for (const { stmt } of stmts) {
    const table = stmt["CreateStmt"] as Node | undefined
    const index = stmt["IndexStmt"] as Node | undefined
    const relation = (table ?? index)?.["relation"] as Node | undefined
    if (relation === undefined) continue
    const name = String(relation["relname"])
    const found = table === undefined ? [keyOfIndex(index!)] : keysOfTable(table)
    keys.set(name, [...(keys.get(name) ?? []), ...found])
  }
  return keys
}

describe("the schema", () => {
  const all = keysOf(migrations.map(({ sql }) => sql("mailkeep")).join(""))

  it("has the project first in the primary key of each table of a project", async () => {
    const primaryKeys = [...(await all)].map(
      ([table, keys]) => [table, keys.find(({ name }) => name === "primary key")?.columns] as const
    )
    expect(primaryKeys.length).toBeGreaterThan(15)
    const others = primaryKeys.filter(([, columns]) => columns?.[0] !== "project_id").map(([table]) => table)
    expect(others.toSorted()).toEqual(ofNoProject)
  })

  it("has the project in each unique key", async () => {
    for (const [table, keys] of await all)
      for (const { name, isUnique, columns } of keys)
        if (isUnique && !ofNoProject.includes(table)) expect(columns, `${name} of ${table}`).toContain("project_id")
  })

  it("has the project first in each index, unless there is a reason", async () => {
    const indexes = [...(await all)].flatMap(([table, keys]) => (ofNoProject.includes(table) ? [] : keys))
    const others = indexes.filter(({ columns }) => columns[0] !== "project_id").map(({ name }) => name)
    expect(others.toSorted()).toEqual(Object.keys(acrossProjects).toSorted())
  })
})
