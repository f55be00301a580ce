/**
 * One row of an imported file: reads its cells as a contact, and says what became of it. Source: decision 0029.
 */
import { Result } from "effect"
import type { NewContact } from "../../decide/contact/contact.ts"
import type { ContactResult } from "../../decide/contact/writeContacts.ts"
import type { ContactEmailTaken, ContactNotFound } from "../../domain/contact/ContactFailure.ts"
import type { ContactColumn, ContactOfRow } from "../../domain/contact/ContactFile.ts"
import { readRow } from "../../domain/contact/ContactFile.ts"
import type { ValidUpdateContact } from "../../domain/contact/ContactRequest.ts"
import { canonicalAddress } from "../../domain/message/Address.ts"
import type { PlanLimitCode } from "../../domain/plan/Plan.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { isFields } from "../../domain/value/Fields.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { issue } from "../../domain/value/Issue.ts"

/** A row of a file, and the number of its last line. */
export interface FileRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  /** Why the cells of the row cannot be read. Such a row is refused with this text. Absent for a valid row. */
  readonly malformed?: string | undefined
}

/** What became of a row of an imported file. */
export type RowOutcome = "created" | "updated" | "refused"

/** The outcome of one row. */
export interface ImportedRow {
  /** The line of the row. The position of the row, from 1, if it has no number as its line. */
  readonly line: number
  readonly outcome: RowOutcome
  /** Why the row was refused. Empty for a row that was written. */
  readonly issues: ReadonlyArray<RowIssue>
}

/** Why a row was refused. */
export interface RowIssue {
  /** The field of the contact; empty for the whole row. */
  readonly path: Issue["path"]
  /** A code of `issueCodes`, the limit of the plan, or the kind of the failure that a call for one contact has. */
  readonly code: Issue["code"] | PlanLimitCode | (ContactEmailTaken | ContactNotFound)["kind"]
  /** A predicate that follows the field's name, or that is about the row. A sentence for a limit of the plan, and for a contact that is deleted. */
  readonly message: string
}

/** The contact of a row, or why the row is refused. It does not keep the cells, which can be large. */
export interface ParsedRow {
  readonly line: number
  readonly read: Result.Result<ContactOfRow, ReadonlyArray<RowIssue>>
}

/** A row whose contact exists, and is still to be updated. */
export interface RowToUpdate {
  readonly line: number
  readonly row: ContactOfRow
}

const takenMessage = "is the address of a contact that exists: import with update to change that contact"

type RowFailure = InvalidArgument | ContactEmailTaken | ContactNotFound | PlanLimitReached

const issuesOf = (failure: RowFailure): ReadonlyArray<RowIssue> => {
  switch (failure._tag) {
    case "InvalidArgument":
      return failure.issues
    case "ContactEmailTaken":
      return [{ path: ["email"], code: failure.kind, message: takenMessage }]
    case "PlanLimitReached":
      return [{ path: [], code: failure.code, message: failure.message }]
    case "ContactNotFound":
      return [{ path: [], code: failure.kind, message: failure.message }]
  }
}

/** Returns the cells of a row, whose form nothing has checked yet. The issues belong to `path`. */
export const cellsOf = (
  row: unknown,
  path: Issue["path"]
): Result.Result<ReadonlyArray<string>, ReadonlyArray<Issue>> => {
  const refuse = (code: Issue["code"], message: string) => Result.fail([issue(path, code, message)])
  if (!isFields(row) || typeof row["line"] !== "number")
    return refuse("invalid_type", "must be an object with a number as line and an array of strings as cells")
  const { cells, malformed } = row
  if (typeof malformed === "string") return refuse("invalid_value", malformed)
  if (malformed !== undefined) return refuse("invalid_type", "must have a string as malformed")
  return Array.isArray(cells) && cells.every((cell) => typeof cell === "string")
    ? Result.succeed(cells)
    : refuse("invalid_type", "must be an array of strings")
}

/** `position` is the number of a row that has no number as its line. */
export const parsedRow = (columns: ReadonlyArray<ContactColumn>, row: unknown, position: number): ParsedRow => ({
  line: isFields(row) && typeof row["line"] === "number" ? row["line"] : position,
  read: Result.flatMap(cellsOf(row, []), (cells) => readRow(columns, cells))
})

/** The address by which the rows of one contact are found. */
export const addressOfRow = ({ input }: ContactOfRow): string => canonicalAddress(input.email)

export const newContactOf = ({ input, emailStatus }: ContactOfRow): NewContact => ({
  input,
  emailStatus,
  source: "import"
})

/**
 * The update of the contact that has the address of the row. A field that the row does not have is `undefined`. The fields of a new contact, which
 * `readRow` has checked, are valid in an update too.
 */
export const updateOf = ({ input, userId, emailStatus }: ContactOfRow): ValidUpdateContact =>
  ({ ...input, userId, emailStatus }) as unknown as ValidUpdateContact

export const updatedRow = (line: number): ImportedRow => ({ line, outcome: "updated", issues: [] })

export const refusedRow = (line: number, issues: ReadonlyArray<RowIssue>): ImportedRow => ({
  line,
  outcome: "refused",
  issues
})

export const failedRow = (line: number, failure: RowFailure): ImportedRow => refusedRow(line, issuesOf(failure))

/** The end of a row. With `update`, a row whose address an earlier row of the same commit has is still to be updated. */
export const endOfRow = (
  { line, row }: RowToUpdate,
  result: ContactResult,
  update: boolean
): ImportedRow | RowToUpdate => {
  if (Result.isSuccess(result)) return { line, outcome: result.success.outcome, issues: [] }
  return result.failure._tag === "ContactEmailTaken" && update ? { line, row } : failedRow(line, result.failure)
}
