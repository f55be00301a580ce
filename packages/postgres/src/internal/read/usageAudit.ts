/**
 * The counters of a project, and the same numbers counted from its records. Source: decision 0015.
 */
import type { AnswerOf, QueryOf, UsageAudit } from "@mailkeep/core/adapter"
import { withDeletedCounts } from "@mailkeep/core/adapter/evaluation"
import { counters } from "../tables.ts"
import type { Building, Reading } from "./reading.ts"
import { rowSql, rowsOf, rowsSql, select } from "./reading.ts"

/** The deliveries that count on one day, or on none. */
interface CountedDeliveries {
  readonly day: UsageAudit["counted"][number]["day"] | null
  readonly deliveries: number
  readonly scheduled: number
  readonly charged: number
}

interface Counted {
  readonly counters: unknown
  readonly days: unknown
  readonly contacts: { readonly total: number; readonly unsubscribed: number }
}

const sumOf = (days: ReadonlyArray<CountedDeliveries>, field: "scheduled" | "charged"): number =>
  days.reduce((sum, day) => sum + day[field], 0)

/** Reads the deliveries once. A project can have millions, and the server sends nothing before it has counted all. */
export const usageAudit = (
  building: Building,
  { projectId }: QueryOf<"UsageAudit">
): Reading<AnswerOf<"UsageAudit">> => {
  const project = building.parameter(projectId)
  const of = (table: string) => `FROM ${building.table(table)} AS one WHERE one.project_id = ${project}`
  const parts = {
    counters: rowsSql(select(building, counters, `WHERE one.project_id = ${project} ORDER BY one.name`)),
    days: rowsSql(
      `SELECT one.counted_day AS day, count(*) AS deliveries, count(*) FILTER (WHERE one.status = 'scheduled') AS scheduled, count(one.charged_at) AS charged ${of("deliveries")} GROUP BY one.counted_day`
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
      const { counters, days, contacts } = value as Counted
      const ofProject = rowsOf<UsageAudit["counters"][number]>(counters)
      const ofDays = rowsOf<CountedDeliveries>(days)
      return {
        counters: ofProject,
        scheduledRecipients: sumOf(ofDays, "scheduled"),
        ...withDeletedCounts(ofProject, {
          charged: sumOf(ofDays, "charged"),
          counted: ofDays.flatMap(({ day, deliveries }) => (day === null ? [] : [{ day, deliveries }]))
        }),
        contacts: contacts.total,
        unsubscribed: contacts.unsubscribed
      }
    }
  }
}
