/**
 * Splits the one object of a send into the message and the options, as the core takes them.
 */
import type { SendBatchOptions, SendInput, SendOptions } from "@mailkeep/core"
import type { EmbeddedMessageInput, EmbeddedSendBatchInput, EmbeddedSendInput } from "@mailkeep/core/handle"
import { isFields } from "@mailkeep/core/binding"

/** Every option of a send. The compiler refuses this list when the core has another option. */
const optionNames: Readonly<Record<keyof SendOptions, true>> = {
  idempotencyKey: true,
  onAmbiguous: true,
  expiresAt: true,
  listUnsubscribe: true,
  shownRecipients: true,
  headers: true
}

const isOption = (name: string): boolean => Object.hasOwn(optionNames, name)

/** Adds the default sender. Does not change a value of another form, which the core refuses. */
const withSender = (input: EmbeddedMessageInput, from: string | undefined): SendInput =>
  (isFields(input) && input.from === undefined && from !== undefined ? { ...input, from } : input) as SendInput

/** Splits the input of a send. The core checks both parts. */
export const splitSend = (
  input: EmbeddedSendInput,
  from: string | undefined
): readonly [message: SendInput, options: SendOptions] => {
  if (!isFields(input)) return [input as SendInput, {}]
  const message: Record<string, unknown> = {}
  const options: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input))
    // Defines `__proto__` as a field, too, so that the core refuses it.
    if (name === "__proto__") Object.defineProperty(message, name, { value, enumerable: true })
    else if (isOption(name)) options[name] = value
    else message[name] = value
  return [withSender(message as unknown as EmbeddedMessageInput, from), options as SendOptions]
}

/** Splits the input of a batch. The core checks both parts. */
export const splitBatch = (
  input: EmbeddedSendBatchInput,
  from: string | undefined
): readonly [messages: ReadonlyArray<SendInput>, options: SendBatchOptions] => {
  const { messages, ...options }: Partial<EmbeddedSendBatchInput> = isFields(input) ? input : {}
  const inputs = Array.isArray(messages) ? messages.map((message) => withSender(message, from)) : messages
  return [inputs as ReadonlyArray<SendInput>, options]
}
