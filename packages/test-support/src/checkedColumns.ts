/**
 * The columns of the stores whose `CHECK` must list the values of the domain.
 */
import {
  ambiguityPolicies,
  attemptOutcomes,
  attemptPhases,
  contactSources,
  deliveryReasons,
  deliveryStatuses,
  domainStatuses,
  emailStatuses,
  sendingSources
} from "@mailkeep/core/adapter"

/** Each with its table, without the prefix or the schema of the store, and its values. */
export const checkedColumns: ReadonlyArray<readonly [table: string, column: string, values: ReadonlyArray<string>]> = [
  ["deliveries", "status", deliveryStatuses],
  ["deliveries", "reason", deliveryReasons],
  ["deliveries", "source", sendingSources],
  ["deliveries", "kind", ["to", "cc", "bcc"]],
  ["deliveries", "bounce_type", ["hard", "soft"]],
  ["messages", "source", sendingSources],
  ["messages", "on_ambiguous", ambiguityPolicies],
  ["projects", "on_ambiguous", ambiguityPolicies],
  ["domains", "status", domainStatuses],
  ["contacts", "email_status", emailStatuses],
  ["contacts", "source", contactSources],
  ["attempts", "phase", attemptPhases],
  ["attempts", "outcome", attemptOutcomes]
]

const listIn = (sql: string, pattern: RegExp): ReadonlyArray<string> | undefined =>
  pattern
    .exec(sql)?.[1]
    ?.split(",")
    .map((value) => value.trim().slice(1, -1))

/** The values in the `CHECK` of a column, in the statement that creates its table; `undefined` without such a `CHECK`. */
export const checkListOf = (createTable: string, column: string) =>
  listIn(createTable, new RegExp(`^\\s*${column}\\b.*CHECK \\(${column} IN \\(([^)]*)\\)\\)`, "m"))

/** The statuses in which a delivery has a due time, in the statement that creates the table of deliveries. */
export const statusesWithDueTime = (createTable: string) =>
  listIn(createTable, /due_at IS NOT NULL\) = \(status IN \(([^)]*)\)/)
