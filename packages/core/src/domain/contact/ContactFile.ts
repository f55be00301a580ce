/**
 * Converts contacts to and from rows of a table. Source: decisions 0029 and 0034.
 */
import { Result, Schema } from "effect"
import type { ContactRecord } from "./Contact.ts"
import type { ValidCreateContact } from "./ContactRequest.ts"
import { parseCreateContact } from "./ContactRequest.ts"
import type { ResourceOf } from "../store/Resource.ts"
import { formatInstant } from "../value/Instant.ts"
import type { Issue } from "../value/Issue.ts"
import { decoder, issue, says } from "../value/Issue.ts"
import type { PropertyValue } from "./Property.ts"
import { propertyName, propertyTextCharactersMax, valueProblem } from "./Property.ts"
import type { EmailStatus } from "./EmailStatusTable.ts"
import { emailStatuses } from "./EmailStatusTable.ts"

/** How rows are imported. */
export interface ImportOptions {
  /** Whether a row updates an existing contact with its address. If `false`, such a row is refused. Default: `false`. */
  readonly update?: boolean | undefined
}
export const parseImportOptions = decoder(
  Schema.Struct({
    update: Schema.optionalKey(Schema.Boolean.annotate(says("invalid_type", "must be a boolean")))
  })
)

// Spreadsheets of some languages also read the full-width forms as a formula.
const formula = /^[=+\-@＝＋－＠\t\r\n]/
const markedFormula = /^'+[=+\-@＝＋－＠\t\r\n]/

/**
 * Converts a text to a cell that no spreadsheet evaluates as a formula. Adds `'` before a text that begins like a formula.
 * It also adds `'` before a text that already begins with `'` and a formula.
 */
export const toCell = (text: string): string => (formula.test(text) || markedFormula.test(text) ? `'${text}` : text)
/** Returns the text of a cell: without the `'` that `toCell` adds. */
export const fromCell = (cell: string): string => (markedFormula.test(cell) ? cell.slice(1) : cell)

/** The columns for fields of a contact. */
const fields = {
  email: "email",
  user_id: "userId",
  first_name: "firstName",
  last_name: "lastName",
  phone_number: "phoneNumber"
} as const
type Field = keyof typeof fields

const statusColumn = "email_status"

/** The columns that an export writes and an import ignores. */
const ignored = new Set(["id", "source", "created_at", "updated_at"])

/** More columns than the fields and the properties of a project need. */
const columnsMax = 2000

/** The meaning of one column. */
export type ContactColumn =
  | { readonly _tag: "Field"; readonly field: Field }
  | { readonly _tag: "Status" }
  | { readonly _tag: "Property"; readonly property: ResourceOf<"property"> }
  | { readonly _tag: "Ignored" }

const propertyPrefix = "properties."

/** The column name of a property: `properties.KEY` if the key is also the name of a built-in column. */
const propertyColumn = (key: string): string => {
  const name = propertyName(key)
  const reserved =
    Object.hasOwn(fields, name) || name === statusColumn || ignored.has(name) || name.startsWith(propertyPrefix)
  return reserved ? `${propertyPrefix}${key}` : key
}

const unknownColumnMessage = `is not ${Object.keys(fields).join(", ")}, ${statusColumn} or a defined custom property`

/** Whether the first row is one cell, as when a file of semicolons or tabs is read as one of commas. */
const hasOtherSeparator = ([first, ...others]: ReadonlyArray<string>): boolean =>
  first !== undefined && others.length === 0 && /[;\t|]/.test(first)

const otherSeparatorMessage = "has semicolons, tabs or bars: separate the columns of the file by commas"

/** Reads the columns from the first row, ignoring case. Fails with all issues of the row, or with one when it names too many columns. */
export const readColumns = (
  header: ReadonlyArray<string>,
  properties: ReadonlyArray<ResourceOf<"property">>
): Result.Result<ReadonlyArray<ContactColumn>, ReadonlyArray<Issue>> => {
  if (header.length > columnsMax)
    return Result.fail([issue(["columns"], "too_many_items", `must name at most ${columnsMax} columns`)])
  const byName = new Map(properties.map((one) => [propertyName(propertyColumn(one.content.key)), one]))
  if (hasOtherSeparator(header) && !byName.has(propertyName(header[0]!)))
    return Result.fail([issue(["columns", 0], "undefined_property", otherSeparatorMessage)])
  const issues: Array<Issue> = []
  const names = new Set<string>()
  const columns = header.map((text, at): ContactColumn => {
    const exact = propertyName(fromCell(text))
    const name = byName.has(exact) ? exact : exact.trim()
    if (names.has(name)) issues.push(issue(["columns", at], "invalid_value", "is named twice"))
    names.add(name)
    if (Object.hasOwn(fields, name)) return { _tag: "Field", field: name as Field }
    if (name === statusColumn) return { _tag: "Status" }
    if (ignored.has(name)) return { _tag: "Ignored" }
    const property = byName.get(name)
    if (property !== undefined) return { _tag: "Property", property }
    issues.push(issue(["columns", at], "undefined_property", unknownColumnMessage))
    return { _tag: "Ignored" }
  })
  if (!names.has("email")) issues.push(issue(["columns"], "required", "must name a column email"))
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(columns)
}

/** The contact of one row. It has only the columns of the file; an empty cell clears the field. */
export interface ContactOfRow {
  readonly input: ValidCreateContact
  /** The identifier for an update: `null` for an empty cell, `undefined` without the column. */
  readonly userId: string | null | undefined
  readonly emailStatus: EmailStatus | undefined
}

/** A number in decimal digits. `Number` also reads other digits, such as those of `0x1F`, which is more often an identifier. */
const decimalNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** A text that is no number stays a text, which the property refuses. */
const valueOf = ({ content }: ResourceOf<"property">, text: string): PropertyValue | null => {
  if (text === "") return null
  if (content.type !== "number") return text
  const value = Number(text)
  return decimalNumber.test(text.trim()) && Number.isFinite(value) ? value : text
}

/** The issue of a text that no property can have, so that a row of a contact is never large. The other values are checked when they are written. */
const tooLongIssues = ({ content }: ResourceOf<"property">, value: PropertyValue | null): ReadonlyArray<Issue> => {
  if (typeof value !== "string" || value.length <= propertyTextCharactersMax) return []
  const problem = valueProblem(content.type, value)
  return problem === undefined ? [] : [issue(["properties", content.key], problem.code, problem.message)]
}

/** Reads the contact of a row. Fails with all issues of the row, or with one when it has another number of cells than the first row. */
export const readRow = (
  columns: ReadonlyArray<ContactColumn>,
  cells: ReadonlyArray<string>
): Result.Result<ContactOfRow, ReadonlyArray<Issue>> => {
  if (cells.length !== columns.length)
    return Result.fail([
      issue(
        [],
        "invalid_value",
        `has ${cells.length} ${cells.length === 1 ? "cell" : "cells"}, but the first row has ${columns.length}`
      )
    ])
  const input: Record<string, unknown> = {}
  const properties: Array<readonly [key: string, value: PropertyValue | null]> = []
  let emailStatus: string | undefined
  let clearsUserId = false
  const wrong: Array<Issue> = []
  columns.forEach((column, at) => {
    const cell = fromCell(cells[at]!)
    if (column._tag === "Field" && column.field === "user_id" && cell === "") clearsUserId = true
    else if (column._tag === "Field") input[fields[column.field]] = cell
    else if (column._tag === "Property") {
      const value = valueOf(column.property, cell)
      wrong.push(...tooLongIssues(column.property, value))
      properties.push([column.property.content.key, value])
    } else if (column._tag === "Status" && cell !== "") emailStatus = cell.toLowerCase()
  })
  if (properties.length > 0) input["properties"] = Object.fromEntries(properties)
  if (emailStatus !== undefined && !(emailStatuses as ReadonlyArray<string>).includes(emailStatus))
    wrong.push(issue(["email_status"], "invalid_value", `must be ${emailStatuses.join(" or ")}`))
  const parsed = parseCreateContact(input)
  if (Result.isFailure(parsed)) return Result.fail([...parsed.failure, ...wrong])
  return wrong.length === 0
    ? Result.succeed({
        input: parsed.success,
        userId: clearsUserId ? null : parsed.success.userId,
        emailStatus: emailStatus as EmailStatus | undefined
      })
    : Result.fail(wrong)
}

/** Returns the first row of an export. */
export const exportedColumns = (properties: ReadonlyArray<ResourceOf<"property">>): ReadonlyArray<string> => [
  "id",
  ...Object.keys(fields),
  statusColumn,
  "source",
  "created_at",
  "updated_at",
  ...properties.map(({ content }) => toCell(propertyColumn(content.key)))
]

/** A number is written without a mark, because a negative number is not a formula. */
const cellOf = (value: PropertyValue | null | undefined): string =>
  typeof value === "number" ? String(value) : toCell(value ?? "")

/** Returns the row of a contact. `properties` are those of `exportedColumns`, in the same order. */
export const exportedRow = (
  contact: ContactRecord,
  properties: ReadonlyArray<ResourceOf<"property">>
): ReadonlyArray<string> => [
  contact.id,
  toCell(contact.email),
  cellOf(contact.userId),
  toCell(contact.firstName),
  toCell(contact.lastName),
  cellOf(contact.phoneNumber),
  contact.emailStatus,
  contact.source,
  formatInstant(contact.createdAt),
  formatInstant(contact.updatedAt),
  ...properties.map(({ id }) => cellOf(contact.properties[id]))
]
