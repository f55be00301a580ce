/**
 * Tests which failures are retryable, and the messages that depend on the record.
 */
import { describe, expect, it } from "vitest"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import type { MailRefusal } from "../../../src/domain/value/Failure.ts"
import {
  InvalidApiKey,
  ApiKeyNotFound,
  PermissionMissing,
  RateLimited,
  SenderOutsideScope
} from "../../../src/domain/access/AccessFailure.ts"
import {
  ContactEmailTaken,
  ContactFilterTooSlow,
  ContactNotFound,
  PropertyInUse
} from "../../../src/domain/contact/ContactFailure.ts"
import { DeliveryNotFound, MessageNotFound, MessageNotScheduled } from "../../../src/domain/message/MessageFailure.ts"
import { DomainTaken, SenderDomainNotVerified } from "../../../src/domain/domain-name/DomainFailure.ts"
import { InvalidArgument } from "../../../src/domain/value/Failure.ts"
import { NameTaken, RecordNotFound, TooManyRecords } from "../../../src/domain/store/RecordFailure.ts"
import { PlanLimitReached } from "../../../src/domain/plan/PlanFailure.ts"
import { TemplateNotEditable } from "../../../src/domain/template/TemplateFailure.ts"
import { NotStored } from "../../../src/internal/store/commit.ts"
import { DnsFailure } from "../../../src/port/DnsResolver.ts"
import { SinkUnavailable } from "../../../src/port/EventSink.ts"
import { StoreNotOpened, StoreUnavailable } from "../../../src/port/MailStore.ts"
import { HandOffRevoked, TransportUnavailable } from "../../../src/port/Transport.ts"

type Tag = MailRefusal["_tag"]

/** Every failure of a use case. The type of the object has one field for each, so that a new failure needs a row. */
const refusals: { readonly [T in Tag]: readonly [Extract<MailRefusal, { readonly _tag: T }>, boolean] } = {
  InvalidArgument: [new InvalidArgument({ argument: "input", issues: [] }), false],
  InvalidApiKey: [new InvalidApiKey(), false],
  PermissionMissing: [new PermissionMissing({ permission: "email.send" }), false],
  SenderOutsideScope: [new SenderOutsideScope({ domain: "a.example" }), false],
  SenderDomainNotVerified: [new SenderDomainNotVerified({ domain: "a.example" }), false],
  ContactNotFound: [new ContactNotFound({ contactId: "con_1" }), false],
  RecordNotFound: [new RecordNotFound({ record: "list", id: "lst_1" }), false],
  NameTaken: [new NameTaken({ record: "list", field: "name" }), false],
  TooManyRecords: [new TooManyRecords({ record: "list", max: 1000 }), false],
  PropertyInUse: [new PropertyInUse({ propertyId: "prop_1" }), false],
  ContactFilterTooSlow: [new ContactFilterTooSlow({ millis: 5000 }), true],
  TemplateNotEditable: [new TemplateNotEditable({ templateId: "tpl_1", reason: "no_draft" }), false],
  MessageNotFound: [new MessageNotFound({ messageId: "msg_1" }), false],
  DeliveryNotFound: [new DeliveryNotFound({ deliveryId: "del_1" }), false],
  ApiKeyNotFound: [new ApiKeyNotFound({ apiKeyId: "key_1" }), false],
  ContactEmailTaken: [new ContactEmailTaken({ field: "email" }), false],
  DomainTaken: [new DomainTaken({ domainId: "dom_1" }), false],
  MessageNotScheduled: [new MessageNotScheduled({ messageId: "msg_1", deliveryId: "del_1" }), false],
  PlanLimitReached: [new PlanLimitReached({ code: "contact_limit_exceeded" }), false],
  RateLimited: [new RateLimited({ scope: "project", retryAfterSeconds: 1 }), true]
}

describe("isRetryable", () => {
  it.each(Object.entries(refusals))(
    "says whether a call that failed with %s can succeed later",
    (_, [failure, expected]) => {
      expect(failure.isRetryable).toBe(expected)
    }
  )

  it.each(Object.entries(refusals))(
    "has getters that a mock of the module can read from the prototype of %s",
    (_, [failure]) => {
      const prototype: unknown = Object.getPrototypeOf(failure)
      for (const name of Reflect.ownKeys(prototype as object))
        expect(() => Reflect.get(prototype as object, name)).not.toThrow()
    }
  )

  it.each([
    ["daily_sending_limit_exceeded", true],
    ["scheduled_recipient_limit_exceeded", true],
    ["sending_allowance_exceeded", false],
    ["contact_limit_exceeded", false]
  ] as const)("depends on the limit of the plan that is reached: %s gives %s", (code, expected) => {
    expect(new PlanLimitReached({ code }).isRetryable).toBe(expected)
  })

  it.each([
    [new StoreUnavailable({ reason: "locked" }), true],
    [new StoreUnavailable({ reason: "full" }), true],
    [new StoreUnavailable({ reason: "closed" }), false],
    [new StoreUnavailable({ reason: "read_only" }), true],
    [new NotStored({ reason: "locked" }), false],
    [new StoreNotOpened({ reason: "locked", where: "mail.db" }), true],
    [new StoreNotOpened({ reason: "newer_schema", where: "mail.db" }), false],
    [new TransportUnavailable({ reason: "lost" }), true],
    [new HandOffRevoked({ why: "lease_lost" }), false],
    [new HandOffRevoked({ why: "too_late" }), false],
    [new SinkUnavailable({ reason: "lost" }), true],
    [new DnsFailure({ definite: true, code: "nxdomain" }), false],
    [new DnsFailure({ definite: false, code: "timeout" }), true],
    [new Conflict({ at: 0, change: "Expect", reason: "Stale" }), true]
  ])("says whether a failure of an adapter can pass: %s", (failure, expected) => {
    expect(failure.isRetryable).toBe(expected)
  })
})

describe("the message of a failure about a record", () => {
  it.each([
    [
      new TooManyRecords({ record: "property", max: 200 }),
      "The project has reached its limit of 200 properties. Delete a property first."
    ],
    [
      new TooManyRecords({ record: "template", max: 1000 }),
      "The project has reached its limit of 1000 templates. Archive a template first."
    ],
    [
      new TooManyRecords({ record: "template", max: 10_000 }),
      "The project has reached its limit of 10000 templates. Change an existing template instead."
    ],
    [
      new TooManyRecords({ record: "list", max: 50, owner: "contact" }),
      "The contact has reached its limit of 50 lists. Remove the contact from a list first."
    ],
    [
      new TooManyRecords({ record: "subscription", max: 100, owner: "program" }),
      "The program has reached its limit of 100 subscriptions. Use the name of an existing subscription."
    ],
    [new RecordNotFound({ record: "suppression", id: "" }), "No suppression of this address."],
    [new RecordNotFound({ record: "template", id: "receipt" }), "No template with this ID or alias."],
    [new RecordNotFound({ record: "list", id: "lst_1" }), "No list with this ID."]
  ])("says what is wrong and what to do: %s", (failure, message) => {
    expect(failure.message).toBe(message)
  })
})
