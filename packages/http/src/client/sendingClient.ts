/**
 * The methods of the client that send, and the delivery log.
 */
import type { SendRefusal, SendResult, StoreUnavailable } from "@mailkeep/core"
import type { BatchItemResult, DeliveriesHandle, SendingHandle } from "@mailkeep/core/handle"
import { eachOfCursors, withOwnMessage } from "@mailkeep/core/handle/calls"
import { isRecord } from "@mailkeep/core/options"
import type { SendBatchResultBody } from "../api/Messages.ts"
import { invalidArgument, toFailure } from "./failures.ts"
import { toBatchRequest, toInputPath, toSendRequest, toTimeText } from "./inputs.ts"
import { jsonIssues } from "./jsonIssues.ts"
import {
  ofData,
  toCanceledMessage,
  toCursorPage,
  toDelivery,
  toDeliverySummary,
  toRescheduledMessage,
  toSendResult
} from "./records.ts"
import type { Request } from "./requests.ts"

/** A random key. All requests of one call have the same key. */
const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** The domain of the sender in a message, for a failure that names it. In lower-case A-labels, as the host of a URL. */
const senderDomainOf = (message: unknown): string | null => {
  const from = isRecord(message) ? message["from"] : undefined
  if (typeof from !== "string") return null
  const url = `https://${from.slice(from.lastIndexOf("@") + 1)}`
  return URL.canParse(url) ? new URL(url).hostname : null
}

type BatchItem = (typeof SendBatchResultBody.Type)["data"][number]

/** The refusal of the message of a batch that JSON cannot contain; `undefined` for another message. */
const refusalOf = async (message: unknown, at: number): Promise<BatchItemResult | undefined> => {
  const issues = jsonIssues(message, ["messages", at])
  if (issues.length === 0) return undefined
  const inInput = issues.map((one) => ({ ...one, path: toInputPath("messages", one.path) }))
  return { status: "rejected", reason: withOwnMessage(await invalidArgument("input", inInput)) }
}

const toBatchItem = async (item: BatchItem, message: unknown, replayed: boolean): Promise<BatchItemResult> => {
  if (!("error" in item)) return { status: "fulfilled", value: toSendResult(item, replayed) }
  const { error, message: text } = item
  const wire = { status: 0, error, message: text, body: { ...item } }
  const facts = { operation: "messages.sendBatch", ids: [], domain: senderDomainOf(message) } as const
  // The schema of the response has only the errors of these failures.
  const reason = withOwnMessage(await toFailure(wire, facts))
  return { status: "rejected", reason: reason as SendRefusal | StoreUnavailable }
}

/** `sender` is the default sender. */
export const makeSending = (request: Request, sender: string | undefined): SendingHandle => ({
  send: (input, options) => {
    const { body, idempotencyKey = newIdempotencyKey() } = toSendRequest(input, sender)
    return request(
      { operation: "messages.send", body, idempotencyKey, domain: senderDomainOf(body), options },
      ({ data }: { readonly data: Parameters<typeof toSendResult>[0] }, replayed): SendResult =>
        toSendResult(data, replayed)
    )
  },
  sendBatch: async (input, options) => {
    const { body, idempotencyKey = newIdempotencyKey() } = toBatchRequest(input, sender)
    const given: unknown = body.messages
    const messages: ReadonlyArray<unknown> = Array.isArray(given) ? Array.from(given) : []
    const refused = await Promise.all(messages.map(refusalOf))
    // The server refuses a message that is `null`, and every other message keeps its position.
    const sent = messages.map((message, n) => (refused[n] === undefined ? (message ?? null) : null))
    return request(
      {
        operation: "messages.sendBatch",
        body: { ...body, messages: Array.isArray(given) ? sent : given },
        idempotencyKey,
        options
      },
      ({ data }: typeof SendBatchResultBody.Type, replayed) =>
        Promise.all(data.map((item, n) => refused[n] ?? toBatchItem(item, messages[n], replayed)))
    )
  },
  cancel: (messageId, options) =>
    request({ operation: "messages.cancel", ids: [messageId], options }, ofData(toCanceledMessage)),
  reschedule: (messageId, scheduledAt, options) =>
    request(
      { operation: "messages.reschedule", ids: [messageId], body: { scheduledAt: toTimeText(scheduledAt) }, options },
      ofData(toRescheduledMessage)
    )
})

export const makeDeliveries = (request: Request): DeliveriesHandle => {
  const list: DeliveriesHandle["list"] = (input, options) =>
    request({ operation: "logs.list", query: input, options }, toCursorPage(toDeliverySummary))
  return {
    list,
    get: (deliveryId, options) => request({ operation: "logs.get", ids: [deliveryId], options }, toDelivery),
    each: (filter, options) => eachOfCursors((input) => list(input, options), filter)
  }
}
