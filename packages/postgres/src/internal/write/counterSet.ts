/**
 * Adds to counters: one row of the statement for each counter, whatever number of changes add to it.
 */
import type { ChangeOf } from "@mailkeep/core/adapter"
import type { ApplySet } from "./changeSet.ts"
import { joined, rowsOf } from "./changeSet.ts"

type AddToCounter = ChangeOf<"AddToCounter">

/** What a group adds to one counter. */
interface Sum {
  readonly projectId: string
  readonly name: string
  by: number
  /** The sum of the positive additions. The highest value on the way, in the worst order of the changes, is the first value and this sum. */
  positive: number
}

const keyOf = ({ projectId, name }: Pick<AddToCounter, "projectId" | "name">) => joined(projectId, name)

/**
 * The statement adds without a guard. The guards are compared with the values that it returns, and the transaction is rolled back if one does not
 * hold. The statement locks the counters in the order of their keys.
 */
export const makeAddToCounters = (schema: string): ApplySet<AddToCounter> => {
  const sql = `INSERT INTO ${schema}.counters AS t (project_id, name, value)
SELECT "projectId", name, by FROM ${rowsOf(`"projectId" text, name text, by bigint`)} ORDER BY "projectId", name
ON CONFLICT (project_id, name) DO UPDATE SET value = t.value + excluded.value
RETURNING project_id AS "projectId", name, value`
  return async (connection, changes) => {
    const sums = new Map<string, Sum>()
    for (const { projectId, name, by } of changes) {
      const key = keyOf({ projectId, name })
      const sum = sums.get(key) ?? { projectId, name, by: 0, positive: 0 }
      sum.by += by
      sum.positive += Math.max(0, by)
      sums.set(key, sum)
    }
    const rows = await connection.prepared<Pick<AddToCounter, "projectId" | "name"> & { readonly value: number }>(sql, [
      JSON.stringify([...sums.values()])
    ])
    const highest = new Map(
      rows.map((row) => {
        const { by, positive } = sums.get(keyOf(row))!
        return [keyOf(row), row.value - by + positive]
      })
    )
    return changes.flatMap(({ projectId, name, by, max }, index) =>
      by >= 0 && max !== null && highest.get(keyOf({ projectId, name }))! > max ? [index] : []
    )
  }
}
