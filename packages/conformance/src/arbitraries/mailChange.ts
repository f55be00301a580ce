/**
 * Arbitraries for changes of messages, deliveries, attempts, events and leases.
 */
import type { ChangeOf, ChangeTag, RemovableKind, RewritableKind, StoredRecordOf } from "@mailkeep/core/adapter"
import { attemptPhases } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import { recordChanges } from "./recordChange.ts"
import {
  address,
  apiKeyId,
  attemptNumber,
  attemptState,
  contactId,
  contentHash,
  contentChunks,
  deliveryId,
  deliveryState,
  domainName,
  eventDeliveryId,
  eventDeliveryState,
  eventDeliveryStatus,
  eventId,
  fencingToken,
  instant,
  keyOf,
  merged,
  messageId,
  of,
  orNull,
  projectId,
  record,
  status,
  subscriber,
  tagged,
  text,
  withIdsIn,
  withOwnIds,
  worker
} from "./sharedIds.ts"

const written = {
  PutContent: tagged("PutContent", record({ projectId, hash: contentHash, chunks: contentChunks })),
  InsertMessage: tagged(
    "InsertMessage",
    record({
      message: record({
        id: messageId,
        projectId,
        apiKeyId: orNull(apiKeyId),
        source: of("api" as const, "embedded" as const),
        from: of("me@x.example"),
        fromName: orNull(text),
        replyTo: of(null),
        domain: domainName,
        templateId: of(null, "tpl_1", "tpl_2"),
        subject: text,
        html: orNull(text),
        text: orNull(text),
        to: fc.array(address, { maxLength: 2 }),
        cc: of([]),
        headers: fc.dictionary(fc.constantFrom("List-Id", "X-Order"), text, { maxKeys: 2, noNullPrototype: true }),
        attachments: fc.array(
          record({
            filename: of("a.pdf", "ü.png"),
            contentType: of("application/pdf"),
            contentId: of(null, "logo"),
            disposition: of("attachment" as const, "inline" as const),
            size: fc.nat(9),
            hash: contentHash
          }),
          { maxLength: 2 }
        ),
        listUnsubscribe: fc.boolean(),
        metadata: fc.dictionary(
          of("a", "b.c", "10", ""),
          fc.oneof(
            text,
            fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
            fc.boolean()
          ),
          { noNullPrototype: true }
        ),
        idempotencyKey: of("k", ""),
        onAmbiguous: of(null, "fail" as const),
        expiresAt: orNull(instant),
        createdAt: instant
      }).map(withOwnIds)
    })
  ),
  InsertDelivery: tagged(
    "InsertDelivery",
    record({
      delivery: record({
        id: deliveryId,
        projectId,
        messageId,
        kind: of("to" as const, "bcc" as const),
        recipient: text,
        address,
        contactId: orNull(contactId),
        source: of("api" as const, "smtp" as const),
        bulk: fc.boolean(),
        createdAt: instant,
        state: deliveryState
      }).map(({ state, ...identity }) => ({ ...withOwnIds(identity), ...state }))
    })
  ),
  InsertAttempt: tagged(
    "InsertAttempt",
    record({
      attempt: record({
        delivery: keyOf(deliveryId),
        number: attemptNumber,
        startedAt: instant,
        state: attemptState
      }).map(({ delivery, state, ...identity }) => ({
        projectId: delivery.projectId,
        deliveryId: delivery.id,
        ...identity,
        ...state
      }))
    })
  ),
  TransitionAttempt: tagged(
    "TransitionAttempt",
    merged(
      keyOf(deliveryId).map(({ projectId, id }) => ({ projectId, deliveryId: id })),
      record({ number: attemptNumber, fencingToken, from: of(...attemptPhases), next: attemptState })
    )
  ),
  TransitionDelivery: tagged(
    "TransitionDelivery",
    merged(keyOf(deliveryId), record({ from: status, fencingToken, next: deliveryState }))
  ),
  AppendEvent: tagged(
    "AppendEvent",
    record({
      event: record({
        id: eventId,
        projectId,
        occurredAt: instant,
        kind: of("email.failed" as const),
        data: record({
          deliveryId,
          messageId,
          recipient: text,
          contactId: orNull(contactId),
          status,
          previousStatus: status,
          reason: of(null),
          sequence: fc.nat(3),
          bounceType: of(null),
          smtpCode: of(null),
          enhancedCode: of(null),
          message: orNull(text)
        })
      }).map((event) => ({ ...withOwnIds(event), data: withIdsIn(event.projectId, event.data) }))
    })
  ),
  DistributeEvent: tagged("DistributeEvent", keyOf(eventId)),
  InsertEventDelivery: tagged(
    "InsertEventDelivery",
    record({
      eventDelivery: record({
        id: eventDeliveryId,
        projectId,
        subscriber,
        eventId,
        eventKind: of("email.failed" as const),
        createdAt: instant,
        state: eventDeliveryState
      }).map(({ state, ...identity }) => ({ ...withOwnIds(identity), ...state }))
    })
  ),
  TransitionEventDelivery: tagged(
    "TransitionEventDelivery",
    merged(keyOf(eventDeliveryId), record({ from: eventDeliveryStatus, fencingToken, next: eventDeliveryState }))
  ),
  RenewLease: tagged("RenewLease", record({ worker, renewedAt: instant, leaseUntil: instant })),
  EndLease: tagged("EndLease", record({ worker }))
} satisfies { readonly [T in ChangeTag]?: fc.Arbitrary<ChangeOf<T>> }

/** A rewrite of the record that a change inserts. An aimed commit takes the stored record instead. */
const rewrite = <K extends RewritableKind>(kind: K, record: fc.Arbitrary<StoredRecordOf<K>["record"]>) =>
  fc.tuple(record, record, fc.boolean()).map(([before, other, isDeleted]) => ({
    _tag: "RewriteRecord" as const,
    before: { kind, record: before } as StoredRecordOf<RewritableKind>,
    after: isDeleted
      ? null
      : rewritten(
          { kind, record: before } as StoredRecordOf<RewritableKind>,
          { kind, record: other } as StoredRecordOf<RewritableKind>
        )
  }))

/** The record `other` with the key and the project of `before`. */
export const rewritten = (
  before: StoredRecordOf<RewritableKind>,
  other: StoredRecordOf<RewritableKind>
): StoredRecordOf<RewritableKind> => {
  const { kind, record } = before
  switch (kind) {
    case "Message":
    case "Delivery":
      return { kind, record: { ...other.record, id: record.id, projectId: record.projectId } } as typeof before
    case "Attempt":
      return {
        kind,
        record: {
          ...other.record,
          projectId: record.projectId,
          deliveryId: record.deliveryId,
          number: record.number
        }
      } as typeof before
    case "Idempotency":
      return { kind, record: { ...other.record, projectId: record.projectId, key: record.key } } as typeof before
    case "Event": {
      const { event, isDistributed } = other.record as typeof record
      return {
        kind,
        record: { event: { ...event, id: record.event.id, projectId: record.event.projectId }, isDistributed }
      }
    }
  }
}

/** A removal of the record that a change writes. An aimed commit takes the stored record instead. */
const removal = <K extends RemovableKind>(kind: K, record: fc.Arbitrary<StoredRecordOf<K>["record"]>) =>
  record.map((one) => ({
    _tag: "RemoveRecord" as const,
    record: { kind, record: one } as unknown as StoredRecordOf<RemovableKind>
  }))

export const mailChanges = {
  ...written,
  RemoveRecord: fc.oneof(
    removal(
      "Project",
      recordChanges.PutProject.map(({ project }) => project)
    ),
    removal(
      "ApiKey",
      recordChanges.PutApiKey.map(({ key }) => key)
    ),
    removal(
      "Suppression",
      recordChanges.PutSuppression.map(({ suppression }) => suppression)
    ),
    removal(
      "Counter",
      recordChanges.AddToCounter.map(({ projectId, name, by }) => ({ projectId, name, value: by }))
    ),
    removal(
      "EventDelivery",
      written.InsertEventDelivery.map(({ eventDelivery }) => eventDelivery)
    )
  ),
  RewriteRecord: fc.oneof(
    rewrite(
      "Message",
      written.InsertMessage.map(({ message }) => message)
    ),
    rewrite(
      "Delivery",
      written.InsertDelivery.map(({ delivery }) => delivery)
    ),
    rewrite(
      "Attempt",
      written.InsertAttempt.map(({ attempt }) => attempt)
    ),
    rewrite("Event", record({ event: written.AppendEvent.map(({ event }) => event), isDistributed: fc.boolean() })),
    rewrite(
      "Idempotency",
      recordChanges.RecordIdempotency.map((change) => change.record)
    )
  )
}
