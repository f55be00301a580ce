/**
 * Checks what the transport gets and what it returns. Each value that becomes a header field is checked again just before the transport gets the message,
 * because another program may have written to the store. A line break in a value would add a header field that the writer of the value chooses
 * (RFC 5322 §2.2). A transport that is written without types may return a value of another form. A store may refuse such a value. The outcome would
 * then be lost, and the message sent again.
 */
import { Data, Effect } from "effect"
import { enhancedCodeForm } from "../../domain/delivery/DeliveryReport.ts"
import type { SmtpReply } from "../../domain/delivery/SmtpReply.ts"
import { smtpStages } from "../../domain/delivery/SmtpReply.ts"
import { areSafeHeaderFields } from "../../domain/message/HeaderField.ts"
import type { OptionRules } from "../../domain/value/OptionRule.ts"
import { assertOptions, optionsOf, wholeOption, wholeOrNullOption } from "../../domain/value/OptionRule.ts"
import { isOneLine } from "../../domain/value/oneLine.ts"
import type {
  HandOff,
  HandOffOutcome,
  HandOffRevoked,
  TransportCapabilities,
  TransportShape
} from "../../port/Transport.ts"
import { TransportUnavailable } from "../../port/Transport.ts"
import { makeDefectLog } from "../observability/failureLog.ts"

/** A field of the message is not safe in a header, so the transport does not get the message. */
export class UnsafeHeaderValue extends Data.TaggedError("UnsafeHeaderValue")<{ readonly field: string }> {
  override get message() {
    return `The message cannot be sent: its ${this.field} is not one line of text without control characters.`
  }
}

export interface CheckedTransport extends Pick<TransportShape, "capabilities"> {
  readonly handOff: (
    handOff: HandOff
  ) => Effect.Effect<HandOffOutcome, TransportUnavailable | HandOffRevoked | UnsafeHeaderValue>
}

/** The name of the first field of the message that may not become a header field. */
const unsendableField = ({ envelope, message }: HandOff): string | undefined => {
  const lines: ReadonlyArray<readonly [field: string, value: string | null]> = [
    ["sender address", message.from.address],
    ["sender address", envelope.from],
    ["sender name", message.from.name],
    ["reply-to address", message.replyTo],
    ["recipient", envelope.to],
    ...[...message.to, ...message.cc].map((address) => ["recipient", address] as const),
    ["subject", message.subject],
    ["Message-ID", message.messageIdHeader],
    ...message.attachments.flatMap(({ filename, contentType, contentId }) =>
      [filename, contentType, contentId].map((value) => ["name or type of a file", value] as const)
    )
  ]
  return (
    lines.find(([, value]) => value !== null && !isOneLine(value))?.[0] ??
    (areSafeHeaderFields(message.headers) ? undefined : "list of header fields")
  )
}

const outcomeTags: ReadonlyArray<string> = ["Accepted", "Delivered", "Refused"] satisfies ReadonlyArray<
  HandOffOutcome["_tag"]
>

const isOutcome = (value: unknown): value is HandOffOutcome => {
  const { _tag, reply } = (value ?? {}) as Partial<HandOffOutcome>
  return _tag !== undefined && outcomeTags.includes(_tag) && typeof reply?.text === "string"
}

const noOutcomeSentence =
  "The transport returned no outcome. It must return an object with _tag (Accepted, Delivered or Refused) and reply."

const toReplyCode = (code: unknown): number | null => (/^[1-9]\d\d$/.test(String(code)) ? Number(code) : null)

const toEnhancedCode = (code: unknown): string | null =>
  typeof code === "string" && enhancedCodeForm.test(code) ? code : null

/** A code of another form counts as none. */
const toReply = ({ stage, smtpCode, enhancedCode, text }: SmtpReply): SmtpReply => ({
  stage: smtpStages.includes(stage) ? stage : "endOfData",
  smtpCode: toReplyCode(smtpCode),
  enhancedCode: toEnhancedCode(enhancedCode),
  text
})

/** A `reachedRelay` of another form counts as none. */
const toOutcome = (outcome: HandOffOutcome): HandOffOutcome => {
  const reply = toReply(outcome.reply)
  if (outcome._tag !== "Refused") return { _tag: outcome._tag, reply }
  const { _tag, reachedRelay } = outcome
  return typeof reachedRelay === "boolean" ? { _tag, reply, reachedRelay } : { _tag, reply }
}

/** Without an outcome, whether the relay has the message is unknown, as after a lost connection. */
const withOutcome = (outcome: unknown): Effect.Effect<HandOffOutcome, TransportUnavailable> =>
  isOutcome(outcome)
    ? Effect.succeed(toOutcome(outcome))
    : Effect.fail(new TransportUnavailable({ reason: noOutcomeSentence }))

/** With 0 or NaN, a limit would stop all mail without a word. */
const limitRules: OptionRules<Pick<TransportCapabilities, "maxMessageBytes" | "handOffsAtOnceMax">> = {
  maxMessageBytes: wholeOrNullOption(1, Number.MAX_SAFE_INTEGER),
  handOffsAtOnceMax: wholeOption(1, Number.MAX_SAFE_INTEGER)
}

/**
 * The transport of the adapter with the checks before and after each hand-off. Throws a `TypeError` that names a limit of its capabilities that is
 * not valid.
 */
export const checkedTransport = (transport: TransportShape): CheckedTransport => {
  const { maxMessageBytes, handOffsAtOnceMax } = transport.capabilities
  assertOptions(optionsOf(limitRules), { maxMessageBytes, handOffsAtOnceMax }, "transport.capabilities")
  const logDefects = makeDefectLog("A defect of the transport ended a hand-off.")
  return {
    capabilities: transport.capabilities,
    handOff: (handOff) =>
      Effect.suspend((): ReturnType<CheckedTransport["handOff"]> => {
        const field = unsendableField(handOff)
        return field === undefined
          ? Effect.flatMap(transport.handOff(handOff), withOutcome)
          : Effect.fail(new UnsafeHeaderValue({ field }))
      }).pipe(logDefects)
  }
}
