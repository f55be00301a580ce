/**
 * The request of a send. Validation here uses only the request: no clock and no store.
 * `decide/acceptSend.ts` checks the window of `scheduledAt`, the template and the domain.
 */
import { Result, Schema } from "effect"
import type { Address } from "./Address.ts"
import { parseAddress } from "./Address.ts"
import type { Json } from "./CanonicalJson.ts"
import { canonicalJson, checkJson } from "./CanonicalJson.ts"
import type { HeaderFields } from "./HeaderField.ts"
import { headerFieldIssues } from "./HeaderField.ts"
import type { Instant } from "./Instant.ts"
import { formatInstant, parseInstant } from "./Instant.ts"
import type { Issue } from "./Issue.ts"
import { decoder, distinctIssues, issue, says } from "./Issue.ts"
import type { OnAmbiguous } from "./Project.ts"
import { TemplateValues, templateValuesMax } from "./TemplateValues.ts"
import { codePoints } from "./TextLength.ts"
import { bodyOf, lineOf, Mailbox, textOf, Timestamp } from "./TextRule.ts"

export const toItemsMax = 100
export const recipientsMax = 50
export const bodyOctetsMax = 2 * 1024 * 1024
const metadataKeysMax = 50
const metadataKeyCharactersMax = 40
const metadataBounds = { octetsMax: 4 * 1024, depthMax: 16 }

const mailboxes = (min: 0 | 1) =>
  Schema.Union([
    Mailbox,
    Schema.Array(Mailbox).check(
      Schema.isMinLength(min, says("too_short", "must hold at least one address")),
      Schema.isMaxLength(toItemsMax, says("too_many_items", `must hold at most ${toItemsMax} addresses`))
    )
  ]).annotate(says("invalid_type", "must be an address or an array of addresses"))

const reservedKeyWords = says("invalid_value", "must not have the key __proto__, constructor or prototype at any depth")

const Metadata = Schema.Record(Schema.String, Schema.Unknown)
  .check(
    Schema.makeFilter((metadata) => Object.keys(metadata).length <= metadataKeysMax, {
      ...says("too_many_items", `must have at most ${metadataKeysMax} keys`),
      toJsonSchema: () => ({ maxProperties: metadataKeysMax })
    }),
    Schema.makeFilter(
      (metadata) => Object.keys(metadata).every((key) => codePoints(key) <= metadataKeyCharactersMax),
      says("too_long", `must have keys of at most ${metadataKeyCharactersMax} characters`)
    ),
    Schema.makeFilter((metadata) => checkJson(metadata, metadataBounds) !== "reserved_key", reservedKeyWords),
    Schema.makeFilter(
      (metadata) => checkJson(metadata, metadataBounds) !== "not_json",
      says("invalid_value", "must be JSON, its text well-formed and without U+0000")
    ),
    Schema.makeFilter(
      (metadata) => checkJson(metadata, metadataBounds) !== "too_large",
      says(
        "too_large",
        `must be at most ${metadataBounds.octetsMax} octets of JSON and ${metadataBounds.depthMax} levels`
      )
    )
  )
  .annotate({ identifier: "Metadata" })

/** The body of a send request. Source: interface, Send an email. */
export const SendBody = Schema.Struct({
  from: Mailbox,
  to: mailboxes(1),
  subject: Schema.optionalKey(lineOf({ min: 1, max: 500 })),
  html: Schema.optionalKey(bodyOf({ octetsMax: bodyOctetsMax })),
  text: Schema.optionalKey(bodyOf({ octetsMax: bodyOctetsMax })),
  templateId: Schema.optionalKey(textOf({ min: 1, max: 255 })),
  templateVariables: Schema.optionalKey(TemplateValues),
  fromName: Schema.optionalKey(lineOf({ min: 1, max: 100 })),
  replyTo: Schema.optionalKey(Mailbox),
  cc: Schema.optionalKey(mailboxes(0)),
  bcc: Schema.optionalKey(mailboxes(0)),
  metadata: Schema.optionalKey(Metadata),
  scheduledAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "SendEmailRequest" })
export type SendBody = typeof SendBody.Type

/** The options of a send that only the embedding product can set. Source: decisions 0007, 0010 and 0030. */
export interface SendOptions {
  readonly onAmbiguous?: OnAmbiguous
  /** Retries stop at this instant. Use it, for example, for a one-time code. */
  readonly expiresAt?: Instant
  /** Header fields of the message, such as `List-Unsubscribe`; at most 20. */
  readonly headers?: HeaderFields
}

/** A parsed send request: addresses are parsed, single values are lists, and times are instants. */
export interface SendRequest {
  readonly from: Address
  readonly to: ReadonlyArray<Address>
  readonly cc: ReadonlyArray<Address>
  readonly bcc: ReadonlyArray<Address>
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  readonly templateId: string | null
  readonly templateVariables: { readonly [key: string]: string | number | boolean }
  readonly fromName: string | null
  readonly replyTo: Address | null
  readonly metadata: { readonly [key: string]: Json }
  readonly scheduledAt: Instant | null
  readonly options: SendOptions
}

const decodeBody = decoder(SendBody, {
  to: toItemsMax,
  cc: toItemsMax,
  bcc: toItemsMax,
  metadata: metadataKeysMax,
  templateVariables: templateValuesMax
})

const count = (field: unknown): number => (Array.isArray(field) ? field.length : typeof field === "string" ? 1 : 0)

/** Checks the rules between fields, even if single fields are wrong, so that one answer contains all issues. */
const rulesBetweenFields = (input: unknown): ReadonlyArray<Issue> => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return []
  const body = input as { readonly [key: string]: unknown }
  const found: Array<Issue> = []
  if (body["templateId"] === undefined) {
    if (body["subject"] === undefined) found.push(issue(["subject"], "required", "is required without templateId"))
    if (body["html"] === undefined && body["text"] === undefined)
      found.push(issue(["html"], "required", "is required without text and templateId"))
    if (body["templateVariables"] !== undefined)
      found.push(issue(["templateVariables"], "not_allowed_here", "is allowed only with templateId"))
  }
  const [to, cc, bcc] = [count(body["to"]), count(body["cc"]), count(body["bcc"])]
  if (to > 1) {
    if (cc > 0) found.push(issue(["cc"], "not_allowed_here", "is allowed only with one address in to"))
    if (bcc > 0) found.push(issue(["bcc"], "not_allowed_here", "is allowed only with one address in to"))
  }
  if (to <= toItemsMax && to + cc + bcc > recipientsMax)
    found.push(
      issue(["to"], "too_many_recipients", `must hold at most ${recipientsMax} addresses together with cc and bcc`)
    )
  return found
}

const addresses = (field: string | ReadonlyArray<string> | undefined): ReadonlyArray<Address> =>
  (field === undefined ? [] : typeof field === "string" ? [field] : field).map((text) => parseAddress(text)!)

const normalise = (body: SendBody, options: SendOptions): SendRequest => ({
  from: parseAddress(body.from)!,
  to: addresses(body.to),
  cc: addresses(body.cc),
  bcc: addresses(body.bcc),
  subject: body.subject ?? null,
  html: body.html ?? null,
  text: body.text ?? null,
  templateId: body.templateId ?? null,
  templateVariables: body.templateVariables ?? {},
  fromName: body.fromName ?? null,
  replyTo: body.replyTo === undefined ? null : parseAddress(body.replyTo)!,
  metadata: (body.metadata ?? {}) as SendRequest["metadata"],
  scheduledAt: body.scheduledAt === undefined ? null : parseInstant(body.scheduledAt)!,
  options
})

/** Parses a send request. Fails with all of its issues. */
export const parseSend = (
  input: unknown,
  options: SendOptions = {}
): Result.Result<SendRequest, ReadonlyArray<Issue>> => {
  const between = [...rulesBetweenFields(input), ...headerFieldIssues(options.headers ?? {})]
  const decoded = decodeBody(input)
  if (Result.isFailure(decoded)) return Result.fail(distinctIssues([...decoded.failure, ...between]))
  return between.length > 0 ? Result.fail(between) : Result.succeed(normalise(decoded.success, options))
}

/** Returns the canonical text of a request. Two requests are equal if the digests of their texts are equal. Source: decisions 0007 and 0010. */
export const canonicalSend = (request: SendRequest): string => {
  const shown = (list: ReadonlyArray<Address>) => list.map(({ address }) => address)
  const { onAmbiguous, expiresAt, headers } = request.options
  return canonicalJson({
    from: request.from.address,
    to: shown(request.to),
    cc: shown(request.cc),
    bcc: shown(request.bcc),
    subject: request.subject,
    html: request.html,
    text: request.text,
    templateId: request.templateId,
    templateVariables: request.templateVariables,
    fromName: request.fromName,
    replyTo: request.replyTo?.address ?? null,
    metadata: request.metadata,
    scheduledAt: request.scheduledAt === null ? null : formatInstant(request.scheduledAt),
    onAmbiguous: onAmbiguous ?? null,
    expiresAt: expiresAt === undefined ? null : formatInstant(expiresAt),
    ...(headers === undefined ? {} : { headers })
  })
}

const idempotencyKeyForm = /^[\x21-\x7e]{1,128}$/u
const idempotencyKeyWords = says("invalid_value", "must be 1 to 128 visible ASCII characters")

/** The value of the header field `Idempotency-Key`. Source: decisions 0007 and 0010. */
export const IdempotencyKey = Schema.String.check(Schema.isPattern(idempotencyKeyForm, idempotencyKeyWords)).annotate({
  identifier: "IdempotencyKey"
})

/** Returns what is wrong with an idempotency key, or `undefined` if it is valid. */
export const idempotencyKeyIssue = (key: string): Issue | undefined =>
  idempotencyKeyForm.test(key)
    ? undefined
    : issue(["idempotency-key"], idempotencyKeyWords.code, idempotencyKeyWords.message)
