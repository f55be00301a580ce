/**
 * Converts the inputs of the core to requests of the wire: names of fields, bare addresses, times as text, files in base64.
 * A value of another form stays as it is, so that the server refuses it with the same issue as the core.
 */
import type { Issue } from "@mailkeep/core"
import { isBytes, isRecord, timeOfDate } from "@mailkeep/core/options"
import { splitNamedAddress } from "@mailkeep/core/handle/calls"
import type { SendBatchInput, SendMessageInput } from "@mailkeep/core/handle"
import type { FieldNames } from "../api/fieldNames.ts"
import {
  attachmentNames,
  propertyNames,
  renamedAttachmentPath,
  renamedPath,
  templateNames,
  withRenamedFields
} from "../api/fieldNames.ts"

const withNames =
  (names: FieldNames) =>
  (input: unknown): unknown =>
    isRecord(input) ? withRenamedFields(names, input) : input

/** Gives the fields in the path of an issue the names of the input, by the group of the operation. */
export const toInputPath = (group: string, path: Issue["path"]): Issue["path"] => {
  switch (group) {
    case "messages":
      return renamedAttachmentPath(path)
    case "properties":
      return renamedPath(propertyNames, path)
    case "templates":
      return renamedPath(templateNames, path)
    default:
      return path
  }
}

export const toPropertyBody = withNames(propertyNames)

/** The body of a template, with its variables, or of a preview. */
export const toTemplateBody = (input: unknown): unknown => {
  const body = withNames(templateNames)(input)
  return isRecord(body) && Array.isArray(body["variables"])
    ? { ...body, variables: body["variables"].map(withNames(templateNames)) }
    : body
}

/** A text that the server refuses as a time. */
const noTime = "not a time"

/** A time as text. A value that is no time, such as a number with a fraction, becomes a text that the server refuses. */
export const toTimeText = (time: unknown): unknown => {
  if (typeof time === "string" || time === null || time === undefined) return time
  const millis = timeOfDate(time) ?? time
  if (typeof millis !== "number" || !Number.isInteger(millis)) return noTime
  const date = new Date(millis)
  return Number.isNaN(date.getTime()) ? noTime : date.toISOString()
}

/** The largest number of arguments for one call of `String.fromCharCode`. */
const chunkSize = 0x8000

const toBase64 = (bytes: Uint8Array): string => {
  let binary = ""
  for (let start = 0; start < bytes.length; start += chunkSize)
    // Takes a fifth of the time of a call with `...`, which goes through the iterator of the array.
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + chunkSize))
  return btoa(binary)
}

/** A file with its content in base64. A text becomes UTF-8, as in a core of the same process. UTF-8 cannot have an unpaired surrogate. */
const toAttachment = (file: unknown): unknown => {
  if (!isRecord(file)) return file
  const { content } = file
  const bytes = typeof content === "string" && content.isWellFormed() ? new TextEncoder().encode(content) : content
  return withNames(attachmentNames)(isBytes(bytes) ? { ...file, content: toBase64(bytes) } : file)
}

const bareAddress = (value: unknown): unknown =>
  typeof value === "string" ? (splitNamedAddress(value)?.address ?? value) : value

const bareAddresses = (value: unknown): unknown => (Array.isArray(value) ? value.map(bareAddress) : bareAddress(value))

/** The body of one message. `sender` is the default sender of the handle. */
const toMessageBody = (input: unknown, sender: string | undefined): unknown => {
  if (!isRecord(input)) return input
  const { attachments, from = sender } = input
  const named = typeof from === "string" ? splitNamedAddress(from) : undefined
  const { fromName = named?.name ?? undefined } = input
  return {
    ...input,
    from: named?.address ?? from,
    fromName,
    to: bareAddresses(input["to"]),
    cc: bareAddresses(input["cc"]),
    bcc: bareAddresses(input["bcc"]),
    replyTo: bareAddress(input["replyTo"]),
    scheduledAt: toTimeText(input["scheduledAt"]),
    attachments: Array.isArray(attachments) ? attachments.map(toAttachment) : attachments
  }
}

/** The body and the idempotency key of a send. */
export const toSendRequest = (input: SendMessageInput, sender: string | undefined) => {
  const { idempotencyKey, ...message }: Partial<SendMessageInput> = isRecord(input) ? input : {}
  return { body: toMessageBody(isRecord(input) ? message : input, sender), idempotencyKey }
}

/** The body and the idempotency key of a batch. */
export const toBatchRequest = (input: SendBatchInput, sender: string | undefined) => {
  const { idempotencyKey, ...batch }: Partial<SendBatchInput> = isRecord(input) ? input : {}
  const messages: unknown = batch.messages
  return {
    body: {
      ...batch,
      messages: Array.isArray(messages) ? messages.map((one) => toMessageBody(one, sender)) : messages
    },
    idempotencyKey
  }
}

type Query = object | undefined

const numberFilters = new Set(["page", "limit", "beforeVersion"])
const timeFilters = new Set(["startDate", "endDate"])
const choiceFilters = new Set(["status", "emailStatus"])
const textFilters = new Set(
  ["cursor", "search", "source", "recipient", "contactId", "templateId", "listId", "segmentId", "category"] //
)

const issueOf = (path: Issue["path"], message: string): Issue => ({ path, code: "invalid_type", message })

/** The filters that may be `null`, which means no filter. The page and its limit are numbers. */
const nullableFilters = new Set([...timeFilters, ...choiceFilters, ...textFilters, "beforeVersion"])

const filtersOf = (query: Query): ReadonlyArray<[string, unknown]> =>
  Object.entries(query ?? {}).filter(
    ([name, value]) => value !== undefined && !(value === null && nullableFilters.has(name))
  )

/**
 * What a query changes without a word: a filter with a list or a number has the same text as one with a string, and an unpaired surrogate becomes
 * U+FFFD.
 */
export const queryIssues = (query: Query): ReadonlyArray<Issue> => {
  if (query !== undefined && !isRecord(query)) return [issueOf([], "must be an object")]
  return filtersOf(query).flatMap(([name, value]) => {
    if (numberFilters.has(name) && typeof value !== "number") return [issueOf([name], "must be a number")]
    if (textFilters.has(name) && typeof value !== "string") return [issueOf([name], "must be a string or null")]
    if (name === "search" && !String(value).isWellFormed())
      return [{ path: [name], code: "invalid_value", message: "must be well-formed Unicode without U+0000" }]
    return []
  })
}

/** A filter as text. A time or a choice of another form becomes a text that the server refuses. */
const toFilterText = (name: string, value: unknown): string => {
  if (timeFilters.has(name)) return String(toTimeText(value))
  return choiceFilters.has(name) && typeof value !== "string" ? "" : String(value)
}

/** The query of a listing. A filter that is absent is no parameter. */
export const toQuery = (input: Query): string => {
  const entries = filtersOf(input).map(([name, value]): [string, string] => [name, toFilterText(name, value)])
  const query = new URLSearchParams(entries).toString()
  return query === "" ? "" : `?${query}`
}
