/**
 * The counters of projects.
 */
import type { AnswerOf, QueryOf } from "@mailkeep/core/adapter"
import type { Prepared } from "./recordTable.ts"

const addToCounterSql = `INSERT INTO mailkeep_counters (project_id, name, value) VALUES (?, ?, ?)
ON CONFLICT (project_id, name) DO UPDATE SET value = value + excluded.value`

/** Adds to a counter, which starts at 0. */
export const addToCounter = (connection: Prepared, projectId: string, name: string, by: number): void => {
  connection.statement(addToCounterSql).run(projectId, name, by)
}

/** The statements by the number of counters, so that no read builds its text again. */
const valuesStatements = new Map<number, string>()

/** A column for each counter, because each is then one step into the primary key. */
const makeValuesSql = (count: number): string =>
  `SELECT ${Array.from({ length: count }, (_, n) => `ifnull((SELECT value FROM mailkeep_counters WHERE project_id = ? AND name = ?), 0) AS value${n}`).join(", ")}`

const valuesSql = (count: number): string => {
  const existing = valuesStatements.get(count)
  if (existing !== undefined) return existing
  const made = makeValuesSql(count)
  valuesStatements.set(count, made)
  return made
}

/** Reads all counters of the query in one statement, because every send reads three. A counter that was never written is 0. */
export const counterValues = (
  connection: Prepared,
  { projectId, names }: QueryOf<"Counters">
): AnswerOf<"Counters"> => {
  if (names.length === 0) return []
  const values = names.flatMap((name) => [projectId, name])
  const row = connection.statement(valuesSql(names.length)).get(...values) as Readonly<Record<string, number>>
  return Object.values(row)
}
