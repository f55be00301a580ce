/**
 * A batch: several sends in one call, each with its own result. Source: decision 0048.
 */
import { Result } from "effect"
import type { Issue } from "../value/Issue.ts"
import { issue } from "../value/Issue.ts"
import { isBytes } from "../value/Bytes.ts"
import { isFields } from "../value/Fields.ts"
import { InvalidArgument } from "../value/Failure.ts"
import type { SendOptions } from "./SendOptions.ts"
import { attachmentsMax } from "./Attachment.ts"

/** The options of a batch. They apply to each message of the batch. */
export interface SendBatchOptions extends Omit<SendOptions, "shownRecipients" | "idempotencyKey"> {
  /**
   * 1 to 128 visible ASCII characters. Each message is recorded under this key and its position. A repeat with the same key sends no message that was
   * accepted before, and tries the others again. Default: each message gets a new random one.
   */
  readonly idempotencyKey?: string | undefined
}

/** The largest number of messages of a batch. */
export const batchItemsMax = 100

/** The largest number of bytes of a batch: its files, and its texts with one byte for each character. */
export const batchBytesMax = 30 * 1024 * 1024

/** The field of the request that has the messages. */
const messagesField = "messages"

/**
 * Returns the idempotency key of one message of a batch. It has a space, which no idempotency key of a caller has. So no send and no other message
 * has it.
 */
export const batchItemKey = (idempotencyKey: string, index: number): string => `${idempotencyKey} ${index}`

const refused = (code: Issue["code"], message: string) => Result.fail([issue([messagesField], code, message)])

/** Checks the list of the messages. Checks no message. */
export const parseBatch = (inputs: unknown): Result.Result<ReadonlyArray<unknown>, ReadonlyArray<Issue>> => {
  if (!Array.isArray(inputs)) return refused("invalid_type", "must be an array")
  if (inputs.length === 0) return refused("too_short", "must hold at least one message")
  if (inputs.length > batchItemsMax) return refused("too_many_items", `must hold at most ${batchItemsMax} messages`)
  return Result.succeed([...(inputs as ReadonlyArray<unknown>)])
}

const textLength = (value: unknown): number => (typeof value === "string" ? value.length : 0)

const sum = (values: ReadonlyArray<unknown>, lengthOf: (value: unknown) => number): number =>
  values.reduce<number>((total, value) => total + lengthOf(value), 0)

const contentLength = (file: unknown): number => {
  const content = isFields(file) ? file["content"] : undefined
  return isBytes(content) ? content.length : textLength(content)
}

/** The size of an unchecked message: its texts with one byte for each character, and the contents of its files. Not those of files by path. */
export const batchItemBytes = (input: unknown): number => {
  if (!isFields(input)) return 0
  const { attachments, templateVariables } = input
  return (
    sum(Object.values(input), textLength) +
    (isFields(templateVariables) ? sum(Object.values(templateVariables), textLength) : 0) +
    (Array.isArray(attachments) ? sum(attachments.slice(0, attachmentsMax + 1), contentLength) : 0)
  )
}

/** The refusal of a batch with too many bytes. */
export const batchTooLarge = (): InvalidArgument =>
  new InvalidArgument({
    argument: "input",
    issues: [
      issue([messagesField], "too_large", `must have at most ${batchBytesMax} bytes of texts and files together`)
    ]
  })

/** Makes the refusal of one message name the message: `messages[3].to`. Other refusals need no name, because each result has its position. */
export const inBatchItem = <E>(failure: E, index: number): E =>
  failure instanceof InvalidArgument && failure.argument === "input"
    ? (new InvalidArgument({
        argument: "input",
        issues: failure.issues.map((one) => ({ ...one, path: [messagesField, index, ...one.path] }))
      }) as E)
    : failure
