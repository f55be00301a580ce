/**
 * Contacts as rows of a table: which columns there are, and what a row asks for. Source: decision 0029.
 */
import { Result } from "effect"
import type { Contact } from "./Contact.ts"
import type { CreateContact } from "./ContactRequest.ts"
import { parseCreateContact } from "./ContactRequest.ts"
import type { DefinitionOf } from "./Definition.ts"
import { formatInstant } from "./Instant.ts"
import type { Issue } from "./Issue.ts"
import { issue } from "./Issue.ts"
import type { PropertyValue } from "./Property.ts"
import { propertyName } from "./Property.ts"
import type { EmailStatus } from "./SubscriptionTable.ts"
import { emailStatuses } from "./SubscriptionTable.ts"

/** Columns that are fields of a contact; every other one is a property. */
const fields = {
  email: "email",
  user_id: "userId",
  first_name: "firstName",
  last_name: "lastName",
  phone_number: "phoneNumber"
} as const
type Field = keyof typeof fields

/** Shown by an export, and of no meaning to an import. */
const ignored = new Set(["id", "source", "created_at", "updated_at"])

/** What each place of a row holds. */
export type ContactColumn =
  | { readonly _tag: "Field"; readonly field: Field }
  | { readonly _tag: "Status" }
  | { readonly _tag: "Property"; readonly definition: DefinitionOf<"property"> }
  | { readonly _tag: "Ignored" }

/** The columns that a first row names, in any case; or what is wrong with it. */
export const readColumns = (
  header: ReadonlyArray<string>,
  properties: ReadonlyArray<DefinitionOf<"property">>
): Result.Result<ReadonlyArray<ContactColumn>, ReadonlyArray<Issue>> => {
  const byName = new Map(properties.map((one) => [one.name!, one]))
  const issues: Array<Issue> = []
  const seen = new Set<string>()
  const columns = header.map((text, at): ContactColumn => {
    const name = text.trim().toLowerCase()
    if (seen.has(name)) issues.push(issue(["columns", at], "invalid_value", "is named twice"))
    seen.add(name)
    if (Object.hasOwn(fields, name)) return { _tag: "Field", field: name as Field }
    if (name === "email_status") return { _tag: "Status" }
    if (ignored.has(name)) return { _tag: "Ignored" }
    const definition = byName.get(propertyName(name))
    if (definition !== undefined) return { _tag: "Property", definition }
    issues.push(issue(["columns", at], "undefined_property", "is neither a field nor a defined custom property"))
    return { _tag: "Ignored" }
  })
  if (!seen.has("email")) issues.push(issue(["columns"], "required", "must name a column email"))
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(columns)
}

/** What a row asks for. Only the columns that the file has are written; an empty cell clears. */
export interface AskedContact {
  readonly request: CreateContact
  readonly emailStatus: EmailStatus | undefined
}

const valueOf = ({ content }: DefinitionOf<"property">, text: string): PropertyValue | null => {
  if (text === "") return null
  if (content.type !== "number") return text
  const value = Number(text)
  return text.trim() !== "" && Number.isFinite(value) ? value : text
}

export const readRow = (
  columns: ReadonlyArray<ContactColumn>,
  cells: ReadonlyArray<string>
): Result.Result<AskedContact, ReadonlyArray<Issue>> => {
  if (cells.length !== columns.length)
    return Result.fail([
      issue([], "invalid_value", `has ${cells.length} cells, and ${columns.length} columns are named`)
    ])
  const request: Record<string, unknown> = {}
  const properties: Record<string, PropertyValue | null> = {}
  let emailStatus: string | undefined
  columns.forEach((column, at) => {
    const cell = cells[at]!
    if (column._tag === "Field") request[fields[column.field]] = cell
    else if (column._tag === "Property") properties[column.definition.content.key] = valueOf(column.definition, cell)
    else if (column._tag === "Status" && cell !== "") emailStatus = cell.toLowerCase()
  })
  if (Object.keys(properties).length > 0) request["properties"] = properties
  const known = emailStatus === undefined || (emailStatuses as ReadonlyArray<string>).includes(emailStatus)
  const parsed = parseCreateContact(request)
  const wrong = known ? [] : [issue(["email_status"], "invalid_value", `must be ${emailStatuses.join(" or ")}`)]
  if (Result.isFailure(parsed)) return Result.fail([...parsed.failure, ...wrong])
  return known
    ? Result.succeed({ request: parsed.success, emailStatus: emailStatus as EmailStatus | undefined })
    : Result.fail(wrong)
}

/** The first row of an export. */
export const exportedColumns = (properties: ReadonlyArray<DefinitionOf<"property">>): ReadonlyArray<string> => [
  "id",
  ...Object.keys(fields),
  "email_status",
  "source",
  "created_at",
  "updated_at",
  ...properties.map(({ content }) => content.key)
]

export const exportedRow = (
  contact: Contact,
  properties: ReadonlyArray<DefinitionOf<"property">>
): ReadonlyArray<string> => [
  contact.id,
  contact.email,
  contact.userId ?? "",
  contact.firstName,
  contact.lastName,
  contact.phoneNumber ?? "",
  contact.emailStatus,
  contact.source,
  formatInstant(contact.createdAt),
  formatInstant(contact.updatedAt),
  ...properties.map(({ id }) => String(contact.properties[id] ?? ""))
]
