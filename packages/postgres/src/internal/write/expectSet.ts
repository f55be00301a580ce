/**
 * Compares the records that a commit read with the stored records. The locks of their names are taken before.
 */
import type { ChangeOf, RecordRef } from "@mailkeep/core/adapter"
import { revisionConflict } from "@mailkeep/core/adapter/evaluation"
import { settleAll } from "../database.ts"
import { failUnless } from "../sqlStates.ts"
import type { ApplySet } from "./applySet.ts"
import { parameterRows, sendAll, sendOne } from "./applySet.ts"

type Expect = ChangeOf<"Expect">

/** The table of each kind of reference, and its condition with the row `r` of the statement. */
const tableConditions: Readonly<Record<RecordRef["kind"], readonly [table: string, where: string]>> = {
  ApiKey: ["api_keys", `(t.project_id, t.id) = (r."projectId", r.id)`],
  Resource: ["resources", `(t.project_id, t.id) = (r."projectId", r.id)`],
  Domain: ["domains", `(t.project_id, t.domain) = (r."projectId", r.domain)`],
  Suppression: ["suppressions", `(t.project_id, t.address_key) = (r."projectId", r."addressKey")`],
  ContactAddress: ["contacts", `(t.project_id, t.address) = (r."projectId", r.address)`]
}

const definitions = `n integer, revision bigint, id text, "projectId" text, domain text, "addressKey" text, address text`

interface Found {
  readonly n: number
  readonly revision: number
}

export const makeExpectSet = (schema: string): ApplySet<Expect> => {
  const statementsOf = (sqlOf: (table: string, where: string) => string) =>
    Object.fromEntries(
      Object.entries(tableConditions).map(([kind, [table, where]]) => [kind, sqlOf(`${schema}.${table}`, where)])
    ) as Readonly<Record<RecordRef["kind"], string>>
  const statements = statementsOf(
    (table, where) => `SELECT r.n, t.revision FROM ${parameterRows(definitions)} JOIN ${table} AS t ON ${where}`
  )
  const orFail = statementsOf(
    (table, where) =>
      `SELECT ${failUnless("count(*) = 0")} FROM ${parameterRows(definitions)} LEFT JOIN ${table} AS t ON ${where} WHERE t.revision IS DISTINCT FROM r.revision`
  )
  /** The changes of each kind, as the parameter of a statement. */
  const byKind = (changes: ReadonlyArray<Expect>): ReadonlyArray<readonly [RecordRef["kind"], string]> => {
    const refs = changes.map(({ record, revision }, n) => ({ ...record, revision, n }))
    return [...Map.groupBy(refs, ({ kind }) => kind)].map(([kind, own]) => [kind, JSON.stringify(own)])
  }
  return {
    apply: async (connection, changes) => {
      const rows = await settleAll(
        byKind(changes).map(([kind, refs]) => connection.prepared<Found>(statements[kind], [refs]))
      )
      const revisions = new Map(rows.flat().map(({ n, revision }) => [n, { revision }]))
      return changes.flatMap(({ revision }, n) =>
        revisionConflict(revisions.get(n), revision) === undefined ? [] : [n]
      )
    },
    applyOrFail: (changes) => sendAll(byKind(changes).map(([kind, refs]) => sendOne(orFail[kind], [refs])))
  }
}
