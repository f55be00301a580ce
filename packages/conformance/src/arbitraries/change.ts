/**
 * Arbitraries for changes of every kind, and for commits of several changes.
 */
import type { Change, ChangeOf, ChangeTag } from "@mailkeep/core/adapter"
import { attemptPhases, changeOrder, inCommitOrder, suppressionReasons, recordKeyOf } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import {
  address,
  attemptNumber,
  attemptState,
  subscriber,
  contactId,
  resourceId,
  resourceKind,
  resourceName,
  deliveryId,
  deliveryState,
  domainName,
  eventId,
  eventDeliveryState,
  idempotencyKey,
  instant,
  apiKeyId,
  listIds,
  messageId,
  of,
  orNull,
  parent,
  projectId,
  propertyValues,
  publicId,
  eventDeliveryId,
  eventDeliveryStatus,
  record,
  replaces,
  revision,
  settingName,
  status,
  tagged,
  text,
  fencingToken,
  worker
} from "./sharedIds.ts"

/** One arbitrary for each kind of change. */
export const changes: { readonly [T in ChangeTag]: fc.Arbitrary<ChangeOf<T>> } = {
  Expect: tagged(
    "Expect",
    record({
      record: fc.oneof(
        record({ kind: of("ApiKey" as const), id: apiKeyId }),
        record({ kind: of("Domain" as const), projectId, domain: domainName }),
        record({ kind: of("Suppression" as const), projectId, addressKey: address }),
        record({ kind: of("Resource" as const), id: resourceId }),
        record({ kind: of("ContactAddress" as const), projectId, address })
      ),
      revision: replaces
    })
  ),
  PutSetting: tagged("PutSetting", record({ name: settingName, value: text })),
  PutProject: tagged(
    "PutProject",
    record({
      project: record({
        id: projectId,
        onAmbiguous: of("retry" as const, "fail" as const),
        createdAt: instant,
        revision
      }),
      replaces
    })
  ),
  PutApiKey: tagged(
    "PutApiKey",
    record({
      key: record({
        id: apiKeyId,
        projectId,
        publicId: publicId,
        secretHash: of("h"),
        name: text,
        permissions: of(["email.send" as const]),
        domainScope: of(null, ["a.x"]),
        createdAt: instant,
        expiresAt: orNull(instant),
        revokedAt: orNull(instant),
        lastUsedAt: orNull(instant),
        revision
      }),
      replaces
    })
  ),
  TouchApiKey: tagged("TouchApiKey", record({ id: apiKeyId, lastUsedAt: instant })),
  PutDomain: tagged(
    "PutDomain",
    record({
      domain: record({
        projectId,
        domain: domainName,
        status: of("pending" as const, "verified" as const),
        manuallyVerified: fc.boolean(),
        dkim: of(null, { selector: "mk1", encryptedPrivateKey: "x" }),
        records: of([]),
        verificationError: orNull(text),
        verificationAttempts: fc.nat(3),
        verificationAttemptedAt: orNull(instant),
        failingSince: orNull(instant),
        nextCheckAt: orNull(instant),
        createdAt: instant,
        updatedAt: instant,
        lastVerifiedAt: orNull(instant),
        revision
      }),
      replaces
    })
  ).map((put) => ({
    ...put,
    domain: { ...put.domain, id: `dom_${put.domain.projectId}${put.domain.domain}` as const }
  })),
  RemoveDomain: tagged("RemoveDomain", record({ projectId, domain: domainName, revision })),
  PutResource: tagged(
    "PutResource",
    record({
      resource: record({
        id: resourceId,
        projectId,
        kind: resourceKind,
        parent,
        name: orNull(resourceName),
        content: record({ name: text, description: text }),
        createdAt: instant,
        updatedAt: instant,
        revision
      }),
      replaces
    })
  ),
  RemoveResource: tagged("RemoveResource", record({ id: resourceId, revision })),
  RemoveContact: tagged("RemoveContact", record({ id: contactId, revision })),
  PutContact: tagged(
    "PutContact",
    record({
      contact: record({
        id: contactId,
        projectId,
        email: text,
        address,
        userId: orNull(text),
        firstName: text,
        lastName: text,
        phoneNumber: orNull(text),
        emailStatus: of("subscribed" as const, "unsubscribed" as const),
        source: of("manual" as const),
        properties: propertyValues,
        listIds,
        createdAt: instant,
        updatedAt: instant,
        revision
      }),
      replaces
    })
  ),
  PutSuppression: tagged(
    "PutSuppression",
    record({
      suppression: record({
        projectId,
        addressKey: address,
        named: fc.boolean(),
        reasons: fc.dictionary(of(...suppressionReasons), instant, { noNullPrototype: true }),
        revision
      }).map(({ named, ...rest }) => ({ ...rest, address: named ? rest.addressKey : null })),
      replaces
    })
  ),
  RecordIdempotency: tagged(
    "RecordIdempotency",
    record({
      now: instant,
      record: record({
        projectId,
        key: idempotencyKey,
        fingerprint: text,
        result: record({
          messageId,
          deliveryIds: fc.array(deliveryId, { maxLength: 2 }),
          totalQueued: fc.nat(3),
          scheduledAt: orNull(instant)
        }),
        expiresAt: instant
      })
    })
  ),
  ExtendIdempotency: tagged("ExtendIdempotency", record({ projectId, key: idempotencyKey, expiresAt: instant })),
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
        metadata: fc.dictionary(
          of("a", "b.c", "10", ""),
          fc.oneof(
            text,
            fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
            fc.boolean()
          ),
          { noNullPrototype: true }
        ),
        idempotencyKey: of("k"),
        onAmbiguous: of(null, "fail" as const),
        expiresAt: orNull(instant),
        createdAt: instant
      })
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
        createdAt: instant,
        state: deliveryState
      }).map(({ state, ...identity }) => ({ ...identity, ...state }))
    })
  ),
  InsertAttempt: tagged(
    "InsertAttempt",
    record({
      attempt: record({
        deliveryId,
        number: attemptNumber,
        startedAt: instant,
        state: attemptState
      }).map(({ state, ...identity }) => ({ ...identity, ...state }))
    })
  ),
  MoveAttempt: tagged(
    "MoveAttempt",
    record({
      deliveryId,
      number: attemptNumber,
      fencingToken,
      from: of(...attemptPhases),
      next: attemptState
    })
  ),
  MoveDelivery: tagged("MoveDelivery", record({ id: deliveryId, from: status, fencingToken, next: deliveryState })),
  AddToCounter: tagged(
    "AddToCounter",
    record({
      projectId,
      name: of("scheduledRecipients" as const, "allowance" as const, "daily:2026-01-01" as const),
      by: fc.integer({ min: -4, max: 4 }),
      max: of(null, 1, 3)
    })
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
      })
    })
  ),
  DistributeEvent: tagged("DistributeEvent", record({ id: eventId })),
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
      }).map(({ state, ...identity }) => ({ ...identity, ...state }))
    })
  ),
  MoveEventDelivery: tagged(
    "MoveEventDelivery",
    record({ id: eventDeliveryId, from: eventDeliveryStatus, fencingToken, next: eventDeliveryState })
  ),
  RenewLease: tagged("RenewLease", record({ worker, leaseUntil: instant })),
  EndLease: tagged("EndLease", record({ worker }))
}

/** The changes that affect most answers have a higher weight. */
const often: ReadonlySet<ChangeTag> = new Set<ChangeTag>([
  "InsertMessage",
  "InsertDelivery",
  "MoveDelivery",
  "AddToCounter",
  "PutContact",
  "InsertEventDelivery",
  "AppendEvent"
])

/** Changes of every kind, with ids from the small set `names`. */
export const change: fc.Arbitrary<Change> = fc.oneof(
  ...changeOrder.map((tag) => ({ weight: often.has(tag) ? 5 : 1, arbitrary: changes[tag] as fc.Arbitrary<Change> }))
)

/** Changes of different records, in the order that a commit requires. */
export const commit: fc.Arbitrary<ReadonlyArray<Change>> = fc
  .uniqueArray(change, { minLength: 1, maxLength: 4, selector: recordKeyOf })
  .map(inCommitOrder)
