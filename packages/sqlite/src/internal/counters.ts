/**
 * The counters of projects.
 */
import type { Prepared } from "./recordTable.ts"

const addToCounterSql = `INSERT INTO mailkeep_counters (project_id, name, value) VALUES (?, ?, ?)
ON CONFLICT (project_id, name) DO UPDATE SET value = value + excluded.value`

/** Adds to a counter, which starts at 0. */
export const addToCounter = (connection: Prepared, projectId: string, name: string, by: number): void => {
  connection.statement(addToCounterSql).run(projectId, name, by)
}
