/**
 * The counters of a project, and the same numbers counted from its records. Source: decision 0015.
 */
import type { AnswerOf, QueryOf, UsageAudit } from "@mailkeep/core/adapter"
import { withDeletedCounts } from "@mailkeep/core/adapter/evaluation"
import { counters } from "../tables.ts"
import type { Building, Reading } from "./reading.ts"
import { rowSql, rowsOf, rowsSql, select } from "./reading.ts"

interface Counted {
  readonly counters: unknown
  readonly deliveries: { readonly scheduled: number; readonly charged: number }
  readonly days: unknown
  readonly contacts: { readonly total: number; readonly unsubscribed: number }
}

export const usageAudit = (
  building: Building,
  { projectId }: QueryOf<"UsageAudit">
): Reading<AnswerOf<"UsageAudit">> => {
  const project = building.parameter(projectId)
  const of = (table: string) => `FROM ${building.table(table)} AS one WHERE one.project_id = ${project}`
  const parts = {
    counters: rowsSql(select(building, counters, `WHERE one.project_id = ${project} ORDER BY one.name`)),
    deliveries: rowSql(
      `SELECT count(*) FILTER (WHERE one.status = 'scheduled') AS scheduled, count(one.charged_at) AS charged ${of("deliveries")}`
    ),
    days: rowsSql(
      `SELECT one.counted_day AS day, count(*) AS deliveries ${of("deliveries")} AND one.counted_day IS NOT NULL GROUP BY one.counted_day`
    ),
    contacts: rowSql(
      `SELECT count(*) AS total, count(*) FILTER (WHERE one.email_status = 'unsubscribed') AS unsubscribed ${of("contacts")}`
    )
  }
  return {
    sql: `json_build_object(${Object.entries(parts)
      .map(([name, sql]) => `'${name}', ${sql}`)
      .join(", ")})`,
    read: (value) => {
      const { counters, deliveries, days, contacts } = value as Counted
      const ofProject = rowsOf<UsageAudit["counters"][number]>(counters)
      return {
        counters: ofProject,
        scheduledRecipients: deliveries.scheduled,
        ...withDeletedCounts(ofProject, {
          charged: deliveries.charged,
          counted: rowsOf<UsageAudit["counted"][number]>(days)
        }),
        contacts: contacts.total,
        unsubscribed: contacts.unsubscribed
      }
    }
  }
}
