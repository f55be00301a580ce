/**
 * The writes, claims and sweeps that do not name the project, each with the reason.
 */
import type { TableUse } from "./projectScope.ts"

interface Exception {
  readonly tables: ReadonlyArray<string>
  /** The statement compares these columns instead. */
  readonly columns: ReadonlyArray<string>
  /** The statement contains this text. */
  readonly text?: string
  readonly why: string
}

/** All uses of tables that need no project. */
export const exceptions: ReadonlyArray<Exception> = [
  {
    tables: ["deliveries"],
    columns: ["status"],
    text: "due_at",
    why: "A claim takes the deliveries of all projects in turn."
  },
  {
    tables: ["deliveries"],
    columns: ["status"],
    text: "due_set_at >",
    why: "A claim asks whether the clock was set back, for all projects."
  },
  {
    tables: ["event_deliveries"],
    columns: ["subscriber"],
    why: "A claim takes the event deliveries of one subscriber. A subscription receives the events of all projects."
  },
  { tables: ["events"], columns: [], text: "occurred_at < $1", why: "A sweep deletes the events of all projects." },
  {
    tables: ["idempotency"],
    columns: [],
    text: "expires_at < $1",
    why: "A sweep deletes the records of all projects."
  },
  {
    tables: ["event_deliveries"],
    columns: [],
    text: "ended_at < $1",
    why: "A sweep deletes the event deliveries of all projects."
  },
  {
    tables: ["messages"],
    columns: [],
    text: "m.created_at < $1",
    why: "A sweep deletes the messages of all projects."
  },
  {
    tables: ["deliveries", "event_deliveries"],
    columns: ["worker"],
    text: "lease_until < $1",
    why: "A sweep keeps the lease of a worker that holds work of any project."
  }
]

/** Whether an exception allows a use in a statement. */
export const allows =
  ({ tables, columns, text }: Exception, sql: string) =>
  ({ table, comparedColumns }: TableUse): boolean =>
    tables.includes(table) &&
    (columns.length === 0 ? comparedColumns.length === 0 : columns.every((one) => comparedColumns.includes(one))) &&
    (text === undefined || sql.includes(text))
