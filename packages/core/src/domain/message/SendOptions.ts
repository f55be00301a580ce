/**
 * The options of a send that are not part of the message body. Over HTTP, only the idempotency key exists, as a header field.
 */
import { Result, Schema } from "effect"
import type { OnAmbiguous } from "../access/Project.ts"
import { ambiguityPolicies } from "../access/Project.ts"
import type { Fields } from "../value/Fields.ts"
import { isFields, isRecord } from "../value/Fields.ts"
import type { Instant, TimeInput } from "../value/Instant.ts"
import { instantOfInput } from "../value/Instant.ts"
import type { Issue } from "../value/Issue.ts"
import { decoder, issue, says, withoutUndefined } from "../value/Issue.ts"
import { Mailbox } from "../value/TextRule.ts"
import { Time } from "../value/TimeRule.ts"
import { parseAddress } from "./Address.ts"
import type { HeaderFields } from "./HeaderField.ts"
import { headerFieldIssues, withShortThread } from "./HeaderField.ts"

/** Options of a send. Source: decisions 0007, 0010 and 0030. */
export interface SendOptions {
  /**
   * 1 to 128 visible ASCII characters. A repeated send with the same idempotency key sends nothing and gets the same result, but with
   * `replayed: true`. This holds for 30 days after acceptance or the scheduled time, whichever is later. Default: a new random one, so that each call sends.
   */
  readonly idempotencyKey?: string | undefined
  /** What happens after an attempt that may or may not have delivered the message. Default: the setting of the project. */
  readonly onAmbiguous?: OnAmbiguous | undefined
  /**
   * No attempt begins at or after this time, neither the first nor a retry. The delivery then fails. Use it, for example, for a one-time code.
   * Default: none. Retries end 72 hours after the message is queued, but a late first attempt is still made. Source: decision 0022.
   */
  readonly expiresAt?: TimeInput | undefined
  /**
   * Whether the message has the header fields `List-Unsubscribe` and `List-Unsubscribe-Post` with a signed link for its recipient (RFC 8058).
   * Needs `MailCoreOptions.unsubscribe`. Default: the setting of the project.
   */
  readonly listUnsubscribe?: boolean | undefined
  /**
   * The bare addresses of the header fields `To` and `Cc`, at most 100. All recipients then get the same message: `cc` and `bcc` are allowed
   * with several addresses in `to`. Default: one address in `to` shows with `cc`; of several, each recipient sees only its own.
   */
  readonly shownRecipients?: ShownRecipientsInput | undefined
  /**
   * Header fields of the message, such as `List-Id`. At most 20, and 998 characters each. Of longer ids in `References` and `In-Reply-To`, the first and
   * as many of the last ones as fit are kept.
   */
  readonly headers?: { readonly [name: string]: string | undefined } | undefined
}

/** The addresses that each copy of a message shows. */
export interface ShownRecipientsInput {
  /** At least one. */
  readonly to: ReadonlyArray<string>
  /** Default: none. */
  readonly cc?: ReadonlyArray<string> | undefined
}

declare const validSendOptions: unique symbol

/** Options that `parseSendOptions` has checked. */
export interface ValidSendOptions {
  readonly [validSendOptions]: true
  readonly idempotencyKey: string | null
  readonly onAmbiguous: OnAmbiguous | null
  readonly expiresAt: Instant | null
  readonly listUnsubscribe: boolean | null
  readonly shownRecipients: { readonly to: ReadonlyArray<string>; readonly cc: ReadonlyArray<string> } | null
  readonly headers: HeaderFields | null
}

/** The value of the header field `Idempotency-Key`. Source: decisions 0007 and 0010. */
export const IdempotencyKey = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,128}$/u, says("invalid_value", "must be 1 to 128 visible ASCII characters"))
).annotate({ identifier: "IdempotencyKey" })

const shownMax = 100

const addressesToShow = (min: 0 | 1) =>
  Schema.Array(Mailbox).check(
    Schema.isMinLength(min, says("too_short", "must hold at least one address")),
    Schema.isMaxLength(shownMax, says("too_many_items", `must hold at most ${shownMax} addresses`))
  )

const Options = Schema.Struct({
  idempotencyKey: Schema.optionalKey(IdempotencyKey),
  onAmbiguous: Schema.optionalKey(
    Schema.Literals(ambiguityPolicies).annotate(says("invalid_value", `must be ${ambiguityPolicies.join(" or ")}`))
  ),
  expiresAt: Schema.optionalKey(Time),
  listUnsubscribe: Schema.optionalKey(Schema.Boolean),
  shownRecipients: Schema.optionalKey(
    Schema.Struct({ to: addressesToShow(1), cc: Schema.optional(addressesToShow(0)) })
  ),
  headers: Schema.optionalKey(
    Schema.Unknown.check(Schema.makeFilter(isRecord, says("invalid_type", "must be an object")))
  )
})

const decodeOptions = decoder(Options)

/** A copy of the fields that are not `undefined`, with the ids of a long thread shortened. A program may change its object later. `headerFieldIssues` has not checked the fields. */
const headerFieldsOf = (headers: unknown): HeaderFields | null =>
  isRecord(headers)
    ? (Object.fromEntries(
        Object.entries(withoutUndefined(headers) as Fields).map(([name, value]) => [name, withShortThread(name, value)])
      ) as HeaderFields)
    : null

/** Whether the product writes its own link to unsubscribe. */
export const hasUnsubscribeField = (headers: HeaderFields): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase().startsWith("list-unsubscribe"))

const bare = (addresses: ReadonlyArray<string>): ReadonlyArray<string> =>
  addresses.map((address) => parseAddress(address)!.address)

/** Parses the options of a send. Fails with all issues. */
export const parseSendOptions = (options: unknown): Result.Result<ValidSendOptions, ReadonlyArray<Issue>> => {
  const decoded = decodeOptions(options)
  const headers = headerFieldsOf(isFields(options) ? options["headers"] : undefined)
  const headerIssues = headers === null ? [] : headerFieldIssues(headers)
  if (Result.isFailure(decoded)) return Result.fail([...decoded.failure, ...headerIssues])
  if (headerIssues.length > 0) return Result.fail(headerIssues)
  const { idempotencyKey, onAmbiguous, expiresAt, listUnsubscribe, shownRecipients } = decoded.success
  const twice = listUnsubscribe === true && headers !== null && hasUnsubscribeField(headers)
  if (twice)
    return Result.fail([
      issue(["headers"], "not_allowed_here", "must have no List-Unsubscribe together with listUnsubscribe")
    ])
  return Result.succeed({
    idempotencyKey: idempotencyKey ?? null,
    onAmbiguous: onAmbiguous ?? null,
    expiresAt: expiresAt === undefined ? null : instantOfInput(expiresAt)!,
    listUnsubscribe: listUnsubscribe ?? null,
    shownRecipients:
      shownRecipients === undefined ? null : { to: bare(shownRecipients.to), cc: bare(shownRecipients.cc ?? []) },
    headers
  } as ValidSendOptions)
}
