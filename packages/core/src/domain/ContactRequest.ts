/**
 * The requests that create and update a contact. Validation here uses only the request.
 * Source: interface, Create a contact, Update a contact; decision 0012.
 */
import type { Result } from "effect"
import { Result as R, Schema } from "effect"
import type { Issue } from "./Issue.ts"
import { decoder, distinctIssues, issue, says } from "./Issue.ts"
import { SearchText, TextOrNull } from "./PagingRequest.ts"
import { propertyName } from "./Property.ts"
import { emailStatuses } from "./SubscriptionTable.ts"
import { lineOf, Mailbox } from "./TextRule.ts"

const name = lineOf({ max: 100 })
const userId = lineOf({ max: 255 })
const phoneNumber = lineOf({ max: 32 })
const propertyKeysMax = 200

const Properties = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Schema.Finite, Schema.Null]).annotate(
    says("invalid_type", "must be a string, a number or null")
  )
).check(
  Schema.makeFilter((properties) => Object.keys(properties).length <= propertyKeysMax, {
    ...says("too_many_items", `must have at most ${propertyKeysMax} keys`),
    toJsonSchema: () => ({ maxProperties: propertyKeysMax })
  })
)

export const CreateContactBody = Schema.Struct({
  email: Mailbox,
  userId: Schema.optionalKey(userId),
  firstName: Schema.optionalKey(name),
  lastName: Schema.optionalKey(name),
  phoneNumber: Schema.optionalKey(phoneNumber),
  properties: Schema.optionalKey(Properties)
}).annotate({ identifier: "CreateContactRequest" })
export type CreateContact = typeof CreateContactBody.Type

export const UpdateContactBody = Schema.Struct({
  email: Mailbox,
  userId: Schema.optionalKey(Schema.NullOr(userId)),
  firstName: Schema.optionalKey(name),
  lastName: Schema.optionalKey(name),
  phoneNumber: Schema.optionalKey(phoneNumber),
  properties: Schema.optionalKey(Properties),
  emailStatus: Schema.optionalKey(
    Schema.Literals(emailStatuses).annotate(says("invalid_value", `must be ${emailStatuses.join(" or ")}`))
  )
}).annotate({ identifier: "UpdateContactRequest" })
export type UpdateContact = typeof UpdateContactBody.Type

/** Property keys are case-insensitive. Two spellings of one key would give one property two values. */
const propertyKeys = (input: unknown): ReadonlyArray<Issue> => {
  const properties: unknown = (input as { readonly properties?: unknown } | null | undefined)?.properties
  if (typeof properties !== "object" || properties === null) return []
  const seen = new Set<string>()
  return Object.keys(properties)
    .slice(0, propertyKeysMax)
    .flatMap((key) => {
      const comparedKey = propertyName(key)
      if (seen.has(comparedKey)) return [issue(["properties", key], "duplicate_property", "is given in two spellings")]
      seen.add(comparedKey)
      return []
    })
}

const reader = <S extends Schema.Decoder<unknown>>(schema: S) => {
  const decode = decoder(schema, { properties: propertyKeysMax })
  return (input: unknown): Result.Result<S["Type"], ReadonlyArray<Issue>> => {
    const keys = propertyKeys(input)
    const decoded = decode(input)
    if (keys.length === 0) return decoded
    return R.fail(distinctIssues(R.isFailure(decoded) ? [...decoded.failure, ...keys] : keys))
  }
}

/** The filters of a contact listing; `null` means no filter. */
const ContactQuery = Schema.Struct({
  /** A part of the email, of a name, or of both names joined by a space. Ignores case. */
  search: SearchText,
  emailStatus: Schema.NullOr(Schema.Literals(emailStatuses)).annotate(
    says("invalid_value", `must be null or one of ${emailStatuses.join(", ")}`)
  ),
  /** An unknown list or segment matches no contact. */
  listId: TextOrNull,
  segmentId: TextOrNull
})
export type ContactQuery = typeof ContactQuery.Type
export const parseContactQuery = decoder(ContactQuery)

export const everyContact: ContactQuery = { search: null, emailStatus: null, listId: null, segmentId: null }

export const parseCreateContact = reader(CreateContactBody)
export const parseUpdateContact = reader(UpdateContactBody)
