/**
 * Converts a send to a row of the outbox and back. Checks the form of the send by the rules of the core.
 */
import { randomBytes } from "node:crypto"
import type { ProjectId, SendInput, SendOptions } from "@mailkeep/core"
import type { Fields } from "@mailkeep/core/binding"
import { isBytes, isFields, isProjectId, issue, parseSend, parseSendOptions } from "@mailkeep/core/binding"
import type { EmbeddedSendInput } from "@mailkeep/core/handle"
import { Clock, Effect, Result } from "effect"
import { invalidArgument } from "../invalidArgument.ts"
import { splitSend } from "../sendInput.ts"
import type { OutboxRow } from "./OutboxSource.ts"

/** The form of the payload. A later Mailkeep reads the rows of an earlier one. */
const payloadVersion = 1

/** The send of a row. */
export interface OutboxSend {
  readonly projectId: ProjectId
  readonly message: SendInput
  readonly options: SendOptions
}

/** Files with bytes get `base64` instead of `content`, because JSON has no bytes. */
const withFiles = (message: Fields, convert: (file: Fields) => Fields): Fields =>
  Array.isArray(message["attachments"])
    ? { ...message, attachments: message["attachments"].map((file) => (isFields(file) ? convert(file) : file)) }
    : message

const toText = ({ content, ...file }: Fields): Fields =>
  isBytes(content)
    ? { ...file, base64: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64") }
    : { ...file, content }

const toBytes = ({ base64, ...file }: Fields): Fields =>
  typeof base64 === "string" ? { ...file, content: new Uint8Array(Buffer.from(base64, "base64")) } : file

/** Reads a payload. Returns `null` for one that `makeOutboxRow` did not make. */
export const readPayload = (payload: unknown): OutboxSend | null => {
  let read: unknown = payload
  try {
    if (typeof payload === "string") read = JSON.parse(payload)
  } catch {
    return null
  }
  if (!isFields(read) || read["version"] !== payloadVersion) return null
  const { projectId, message, options } = read
  if (typeof projectId !== "string" || !isProjectId(projectId) || !isFields(message) || !isFields(options)) return null
  return { projectId, message: withFiles(message, toBytes) as unknown as SendInput, options }
}

/** A file by its path would be read later, by another process. */
const checkFiles = ({ attachments }: Fields): void => {
  const issues = (Array.isArray(attachments) ? attachments : []).flatMap((file, n) =>
    isFields(file) && file["path"] !== undefined
      ? [issue(["attachments", n, "path"], "not_allowed_here", "is not allowed in an outbox; give content")]
      : []
  )
  if (issues.length > 0) throw invalidArgument({ argument: "input", issues })
}

/** Throws `InvalidArgument` with all issues when the form of the send is wrong. */
const checkForm = ({ message, options }: OutboxSend): void => {
  const validOptions = parseSendOptions(options)
  if (Result.isFailure(validOptions)) throw invalidArgument({ argument: "options", issues: validOptions.failure })
  const valid = parseSend(message, "embedded", validOptions.success.shownRecipients !== null)
  if (Result.isFailure(valid)) throw invalidArgument({ argument: "input", issues: valid.failure })
}

const randomBytesOfId = 10

const timeDigits = (millis: number): string => millis.toString(16).padStart(12, "0").slice(-12)

/** A text before every id that is made at this time or later. */
export const beforeIdsOf = (millis: number): string => timeDigits(millis).replace(/^.{8}/, "$&-")

/** A UUID of version 7 (RFC 9562 §5.7): 48 bits of time, and random bits. */
const makeId = (): string => {
  const time = timeDigits(Effect.runSync(Clock.currentTimeMillis))
  const random = randomBytes(randomBytesOfId)
  random[0] = (random[0]! & 0x0f) | 0x70
  random[2] = (random[2]! & 0x3f) | 0x80
  const digits = time + random.toString("hex")
  return [0, 8, 12, 16, 20].map((start, n, starts) => digits.slice(start, starts[n + 1] ?? digits.length)).join("-")
}

/** Makes the row of a send. Throws `InvalidArgument` when the form of the send is wrong. */
export const makeOutboxRow = (input: EmbeddedSendInput, projectId: ProjectId, from: string | undefined): OutboxRow => {
  const [message, options] = splitSend(input, from)
  if (isFields(message)) checkFiles(message)
  // Before JSON changes what a send refuses: it drops functions, and makes `null` of `NaN`.
  checkForm({ projectId, message, options })
  const fields = message as unknown as Fields
  const payload = JSON.stringify({ version: payloadVersion, projectId, message: withFiles(fields, toText), options })
  // Checks what the drain will read.
  const read = readPayload(payload)
  if (read === null)
    throw invalidArgument({
      argument: "ids",
      issues: [issue(["projectId"], "invalid_value", "must be 1 to 64 letters, digits, hyphens or underscores")]
    })
  checkForm(read)
  return { id: makeId(), payload }
}
