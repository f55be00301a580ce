/**
 * Makes a send of a submitted message. A message that a send cannot express is refused, so that no part of it is lost in silence.
 */
import type { SendInput, SendOptions } from "@mailkeep/core"
import { headerValueCharactersMax, isAscii, isIdField, isOwnHeaderField, joinIds } from "@mailkeep/core/binding"
import { Result } from "effect"
import type { Header, Mailbox } from "postal-mime"
import { decodeWords } from "postal-mime"
import { headerAddresses, isWritten, writtenMailboxes } from "./headerAddresses.ts"
import type { SubmittedMessage } from "./messageReader.ts"
import type { MimeFault } from "./mimeLeaves.ts"
import { recipientsOf } from "./recipients.ts"

/** A message to be sent, and the options of the send. */
export interface Submission {
  readonly input: SendInput
  readonly options: SendOptions
}

/** Header fields with the idempotency key of a send. They are not part of the message. */
const idempotencyFields: ReadonlySet<string> = new Set(["idempotency-key", "x-mailkeep-idempotency-key"])

/** Whether the field becomes part of the send, or is written by Mailkeep and the transport. */
const isConsumed = (name: string): boolean => idempotencyFields.has(name) || isOwnHeaderField(name)

/** The text of a field without encoded words. A tab can only be in the fold of a long field. */
const fieldText = (value: string): string => decodeWords(value).replace(/\t/g, " ")

/** A header field without a value says nothing. Some clients write fields such as `X-Mailer:` or `In-Reply-To:` so. */
const hasValue = ({ value }: Header): boolean => value.trim() !== ""

/** Shortens a field with ids of messages to what a send may have. Leaves out ids that are not ASCII. */
const withFewerIds = (value: string): string => {
  if (value.length <= headerValueCharactersMax && isAscii(value)) return value
  return joinIds((value.match(/<[^<>\s]+>/g) ?? []).filter((id) => isAscii(id) && id.length < headerValueCharactersMax))
}

/** The fields that the product adds, such as `List-Unsubscribe`. The core checks them. */
const customFields = (headers: ReadonlyArray<Header>): Result.Result<SendOptions["headers"], MimeFault> => {
  const fields = headers
    .filter(({ key }) => !isConsumed(key))
    .map((field) => {
      const text = fieldText(field.value)
      return { ...field, value: isIdField(field.key) ? withFewerIds(text) : text }
    })
    .filter(hasValue)
  const seen = new Set<string>()
  for (const { key, originalKey } of fields) {
    if (seen.has(key)) return Result.fail(`has the header field ${originalKey} twice`)
    seen.add(key)
  }
  return Result.succeed(Object.fromEntries(fields.map(({ originalKey, value }) => [originalKey, value])))
}

/** Reads a field that may occur once and has one mailbox. Returns `null` if the message does not have the field, or only without a value. */
const onlyMailbox = (headers: ReadonlyArray<Header>, name: string): Result.Result<Mailbox | null, MimeFault> => {
  const fields = headers.filter((field) => field.key === name && hasValue(field))
  const [field] = fields
  if (field === undefined) return Result.succeed(null)
  const [mailbox, ...more] = headerAddresses(field.value)
  const isOne = fields.length === 1 && mailbox !== undefined && mailbox.group === undefined && more.length === 0
  return !isOne || !isWritten(field.value, mailbox)
    ? Result.fail(`must have one address in the field ${field.originalKey}`)
    : Result.succeed(mailbox)
}

/** The addresses of all fields with the name. */
const listedIn = (headers: ReadonlyArray<Header>, name: string) =>
  headers.filter(({ key }) => key === name).flatMap(({ value }) => writtenMailboxes(value))

const idempotencyKeyOf = (headers: ReadonlyArray<Header>): Result.Result<string | undefined, MimeFault> => {
  const values = new Set(headers.filter(({ key }) => idempotencyFields.has(key)).map(({ value }) => value))
  return values.size > 1 ? Result.fail("has two idempotency keys") : Result.succeed([...values][0])
}

const subjectOf = (headers: ReadonlyArray<Header>): Result.Result<string, MimeFault> => {
  const [field, ...more] = headers.filter(({ key }) => key === "subject")
  return field === undefined || more.length > 0
    ? Result.fail("must have one field Subject")
    : Result.succeed(fieldText(field.value))
}

/** Makes a send. `envelope` has the recipients. Fails with the reason for which the message cannot be accepted. */
export const toSubmission = (
  { header, text, html, attachments }: SubmittedMessage,
  envelope: ReadonlyArray<string>
): Result.Result<Submission, MimeFault> =>
  Result.gen(function* () {
    const { headers } = header
    const from = yield* onlyMailbox(headers, "from")
    if (from === null) return yield* Result.fail("must have one field From")
    const replyTo = yield* onlyMailbox(headers, "reply-to")
    const fields = yield* customFields(headers)
    const idempotencyKey = yield* idempotencyKeyOf(headers)
    const { recipients, shown } = recipientsOf(envelope, { to: listedIn(headers, "to"), cc: listedIn(headers, "cc") })
    const input: SendInput = {
      ...recipients,
      from: from.address,
      fromName: from.name === "" ? undefined : from.name,
      replyTo: replyTo?.address,
      subject: yield* subjectOf(headers),
      html: html ?? undefined,
      text: text ?? (html === null ? "" : undefined),
      attachments: attachments.length === 0 ? undefined : attachments
    }
    return { input, options: { idempotencyKey, headers: fields, shownRecipients: shown } }
  })
