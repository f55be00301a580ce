/**
 * Parses the input of a send. Validation here uses only the input: no clock and no store.
 * `decide/message/acceptSend.ts` checks the window of `scheduledAt`, the template and the domain.
 */
import { Result, Schema } from "effect"
import type { Address } from "./Address.ts"
import { parseAddress } from "./Address.ts"
import type { Json } from "../value/CanonicalJson.ts"
import { canonicalJson, copyOfJson } from "../value/CanonicalJson.ts"
import { isFields } from "../value/Fields.ts"
import type { Instant } from "../value/Instant.ts"
import { formatInstantOrNull, parseInstant } from "../value/Instant.ts"
import type { Issue } from "../value/Issue.ts"
import { decoder, distinctIssues, issue, says } from "../value/Issue.ts"
import type { SendingSource } from "../access/ApiKey.ts"
import type { AttachmentRecord, ValidAttachment } from "./Attachment.ts"
import { AttachmentBody, attachmentsMax } from "./Attachment.ts"
import { attachmentIssues, contentIssues, takeContents, toAttachments, withBytesAllowed } from "./attachmentContent.ts"
import { TemplateValues, templateValuesMax } from "../template/TemplateValues.ts"
import { jsonWithin } from "../value/JsonRule.ts"
import { codePoints } from "../value/TextLength.ts"
import { bodyOf, lineOf, Mailbox, textOf, Timestamp } from "../value/TextRule.ts"
import { fromNameCharactersMax, toSendBody, describeForProgram } from "./SendInput.ts"
import type { ValidSendOptions } from "./SendOptions.ts"

const toItemsMax = 100
export const recipientsMax = 50
export const bodyBytesMax = 2 * 1024 * 1024
const metadataKeysMax = 50
const metadataKeyCharactersMax = 40
const metadataBounds = { bytesMax: 4 * 1024, depthMax: 16 }

const mailboxes = (min: 0 | 1) =>
  Schema.Union([
    Mailbox,
    Schema.Array(Mailbox).check(
      Schema.isMinLength(min, says("too_short", "must hold at least one address")),
      Schema.isMaxLength(toItemsMax, says("too_many_items", `must hold at most ${toItemsMax} addresses`))
    )
  ]).annotate(says("invalid_type", "must be an address or an array of addresses"))

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
    ...jsonWithin(metadataBounds, {
      reservedKey: "must not have the key __proto__, constructor or prototype at any depth",
      tooLarge: `must be at most ${metadataBounds.bytesMax} bytes of JSON and ${metadataBounds.depthMax} levels`
    })
  )
  .annotate({ identifier: "Metadata" })

const Attachments = Schema.Array(AttachmentBody)
  .check(Schema.isMaxLength(attachmentsMax, says("too_many_items", `must hold at most ${attachmentsMax} files`)))
  .annotate({
    description: "An extension. By default, the files have at most 20 MiB together."
  })

/** The body of a send request. Source: docs/spec/coverage.md S6; decision 0042 (`attachments`). */
export const SendBody = Schema.Struct({
  from: Mailbox,
  to: mailboxes(1),
  subject: Schema.optionalKey(lineOf({ min: 1, max: 500 })),
  html: Schema.optionalKey(bodyOf({ bytesMax: bodyBytesMax })),
  text: Schema.optionalKey(bodyOf({ bytesMax: bodyBytesMax })),
  templateId: Schema.optionalKey(textOf({ min: 1, max: 255 })),
  templateVariables: Schema.optionalKey(TemplateValues),
  fromName: Schema.optionalKey(lineOf({ min: 1, max: fromNameCharactersMax })),
  replyTo: Schema.optionalKey(Mailbox),
  cc: Schema.optionalKey(mailboxes(0)),
  bcc: Schema.optionalKey(mailboxes(0)),
  metadata: Schema.optionalKey(Metadata),
  scheduledAt: Schema.optionalKey(Timestamp),
  attachments: Schema.optionalKey(Attachments)
}).annotate({ identifier: "SendEmailRequest" })
export type SendBody = typeof SendBody.Type

declare const validSend: unique symbol

/** An input that `parseSend` has checked: addresses are parsed, single values are lists, and times are instants. */
export interface ValidSend {
  readonly [validSend]: true
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
  readonly attachments: ReadonlyArray<ValidAttachment>
}

const decodeBody = decoder(SendBody, {
  to: toItemsMax,
  cc: toItemsMax,
  bcc: toItemsMax,
  metadata: metadataKeysMax,
  templateVariables: templateValuesMax,
  attachments: attachmentsMax
})

const count = (field: unknown): number => (Array.isArray(field) ? field.length : typeof field === "string" ? 1 : 0)

/**
 * Checks the rules between fields, even if single fields are wrong, so that one answer contains all issues.
 * With `oneMessage`, all recipients get the same message. Then `cc` and `bcc` are allowed with several addresses in `to`.
 */
const rulesBetweenFields = (input: unknown, oneMessage: boolean): ReadonlyArray<Issue> => {
  if (!isFields(input)) return []
  const { subject, html, text, templateId, templateVariables } = input
  const found: Array<Issue> = []
  if (templateId === undefined) {
    if (subject === undefined) found.push(issue(["subject"], "required", "is required without templateId"))
    if (html === undefined && text === undefined)
      found.push(issue(["html"], "required", "is required without text and templateId"))
    if (templateVariables !== undefined)
      found.push(issue(["templateVariables"], "not_allowed_here", "is allowed only with templateId"))
  }
  const [to, cc, bcc] = [count(input["to"]), count(input["cc"]), count(input["bcc"])]
  if (to > 1 && !oneMessage) {
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

const normalise = (body: SendBody, attachments: ReadonlyArray<ValidAttachment>) =>
  ({
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
    metadata: body.metadata === undefined ? {} : copyOfJson(body.metadata as ValidSend["metadata"]),
    scheduledAt: body.scheduledAt === undefined ? null : parseInstant(body.scheduledAt)!,
    attachments
  }) as ValidSend

const parseBody = (
  input: unknown,
  source: SendingSource,
  oneMessage: boolean
): Result.Result<ValidSend, ReadonlyArray<Issue>> => {
  const { body, contents } = takeContents(input)
  const between = [...rulesBetweenFields(body, oneMessage), ...attachmentIssues(body)]
  const decoded = decodeBody(body)
  if (Result.isFailure(decoded) || between.length > 0) {
    const ofFields = Result.isFailure(decoded) ? decoded.failure : []
    return Result.fail(distinctIssues([...ofFields, ...between, ...contentIssues(contents, source)]))
  }
  const { attachments, issues } = toAttachments(decoded.success.attachments ?? [], contents, source)
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(normalise(decoded.success, attachments))
}

/**
 * Parses the input of a send. Fails with all of its issues. An input of the source `embedded` has the form of `SendInput`; an input of
 * another source has the form of `SendBody`. `oneMessage`: the send has the option `shownRecipients`.
 */
export const parseSend = (
  input: unknown,
  source: SendingSource,
  oneMessage = false
): Result.Result<ValidSend, ReadonlyArray<Issue>> => {
  if (source !== "embedded") return parseBody(input, source, oneMessage)
  const { body, issues } = toSendBody(input, toItemsMax)
  const parsed = parseBody(body, source, oneMessage)
  if (Result.isFailure(parsed))
    return Result.fail([...parsed.failure.map((one) => withBytesAllowed(describeForProgram(one, input))), ...issues])
  return issues.length > 0 ? Result.fail(issues) : parsed
}

const canonicalAttachment = ({ contentId, contentType, disposition, filename, hash }: AttachmentRecord) => ({
  contentId,
  contentType,
  disposition,
  filename,
  hash
})

/**
 * Returns the canonical text of a send. Two sends are equal if the digests of their texts are equal. `attachments` are the files of the send
 * with their hashes. Source: decisions 0007, 0010 and 0042.
 */
export const canonicalSend = (
  send: ValidSend,
  options: ValidSendOptions,
  attachments: ReadonlyArray<AttachmentRecord> = []
): string => {
  const { onAmbiguous, expiresAt, listUnsubscribe, shownRecipients, headers } = options
  const addressTexts = (list: ReadonlyArray<Address>) => list.map(({ address }) => address)
  // The fields are sorted, so that the text of most sends needs no sorting.
  return canonicalJson({
    // A send without files keeps the text that it had before files existed.
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(canonicalAttachment) }),
    bcc: addressTexts(send.bcc),
    cc: addressTexts(send.cc),
    expiresAt: formatInstantOrNull(expiresAt),
    from: send.from.address,
    fromName: send.fromName,
    ...(headers === null ? {} : { headers }),
    html: send.html,
    ...(listUnsubscribe === null ? {} : { listUnsubscribe }),
    metadata: send.metadata,
    onAmbiguous,
    replyTo: send.replyTo?.address ?? null,
    scheduledAt: formatInstantOrNull(send.scheduledAt),
    ...(shownRecipients === null ? {} : { shownRecipients }),
    subject: send.subject,
    templateId: send.templateId,
    templateVariables: send.templateVariables,
    text: send.text,
    to: addressTexts(send.to)
  })
}
