/**
 * Deletes the bodies or the files of messages whose deliveries have ended, and keeps the log. Source: decision 0051.
 */
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { Message } from "../../domain/message/Message.ts"
import { hasEndedBefore } from "../../domain/store/messageSweep.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"

/** What happened before these instants is deleted; `null` keeps it. */
export interface PruneBefore {
  /** The bodies and the header fields of the product. */
  readonly bodies: Instant | null
  /** The files, with their names. */
  readonly attachments: Instant | null
}

/** A message and all of its deliveries. */
export interface PruneFacts {
  readonly message: Message
  readonly deliveries: ReadonlyArray<Delivery>
}

const pruned = ({ message, deliveries }: PruneFacts, { bodies, attachments }: PruneBefore): Message => {
  const hasEnded = (before: Instant | null): boolean =>
    before !== null && message.createdAt < before && deliveries.every((delivery) => hasEndedBefore(delivery, before))
  const { html, text, headers } = message
  const hasBody = html !== null || text !== null || Object.keys(headers).length > 0
  const bodiless = hasBody && hasEnded(bodies) ? { ...message, html: null, text: null, headers: {} } : message
  return message.attachments.length > 0 && hasEnded(attachments) ? { ...bodiless, attachments: [] } : bodiless
}

/**
 * Decides what is left of each message. Subject, recipients, metadata, deliveries and attempts stay, so the log and the usage stay right. The
 * store deletes a content with the last message that refers to it.
 */
export const pruneMessages = (all: ReadonlyArray<PruneFacts>, before: PruneBefore): Decision<null> => {
  const changes = all.flatMap((facts) => {
    const after = pruned(facts, before)
    return after === facts.message
      ? []
      : [
          {
            _tag: "RewriteRecord",
            before: { kind: "Message", record: facts.message },
            after: { kind: "Message", record: after }
          } as const
        ]
  })
  return { changes, answer: null }
}
