/**
 * Checks again each value that becomes a header field, just before the transport gets the message. Another program may have written to the store.
 * A line break in a value would add a header field that the writer of the value chooses (RFC 5322 §2.2).
 */
import { Data, Effect } from "effect"
import { areSafeHeaderFields } from "../domain/message/HeaderField.ts"
import { isOneLine } from "../domain/value/TextRule.ts"
import type {
  HandOff,
  HandOffOutcome,
  HandOffRevoked,
  TransportShape,
  TransportUnavailable
} from "../port/Transport.ts"

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

/** The transport of the adapter with the check before each hand-off. */
export const checkedTransport = (transport: TransportShape): CheckedTransport => ({
  capabilities: transport.capabilities,
  handOff: (handOff) =>
    Effect.suspend((): ReturnType<CheckedTransport["handOff"]> => {
      const field = unsendableField(handOff)
      return field === undefined ? transport.handOff(handOff) : Effect.fail(new UnsafeHeaderValue({ field }))
    })
})
