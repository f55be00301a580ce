/**
 * Decides what happens to each record of a person who is erased: kept, rewritten without the address, or deleted. Source: decision 0051.
 */
import { Result } from "effect"
import { erasedAddress } from "../../domain/contact/addressRedaction.ts"
import type { ErasedCounts, ErasedKind, ErasedPerson } from "../../domain/contact/Erasure.ts"
import { addErased, nothingErased } from "../../domain/contact/Erasure.ts"
import { suppressedFor, withoutAddress } from "../../domain/contact/Suppression.ts"
import type { Attempt, Delivery } from "../../domain/delivery/Delivery.ts"
import type { IdempotencyRecord } from "../../domain/message/Idempotency.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { Change } from "../../domain/store/Change.ts"
import { sweptCounts } from "../../domain/store/messageSweep.ts"
import type { RewritableKind, StoredRecordOf, StoredRecords } from "../../domain/store/StoredRecord.ts"
import { isSameRecord } from "../../domain/store/StoredRecord.ts"
import type { ContactId, IdBlock } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { applyTransition, transitionChanges } from "../delivery/transition.ts"
import { addToCounters } from "../plan/usageChange.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import type { DeleteContactFacts } from "./contact.ts"
import { deleteContact, keepSuppression } from "./contact.ts"
import { contactCounts } from "./contactCounts.ts"

/** Whether the delivery is to the person. */
export const isTheirs = ({ address }: ErasedPerson, delivery: Delivery): boolean => delivery.address === address

/** What the end of the waiting deliveries of one message did. */
export interface EndedDeliveries {
  readonly ended: number
  /** A worker had claimed one of them, and may still read the message. */
  readonly isClaimed: boolean
}

/**
 * Ends the deliveries of a message to the person that are not sent yet: cancels the scheduled ones, and suppresses the queued ones. Their usage
 * is given back. The deliveries to other people stay.
 */
export const endDeliveriesToErased = (
  deliveries: ReadonlyArray<Delivery>,
  person: ErasedPerson,
  { now, ids }: { readonly now: Instant; readonly ids: IdBlock }
): Decision<EndedDeliveries> => {
  const waiting = deliveries.filter(
    (one) => isTheirs(person, one) && (one.status === "scheduled" || one.status === "queued")
  )
  const transitions = waiting.map((one) =>
    one.status === "scheduled"
      ? applyTransition(one, "CancelRequested", now)
      : applyTransition(one, "RecipientSuppressed", now, {
          reason: "manual",
          statusMessage: "The recipient was erased."
        })
  )
  return {
    answer: { ended: waiting.length, isClaimed: waiting.some(({ worker }) => worker !== null) },
    changes: [
      ...transitions.flatMap((one, n) => transitionChanges(one, now, idAt(ids, "evt", n))),
      ...addToCounters(
        person.projectId,
        transitions.flatMap(({ counterChanges }) => counterChanges)
      )
    ]
  }
}

type Rewritable = StoredRecordOf<RewritableKind>

const rewrite = (before: Rewritable, after: Rewritable | null): ReadonlyArray<Change> =>
  after !== null && isSameRecord(before, after) ? [] : [{ _tag: "RewriteRecord", before, after }]

const erasedOf = (changes: ReadonlyArray<Change>): ErasedCounts =>
  changes.reduce((counts, change) => {
    if (change._tag === "PutContact") return addErased(counts, { redacted: { Contact: 1 } })
    if (change._tag !== "RewriteRecord") return counts
    const one = { [change.before.kind]: 1 } as Partial<Record<ErasedKind, number>>
    return addErased(counts, change.after === null ? { deleted: one } : { redacted: one })
  }, nothingErased)

/** One message with everything that belongs to it. */
export interface MessageFacts {
  readonly message: Message | null
  readonly deliveries: ReadonlyArray<Delivery>
  readonly attempts: ReadonlyArray<Attempt>
  /** The record under the idempotency key of the message. */
  readonly idempotency: IdempotencyRecord | null
}

/** The delivery without the person. Its status and its times stay, so that usage and the log of the message stay right. */
const erasedDelivery = (delivery: Delivery, person: ErasedPerson): Delivery => {
  const redacted = person.redaction.redact(delivery)
  const contactId = delivery.contactId === person.contactId ? null : delivery.contactId
  return isTheirs(person, delivery)
    ? { ...redacted, recipient: erasedAddress, address: erasedAddress, contactId: null }
    : { ...redacted, contactId }
}

/** Deletes a message that only the person got, with all that belongs to it. The counters of deleted deliveries keep the usage right. */
const deletedMessage = ({
  message,
  deliveries,
  attempts,
  idempotency
}: MessageFacts & { readonly message: Message }) => [
  ...(idempotency?.result.messageId === message.id ? rewrite({ kind: "Idempotency", record: idempotency }, null) : []),
  ...rewrite({ kind: "Message", record: message }, null),
  ...deliveries.flatMap((record) => rewrite({ kind: "Delivery", record }, null)),
  ...attempts.flatMap((record) => rewrite({ kind: "Attempt", record }, null)),
  ...sweptCounts(deliveries).map((count): Change => ({ _tag: "AddToCounter", ...count, max: null }))
]

/** The message without the address. Its idempotency key and the names of its files often join the address of the recipient to another word. */
const redactedMessage = (message: Message, { redaction }: ErasedPerson): Message => {
  const redacted = redaction.redact(message)
  return {
    ...redacted,
    idempotencyKey: redaction.redactJoined(redacted.idempotencyKey),
    attachments: redacted.attachments.map((file) => ({ ...file, filename: redaction.redactJoined(file.filename) }))
  }
}

/** Replaces the person in a message that other people got too. */
const sharedMessage = (
  { message, deliveries, attempts, idempotency }: MessageFacts & { readonly message: Message },
  person: ErasedPerson
) => [
  ...(idempotency?.result.messageId === message.id && person.redaction.redactJoined(idempotency.key) !== idempotency.key
    ? rewrite({ kind: "Idempotency", record: idempotency }, null)
    : []),
  ...rewrite({ kind: "Message", record: message }, { kind: "Message", record: redactedMessage(message, person) }),
  ...deliveries.flatMap((record) =>
    rewrite({ kind: "Delivery", record }, { kind: "Delivery", record: erasedDelivery(record, person) })
  ),
  ...attempts.flatMap((record) =>
    rewrite({ kind: "Attempt", record }, { kind: "Attempt", record: person.redaction.redact(record) })
  )
]

/** Whether the person wrote the message: it is from the person's address, or is answered there. It cannot be sent with another address. */
export const isWrittenBy = ({ redaction }: ErasedPerson, { from, replyTo }: Message): boolean =>
  redaction.isAddress(from) || (replyTo !== null && redaction.isAddress(replyTo))

/**
 * Erases the person from one message: deletes a message without other recipients, and otherwise replaces the address. Changes nothing while a
 * delivery to the person is under way, and until a message that the person wrote has been sent to all.
 */
export const eraseFromMessage = (
  facts: MessageFacts,
  person: ErasedPerson
): Decision<ErasedCounts & { readonly isUnderWay: boolean }> => {
  const { message, deliveries } = facts
  if (message === null) return unchanged({ ...nothingErased, isUnderWay: false })
  const theirs = deliveries.filter((one) => isTheirs(person, one))
  const keeping = isWrittenBy(person, message) ? deliveries : theirs
  if (keeping.some(({ dueAt }) => dueAt !== null)) return unchanged({ ...nothingErased, isUnderWay: true })
  const isOnlyTheirs = theirs.length > 0 && theirs.length === deliveries.length
  const changes = isOnlyTheirs ? deletedMessage({ ...facts, message }) : sharedMessage({ ...facts, message }, person)
  return { changes, answer: { ...erasedOf(changes), isUnderWay: false } }
}

const eraseFromEvent = (record: StoredRecords["Event"], person: ErasedPerson): ReadonlyArray<Change> => {
  const before = { kind: "Event", record } as const
  const { event } = record
  if ("contact" in event.data) {
    const { id, address } = event.data.contact
    if (id === person.contactId || address === person.address) return rewrite(before, null)
  }
  const redacted = person.redaction.redact(event)
  if (!("deliveryId" in event.data) || !("deliveryId" in redacted.data))
    return rewrite(before, { kind: "Event", record: { ...record, event: redacted } })
  const isRecipient = person.redaction.isAddress(event.data.recipient)
  const isContact = event.data.contactId !== null && event.data.contactId === person.contactId
  const data = {
    ...redacted.data,
    recipient: isRecipient ? erasedAddress : redacted.data.recipient,
    contactId: isRecipient || isContact ? null : event.data.contactId
  }
  return rewrite(before, { kind: "Event", record: { ...record, event: { ...redacted, data } as typeof event } })
}

/** A record of the project that is not about the person, or only mentions the person. */
const eraseFromRecord = (stored: StoredRecordOf<ErasedKind>, person: ErasedPerson): ReadonlyArray<Change> => {
  const { kind, record } = stored
  const { redaction } = person
  switch (kind) {
    case "Event":
      return eraseFromEvent(record, person)
    case "Idempotency":
      return redaction.isIn(record.key) ? rewrite({ kind, record }, null) : []
    case "Contact": {
      if (record.address === person.address || !redaction.isIn(record)) return []
      const contact = { ...redaction.redact(record), revision: record.revision + 1 }
      return [
        { _tag: "PutContact", contact, replaces: record.revision },
        ...contactCounts(person.projectId, record, contact)
      ]
    }
    // A delivery to the person is erased with its message.
    case "Delivery":
      return isTheirs(person, record) ? [] : rewrite({ kind, record }, { kind, record: erasedDelivery(record, person) })
    case "Message":
      return rewrite({ kind, record }, { kind, record: redaction.redact(record) })
    case "Attempt":
      return rewrite({ kind, record }, { kind, record: redaction.redact(record) })
  }
}

/**
 * Erases the person from a page of records of the project. The messages to the person are erased before, by `eraseFromMessage`. Those under way,
 * and messages by the person that wait, stay as they are: `messagesUnderWay` has their ids.
 */
export const eraseFromRecords = (
  records: ReadonlyArray<StoredRecordOf<ErasedKind>>,
  person: ErasedPerson,
  messagesUnderWay: ReadonlySet<string>
): Decision<ErasedCounts> => {
  const changes = records.flatMap((one) =>
    one.kind === "Message" && messagesUnderWay.has(one.record.id) ? [] : eraseFromRecord(one, person)
  )
  return { changes, answer: erasedOf(changes) }
}

/** What is left of the contact. */
export interface ErasedContact {
  /** The deleted contact; `null` if no contact has the address. */
  readonly contactId: ContactId | null
  /** Whether the address stays suppressed. */
  readonly suppression: boolean
}

/** Deletes the contact, and the address of its suppression. The keyed hash of the address stays, so that the address stays suppressed. */
export const eraseContact = (facts: DeleteContactFacts): Decision<ErasedContact> => {
  const { now, keyedAddress, contact, suppression } = facts
  const staysSuppressed = suppressedFor(suppression, now) !== null
  if (contact !== null) {
    const { changes } = Result.getOrThrow(deleteContact(contact.id, facts))
    return { changes, answer: { contactId: contact.id, suppression: staysSuppressed } }
  }
  return {
    changes: [keepSuppression(keyedAddress, withoutAddress(suppression), suppression)],
    answer: { contactId: null, suppression: staysSuppressed }
  }
}
