/**
 * The input of a send as a program gives it, and its conversion to the body of the interface.
 */
import type { VariableValue } from "../template/TemplateContent.ts"
import type { Json } from "../value/CanonicalJson.ts"
import { isFields } from "../value/Fields.ts"
import type { TimeInput } from "../value/Instant.ts"
import { formatInstant, instantOfInput } from "../value/Instant.ts"
import type { Issue } from "../value/Issue.ts"
import { issue, withoutUndefined } from "../value/Issue.ts"
import { codePoints } from "../value/TextLength.ts"
import { timeRule } from "../value/TimeRule.ts"
import type { AttachmentInput } from "./Attachment.ts"
import { hasUnquotedName, isAddressList, parseNamedAddress } from "./NamedAddress.ts"

/** In characters. */
export const fromNameCharactersMax = 100

/**
 * A message and its recipients. `to`, `cc` and `bcc` have at most 50 addresses together, and each different address gets one delivery.
 * Each address may have a name, such as `Shop <shop@acme.example>`; a name with a special character is in quotes.
 *
 * A principal of an API key may use only bare addresses, and only a text as `scheduledAt`. Other forms are refused with `InvalidArgument`.
 */
export interface SendInput {
  /** The sender, at a verified domain of the project. Its name becomes `fromName`, unless `fromName` is given. */
  readonly from: string
  /** One recipient or several. With several, each one sees only its own address. The names of recipients are not kept. */
  readonly to: string | ReadonlyArray<string>
  /** Allowed only with one address in `to`, or in process with the option `shownRecipients`. */
  readonly cc?: string | ReadonlyArray<string> | undefined
  /** Allowed only with one address in `to`, or in process with the option `shownRecipients`. */
  readonly bcc?: string | ReadonlyArray<string> | undefined
  /** The address for replies. Its name is not kept. Default: the reply address of the template, or none. */
  readonly replyTo?: string | undefined
  /** 1 to 500 characters. Required without `templateId`. Not used with `templateId`. */
  readonly subject?: string | undefined
  /** At most 2 MiB in UTF-8. Without `templateId`, `html` or `text` is required. Not used with `templateId`. */
  readonly html?: string | undefined
  /** At most 2 MiB in UTF-8. Without `templateId`, `html` or `text` is required. Not used with `templateId`. */
  readonly text?: string | undefined
  /**
   * The id or the alias of a published template. The message gets the subject and the bodies of the template. `subject`, `html` and `text` of
   * the input are then validated, but not used.
   */
  readonly templateId?: string | undefined
  /** Values by name, for the variables of the template. At most 1000 values, 256 KiB each and 1 MiB together. */
  readonly templateVariables?: { readonly [name: string]: VariableValue | undefined } | undefined
  /** The name of the sender, 1 to 100 characters. Default: the name in `from`, then the name of the template. */
  readonly fromName?: string | undefined
  /** JSON that the delivery log shows. At most 50 keys of 40 characters, and 4 KiB together. */
  readonly metadata?: { readonly [key: string]: Json | undefined } | undefined
  /** When to send the message, at most 30 days ahead. Default: at once. */
  readonly scheduledAt?: TimeInput | undefined
  /** At most 20 files, and 20 MiB together unless the plan of the project says otherwise. */
  readonly attachments?: ReadonlyArray<AttachmentInput> | undefined
}

/** Converts an address with a name to the bare address. Every other value stays as it is. */
const bareAddress = (value: unknown): unknown =>
  typeof value === "string" ? (parseNamedAddress(value)?.address ?? value) : value

/** Converts the addresses of a field. One address more than `itemsMax` is enough to refuse a longer list. */
const bareAddresses = (value: unknown, itemsMax: number): unknown =>
  Array.isArray(value) ? value.slice(0, itemsMax + 1).map(bareAddress) : bareAddress(value)

const addressFields: ReadonlySet<unknown> = new Set(["from", "to", "cc", "bcc", "replyTo"])

/** The text of an address field, or of one of its entries. */
const addressAt = (input: unknown, [field, position]: Issue["path"]): unknown => {
  const value = isFields(input) ? input[String(field)] : undefined
  return Array.isArray(value) ? (value[Number(position)] as unknown) : value
}

const listFields: ReadonlySet<unknown> = new Set(["to", "cc", "bcc"])

/** What a program must write instead of an address that was refused. */
const addressMessage = (field: unknown, address: unknown): string => {
  if (typeof address === "string" && isAddressList(address))
    return listFields.has(field) ? "must be one address; write several as an array" : "must be one address"
  if (typeof address === "string" && hasUnquotedName(address)) {
    const orField = field === "from" ? ", or the name in fromName" : ""
    return `must have a name with a comma or another special character in quotes, as in "Acme, Inc." <hi@acme.example>${orField}`
  }
  return "must be an address such as ada@example.com or Ada <ada@example.com>"
}

/** Changes the message of an issue, because a program may also give names and the option `shownRecipients`. `input` is what the program gave. */
export const describeForProgram = (one: Issue, input: unknown): Issue => {
  const [field] = one.path
  if (!addressFields.has(field)) return one
  if (one.code === "invalid_value") return { ...one, message: addressMessage(field, addressAt(input, one.path)) }
  return one.code === "not_allowed_here"
    ? { ...one, message: `${one.message}, or with the option shownRecipients` }
    : one
}

/**
 * Converts the input of a program to the body of the interface: bare addresses, and times as text. Returns the issues that the body cannot
 * have. Does not change a value of another form, which the parser of the body refuses.
 */
export const toSendBody = (
  input: unknown,
  itemsMax: number
): { readonly body: unknown; readonly issues: ReadonlyArray<Issue> } => {
  if (!isFields(input)) return { body: input, issues: [] }
  const body: Record<string, unknown> = { ...input }
  const issues: Array<Issue> = []
  for (const field of ["to", "cc", "bcc", "replyTo"])
    if (input[field] !== undefined) body[field] = bareAddresses(input[field], itemsMax)
  const sender = typeof input["from"] === "string" ? parseNamedAddress(input["from"]) : undefined
  if (sender !== undefined) {
    body["from"] = sender.address
    if (sender.name !== null && input["fromName"] === undefined) {
      if (codePoints(sender.name) <= fromNameCharactersMax) body["fromName"] = sender.name
      else issues.push(issue(["from"], "too_long", `must have a name of at most ${fromNameCharactersMax} characters`))
    }
  }
  const { scheduledAt } = input
  if (scheduledAt !== undefined && typeof scheduledAt !== "string") {
    const instant = instantOfInput(scheduledAt)
    body["scheduledAt"] = instant === undefined ? undefined : formatInstant(instant)
    if (instant === undefined) issues.push(issue(["scheduledAt"], timeRule.code, timeRule.message))
  }
  for (const field of ["templateVariables", "metadata"])
    if (input[field] !== undefined) body[field] = withoutUndefined(input[field])
  return { body, issues }
}
