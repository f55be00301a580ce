/**
 * Adds to counters: one row of the statement for each counter, whatever number of changes add to it.
 */
import type { ChangeOf } from "@mailkeep/core/adapter"
import type { ApplySet } from "./applySet.ts"
import { failUnless } from "../sqlStates.ts"
import { joined, parameterRows, sendOne } from "./applySet.ts"

type AddToCounter = ChangeOf<"AddToCounter">

/** What a group adds to one counter. */
interface Sum {
  readonly projectId: string
  readonly name: string
  by: number
  /** The sum of the positive additions. The highest value on the way, in the worst order of the changes, is the first value and this sum. */
  positive: number
  /** The lowest maximum of the positive additions. */
  max: number | null
}

const keyOf = ({ projectId, name }: Pick<AddToCounter, "projectId" | "name">) => joined(projectId, name)

const isBounded = ({ by, max }: Pick<AddToCounter, "by" | "max">): boolean => by >= 0 && max !== null

const sumsOf = (changes: ReadonlyArray<AddToCounter>): ReadonlyMap<string, Sum> => {
  const sums = new Map<string, Sum>()
  for (const { projectId, name, by, max } of changes) {
    const key = keyOf({ projectId, name })
    const sum = sums.get(key) ?? { projectId, name, by: 0, positive: 0, max: null }
    sum.by += by
    sum.positive += Math.max(0, by)
    if (isBounded({ by, max })) sum.max = Math.min(max!, sum.max ?? max!)
    sums.set(key, sum)
  }
  return sums
}

/**
 * The statement adds without a guard. The guards are compared with the values that it returns, and the transaction is rolled back if one does not
 * hold.
 */
export const makeAddToCounters = (schema: string): Required<ApplySet<AddToCounter>> => {
  const queries = `r AS MATERIALIZED (SELECT * FROM ${parameterRows(`"projectId" text, name text, by bigint, positive bigint, max bigint`)}), written AS (
  INSERT INTO ${schema}.counters AS t (project_id, name, value)
  SELECT "projectId", name, by FROM r
  ON CONFLICT (project_id, name) DO UPDATE SET value = t.value + excluded.value
  RETURNING project_id, name, value
)`
  const highest = "written.value - r.by + r.positive"
  const from = `FROM written JOIN r ON (written.project_id, written.name) = (r."projectId", r.name)`
  const sql = `WITH ${queries} SELECT r."projectId", r.name, ${highest} AS highest ${from}`
  const orFailSql = `WITH ${queries} SELECT ${failUnless("count(*) = 0")} ${from} WHERE ${highest} > r.max`
  const sumsText = (changes: ReadonlyArray<AddToCounter>) => JSON.stringify([...sumsOf(changes).values()])
  return {
    apply: async (connection, changes) => {
      const rows = await connection.prepared<Pick<AddToCounter, "projectId" | "name"> & { readonly highest: number }>(
        sql,
        [sumsText(changes)]
      )
      const reached = new Map(rows.map((row) => [keyOf(row), row.highest]))
      return changes.flatMap((change, index) =>
        isBounded(change) && reached.get(keyOf(change))! > change.max! ? [index] : []
      )
    },
    applyOrFail: (changes) => sendOne(orFailSql, [sumsText(changes)])
  }
}
