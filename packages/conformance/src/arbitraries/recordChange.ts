/**
 * Arbitraries for changes of projects, API keys, domains, contacts, resources, suppressions, counters and idempotency records.
 */
import type { ChangeOf, ChangeTag } from "@mailkeep/core/adapter"
import { suppressionReasons } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import {
  address,
  apiKeyId,
  contactId,
  deliveryId,
  domainName,
  idempotencyKey,
  instant,
  keyOf,
  listIds,
  merged,
  messageId,
  of,
  orNull,
  parent,
  projectId,
  propertyValues,
  publicId,
  record,
  replaces,
  resourceId,
  resourceKind,
  resourceName,
  revision,
  settingName,
  tagged,
  text,
  withOwnIds
} from "./sharedIds.ts"

export const recordChanges = {
  Expect: tagged(
    "Expect",
    record({
      record: fc.oneof(
        keyOf(apiKeyId).map((key) => ({ kind: "ApiKey" as const, ...key })),
        record({ kind: of("Domain" as const), projectId, domain: domainName }),
        record({ kind: of("Suppression" as const), projectId, addressKey: address }),
        keyOf(resourceId).map((key) => ({ kind: "Resource" as const, ...key })),
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
        listUnsubscribe: fc.boolean(),
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
      }).map(withOwnIds),
      replaces
    })
  ),
  TouchApiKey: tagged("TouchApiKey", merged(keyOf(apiKeyId), record({ lastUsedAt: instant }))),
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
      }).map(withOwnIds),
      replaces
    })
  ),
  RemoveResource: tagged("RemoveResource", merged(keyOf(resourceId), record({ revision }))),
  RemoveContact: tagged("RemoveContact", merged(keyOf(contactId), record({ revision }))),
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
      }).map(withOwnIds),
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
  AddToCounter: tagged(
    "AddToCounter",
    record({
      projectId,
      name: of("scheduledRecipients" as const, "allowance" as const, "daily:2026-01-01" as const),
      by: fc.integer({ min: -4, max: 4 }),
      max: of(null, 1, 3)
    })
  )
} satisfies { readonly [T in ChangeTag]?: fc.Arbitrary<ChangeOf<T>> }
