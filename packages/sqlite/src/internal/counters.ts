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

/** Reads all counters of the query in one statement, because every send reads three. A counter that was never written is 0. */
export const counterValues = (
  connection: Prepared,
  { projectId, names }: QueryOf<"Counters">
): AnswerOf<"Counters"> => {
  const list = names.map(() => "?").join(", ")
  const rows = connection
    .statement(`SELECT name, value FROM mailkeep_counters WHERE project_id = ? AND name IN (${list})`)
    .all(projectId, ...names) as ReadonlyArray<{ readonly name: string; readonly value: number }>
  return names.map((name) => rows.find((row) => row.name === name)?.value ?? 0)
}
