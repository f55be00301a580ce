/**
 * The inputs that create, update and list contacts. Validation here uses only the input.
 * Source: docs/spec/coverage.md S7; decision 0012.
 */
import { Result, Schema } from "effect"
import { addressPartOf } from "../message/Address.ts"
import type { PageInput, PageRequest } from "../store/Paging.ts"
import { pageFields, pageOrDefault, SearchText, TextOrNull } from "../store/PagingRequest.ts"
import { isRecord } from "../value/Fields.ts"
import { formatInstant } from "../value/Instant.ts"
import { timeOfDate } from "../value/timeOfDate.ts"
import type { Issue, Parser } from "../value/Issue.ts"
import { decoder, issue, says, withRules } from "../value/Issue.ts"
import { Finite } from "../value/NumberRule.ts"
import { choiceOrNull, lineOf, Mailbox } from "../value/TextRule.ts"
import { propertyName } from "./Property.ts"
import type { EmailStatus } from "./EmailStatusTable.ts"
import { emailStatuses } from "./EmailStatusTable.ts"

/** Values of custom properties by property key, in any case. `null` removes the value. A `Date` is the value of a property of type `date`. */
export type PropertiesInput = Readonly<Record<string, string | number | Date | null | undefined>>

/** A new contact. */
export interface CreateContactInput {
  /** A bare address such as `ada@example.com`. Unique within the project without regard to case. */
  readonly email: string
  /** The product's own identifier of the person. At most 255 characters in one line. Default: none. */
  readonly userId?: string | undefined
  /** At most 100 characters in one line. Default: empty. */
  readonly firstName?: string | undefined
  /** At most 100 characters in one line. Default: empty. */
  readonly lastName?: string | undefined
  /** At most 32 characters in one line. Default: none. */
  readonly phoneNumber?: string | undefined
  /** At most 200 values. Each property must be defined in the project. Default: none. */
  readonly properties?: PropertiesInput | undefined
}

/** The fields of a contact to change. `email` is required; any other absent field keeps its value. */
export interface UpdateContactInput {
  /** The address of the contact after the change. Required: give the present address to keep it. */
  readonly email: string
  /** At most 255 characters in one line. `null` removes the identifier. */
  readonly userId?: string | null | undefined
  /** At most 100 characters in one line. */
  readonly firstName?: string | undefined
  /** At most 100 characters in one line. */
  readonly lastName?: string | undefined
  /** At most 32 characters in one line. An empty text removes the number. */
  readonly phoneNumber?: string | undefined
  /** Replaces all values of custom properties. At most 200 values. */
  readonly properties?: PropertiesInput | undefined
  /** `unsubscribed` also suppresses the address; `subscribed` removes only that reason. */
  readonly emailStatus?: EmailStatus | undefined
}

/** Selects contacts. An absent filter, `undefined` or `null` selects all contacts. */
export interface ContactFilterInput {
  /**
   * A part of the email, of a name, or of both names joined by a space. At most 255 characters. Ignores case. A domain in Unicode finds the emails with
   * its A-labels, by whole labels. An empty text selects all contacts.
   */
  readonly search?: string | null | undefined
  /** Only contacts with this status. */
  readonly emailStatus?: EmailStatus | null | undefined
  /** The id of a list. An unknown list selects no contact. */
  readonly listId?: string | null | undefined
  /** The id of a segment. An unknown segment selects no contact. */
  readonly segmentId?: string | null | undefined
}

/** Selects one page of contacts. */
export interface ListContactsInput extends ContactFilterInput, PageInput {}

const name = lineOf({ max: 100 })
const userId = lineOf({ max: 255 })
const phoneNumber = lineOf({ max: 32 })
const propertyKeysMax = 200

const Properties = Schema.Record(
  Schema.String,
  Schema.Union([Schema.String, Finite, Schema.Null]).annotate(
    says("invalid_type", "must be a string, a number or null")
  )
)
  .check(
    Schema.makeFilter((properties) => Object.keys(properties).length <= propertyKeysMax, {
      ...says("too_many_items", `must have at most ${propertyKeysMax} keys`),
      toJsonSchema: () => ({ maxProperties: propertyKeysMax })
    })
  )
  .annotate({
    description:
      "Values by the key of the property, in any case. A text has at most 500 characters; `null` is no value."
  })

declare const valid: unique symbol

/** The schema of `CreateContactInput`. */
export const CreateContactBody = Schema.Struct({
  email: Mailbox,
  userId: Schema.optionalKey(userId),
  firstName: Schema.optionalKey(name),
  lastName: Schema.optionalKey(name),
  phoneNumber: Schema.optionalKey(phoneNumber),
  properties: Schema.optionalKey(Properties)
}).annotate({ identifier: "CreateContactRequest" })
/** A new contact that `parseCreateContact` has checked. */
export type ValidCreateContact = typeof CreateContactBody.Type & { readonly [valid]: "create" }

/** The schema of `UpdateContactInput`. */
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
/** A change of a contact that `parseUpdateContact` has checked. */
export type ValidUpdateContact = typeof UpdateContactBody.Type & { readonly [valid]: "update" }

/** Property keys are case-insensitive. Two spellings of one key would give one property two values. */
const propertyKeyIssues = (input: unknown): ReadonlyArray<Issue> => {
  const properties: unknown = (input as { readonly properties?: unknown } | null | undefined)?.properties
  if (typeof properties !== "object" || properties === null) return []
  const names = new Set<string>()
  return Object.keys(properties)
    .slice(0, propertyKeysMax)
    .flatMap((key) => {
      const comparedKey = propertyName(key)
      if (names.has(comparedKey)) return [issue(["properties", key], "duplicate_property", "is given in two spellings")]
      names.add(comparedKey)
      return []
    })
}

/** Drops values that are `undefined`, and converts each `Date` to text. Only a program can pass these values. */
const withPlainProperties = (input: unknown): unknown => {
  const properties: unknown = (input as { readonly properties?: unknown } | null | undefined)?.properties
  if (!isRecord(properties)) return input
  const entries = Object.entries(properties)
  if (entries.every(([, value]) => value !== undefined && timeOfDate(value) === undefined)) return input
  const plain = entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const time = timeOfDate(value)
      return [key, time === undefined || Number.isNaN(time) ? value : formatInstant(time)]
    })
  return { ...(input as object), properties: Object.fromEntries(plain) }
}

const contactParser = <S extends Schema.Decoder<unknown>>(schema: S): Parser<S["Type"]> => {
  const parse = withRules(decoder(schema, { properties: propertyKeysMax }), propertyKeyIssues)
  return (input) => parse(withPlainProperties(input))
}

export const parseCreateContact = contactParser(CreateContactBody) as Parser<ValidCreateContact>
export const parseUpdateContact = contactParser(UpdateContactBody) as Parser<ValidUpdateContact>

const queryFields = {
  search: Schema.optionalKey(SearchText),
  emailStatus: Schema.optionalKey(choiceOrNull(emailStatuses)),
  listId: Schema.optionalKey(TextOrNull),
  segmentId: Schema.optionalKey(TextOrNull)
}

/** The filters of a query that was checked; `null` means no filter. */
export interface ValidContactFilter {
  readonly search: string | null
  readonly emailPart: string | null
  readonly emailStatus: EmailStatus | null
  readonly listId: string | null
  readonly segmentId: string | null
}

/** An empty search selects all contacts. As a search, it would need a scan. */
const queryOrDefault = ({
  search = null,
  emailStatus = null,
  listId = null,
  segmentId = null
}: ContactFilterInput): ValidContactFilter => ({
  search: search === "" ? null : search,
  emailPart: addressPartOf(search),
  emailStatus,
  listId,
  segmentId
})

const decodeQuery = decoder(Schema.Struct(queryFields))
const decodeListing = decoder(Schema.Struct({ ...queryFields, ...pageFields }))

export const parseContactQuery: Parser<ValidContactFilter> = (input) => Result.map(decodeQuery(input), queryOrDefault)

export const parseContactListing: Parser<{ readonly query: ValidContactFilter; readonly page: PageRequest }> = (
  input
) => Result.map(decodeListing(input), (listing) => ({ query: queryOrDefault(listing), page: pageOrDefault(listing) }))
