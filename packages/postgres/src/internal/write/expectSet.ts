/**
 * Compares the records that a commit read with the stored records. The locks of their names are taken before.
 */
import type { ChangeOf, RecordRef } from "@mailkeep/core/adapter"
import { revisionConflict } from "@mailkeep/core/adapter/evaluation"
import { settleAll } from "../database.ts"
import type { ApplySet } from "./changeSet.ts"
import { rowsOf } from "./changeSet.ts"

type Expect = ChangeOf<"Expect">

/** The table of each kind of reference, and its condition with the row `r` of the statement. */
const places: Readonly<Record<RecordRef["kind"], readonly [table: string, where: string]>> = {
  ApiKey: ["api_keys", `(t.project_id, t.id) = (r."projectId", r.id)`],
  Resource: ["resources", `(t.project_id, t.id) = (r."projectId", r.id)`],
  Domain: ["domains", `(t.project_id, t.domain) = (r."projectId", r.domain)`],
  Suppression: ["suppressions", `(t.project_id, t.address_key) = (r."projectId", r."addressKey")`],
  ContactAddress: ["contacts", `(t.project_id, t.address) = (r."projectId", r.address)`]
}

const definitions = `n integer, id text, "projectId" text, domain text, "addressKey" text, address text`

interface Found {
  readonly n: number
  readonly revision: number
}

export const makeExpectSet = (schema: string): ApplySet<Expect> => {
  const sql = (kind: RecordRef["kind"]) => {
    const [table, where] = places[kind]
    return `SELECT r.n, t.revision FROM ${rowsOf(definitions)} JOIN ${schema}.${table} AS t ON ${where}`
  }
  const statements = Object.fromEntries(
    (Object.keys(places) as Array<RecordRef["kind"]>).map((kind) => [kind, sql(kind)])
  )
  return async (connection, changes) => {
    const byKind = Map.groupBy(
      changes.map(({ record }, n) => ({ ...record, n })),
      ({ kind }) => kind
    )
    const rows = await settleAll(
      [...byKind].map(([kind, refs]) => connection.prepared<Found>(statements[kind]!, [JSON.stringify(refs)]))
    )
    const revisions = new Map(rows.flat().map(({ n, revision }) => [n, { revision }]))
    return changes.flatMap(({ revision }, n) => (revisionConflict(revisions.get(n), revision) === undefined ? [] : [n]))
  }
}
