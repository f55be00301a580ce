/**
 * Statements on sending, contacts, domains, authentication, errors, limits and versions.
 */
import {
  access,
  address,
  at,
  bucket,
  contactRequest,
  contacts,
  everyResponse,
  instant,
  refusals,
  section,
  sending,
  sendRequest,
  wire,
  wireGroups,
  wireTemplates,
  contactGroups
} from "./proofs.ts"

export const send = section(6, "Send an email", [
  ["`POST /api/v1/emails/send` with `email.send`.", [at.api("Messages")], [refusals("%s %s needs a key with %s")]],
  [
    "`Content-Type` is `application/json`.",
    [at.api("Parameters")],
    [
      wire("takes JSON under a charset"),
      wire("names all problems of the first part that has any: the query is looked at after the headers, the body last")
    ]
  ],
  [
    "`Idempotency-Key` is required.",
    [at.api("Parameters")],
    [wire("refuses the idempotency key %j")],
    "0007-idempotency"
  ],
  [
    "Replay when a key is repeated: not shown.",
    [at.decide("acceptSend")],
    [
      sending("answers the same key and request the same, and charges once"),
      sending("refuses the same key for another request"),
      sending("makes one message of two sends at once with one key"),
      wire("replays the same bytes, and says so")
    ],
    "0007-idempotency"
  ],
  [
    "`from` is a bare sender address.",
    [at.domain("Address")],
    [sendRequest("%s"), address("refuses %j")],
    "0010-addresses"
  ],
  ["`to` is one address or 1 to 100.", [at.domain("SendRequest")], [sendRequest("%s")]],
  [
    "`subject` has 1 to 500 characters and is required without a template.",
    [at.domain("SendRequest")],
    [sendRequest("%s")]
  ],
  [
    "Without a template at least one of `html` and `text` is required.",
    [at.domain("SendRequest")],
    [sendRequest("%s")]
  ],
  [
    "`templateId` names a published template.",
    [at.service("Sending"), at.decide("renderTemplate")],
    [
      wireTemplates("are sent as published, whatever becomes of the draft, and the log says which"),
      wireTemplates("refuse a send while unpublished, when archived, of another project, and when they are none")
    ],
    "0027-templates"
  ],
  ["`templateVariables` are strings, numbers or booleans by name.", [at.domain("SendRequest")], [sendRequest("%s")]],
  [
    "With a template, its subject, HTML and text replace the request's.",
    [at.decide("renderTemplate")],
    [wireTemplates("are sent as published, whatever becomes of the draft, and the log says which")],
    "0027-templates"
  ],
  ["`fromName` has 1 to 100 characters.", [at.domain("SendRequest")], [sendRequest("%s")]],
  ["`replyTo` is an address.", [at.domain("SendRequest")], [sendRequest("%s")]],
  [
    "`cc` and `bcc` are one address or several.",
    [at.domain("SendRequest")],
    [sendRequest("%s"), sending("records one delivery for each recipient, in the order to, cc, bcc")]
  ],
  ["`cc` and `bcc` only beside one `to`.", [at.domain("SendRequest")], [sendRequest("%s")], "0010-addresses"],
  ["`to`, `cc` and `bcc` hold at most 50 together.", [at.domain("SendRequest")], [sendRequest("%s")], "0010-addresses"],
  ["`metadata` is an object.", [at.domain("SendRequest")], [sendRequest("%s")], "0021-field-limits"],
  [
    "`scheduledAt` is ISO 8601 with an offset.",
    [at.domain("Instant")],
    [instant("reads %s"), instant("refuses %j"), sendRequest("%s")]
  ],
  [
    "`scheduledAt` is in the future and at most 30 days ahead.",
    [at.domain("SendingWindow")],
    [sending("refuses a time %s ms ahead: %s")]
  ],
  [
    "A domain not verified is refused with 403.",
    [at.decide("acceptSend")],
    [
      sending("refuses a sender domain that is unknown or not verified"),
      refusals(
        "judges permission before form, form before scope, scope before replay, replay before the clock, the clock before the domain, the domain before the plan"
      )
    ]
  ],
  [
    "A domain outside the key's scope is refused with 403.",
    [at.service("Sending")],
    [
      refusals(
        "judges permission before form, form before scope, scope before replay, replay before the clock, the clock before the domain, the domain before the plan"
      )
    ]
  ],
  [
    "The answer is 202 with the send result under `data`.",
    [at.api("Messages")],
    [wire("answers 202 with the message and its deliveries, under data and nothing else")]
  ],
  ["400, 401, 403 and 429 are documented for it.", [at.api("Messages")], [everyResponse("describes itself")]],
  [
    "A client follows events or lists deliveries afterwards.",
    [at.service("DeliveryLog")],
    [wire("lets a scheduled send go when its time has come")]
  ],
  [
    "A scheduled send counts toward the daily limit of its day.",
    [at.decide("acceptSend")],
    [sending("count a scheduled send on the day it is scheduled for")]
  ],
  [
    "Rescheduling and canceling: shape not shown.",
    [at.api("Messages")],
    [
      wire("is canceled, and again with the same answer"),
      wire("is rescheduled under the rules of a send"),
      wire("that has left is a conflict; an unknown one is not found")
    ],
    "0008-cancel-and-reschedule"
  ]
])

export const contactEndpoints = section(7, "Contacts", [
  [
    "`GET /api/v1/emails/contacts` with `email.full_access`, by page.",
    [at.api("Contacts")],
    [refusals("%s %s needs a key with %s"), contacts("are listed newest first, page by page, with the number of all")]
  ],
  [
    "`page` begins at 1; `limit` is 1 to 100, 50 when left out.",
    [at.api("Parameters")],
    [wire("conflict, are not found and are refused as documented")]
  ],
  [
    "`search` matches by email or name.",
    [at.domain("Paging")],
    [contacts("are found by a part of email or name: %s")],
    "0012-contacts"
  ],
  [
    "`emailStatus` filters by status.",
    [at.api("Contacts")],
    [
      contacts("are filtered by status; of an unknown list or segment there are none"),
      wire("conflict, are not found and are refused as documented")
    ]
  ],
  [
    "`listId` and `segmentId` filter by list and segment.",
    [at.service("Contacts")],
    [
      wireGroups("lists are named once, counted, and filter contacts"),
      wireGroups("segments are kept as written and filter contacts"),
      contacts("are filtered by status; of an unknown list or segment there are none")
    ],
    "0026-lists-and-segments"
  ],
  [
    "The answer has `message` and `data` with `items`, `total`, `page`, `limit`; `total` counts what matches.",
    [at.api("Contacts")],
    [
      wire("are created and updated in one shape, and listed in another"),
      contacts("are listed newest first, page by page, with the number of all")
    ]
  ],
  [
    "`POST /api/v1/emails/contacts` with `email.full_access`.",
    [at.api("Contacts")],
    [refusals("%s %s needs a key with %s")]
  ],
  [
    "`email` is required and unique in the project.",
    [at.domain("ContactRequest"), at.decide("contact")],
    [
      contactRequest("%s"),
      contacts("have an address once in a project, however it is written; another project has its own")
    ]
  ],
  ["`userId` has up to 255 characters.", [at.domain("ContactRequest")], [contactRequest("%s")]],
  [
    "`properties` are of keys already defined, case-insensitive; another key is 400.",
    [at.decide("contactProperties")],
    [
      contactGroups(
        "are set by key in any case, shown by key as defined, and refused when undefined or of another type"
      ),
      contacts("refuse every custom property: none is defined"),
      contactRequest("%s")
    ],
    "0025-properties"
  ],
  [
    "Create answers 200 with the contact, subscribed.",
    [at.handler("contacts")],
    [wire("are created and updated in one shape, and listed in another")]
  ],
  ["A duplicate is 409.", [at.decide("contact")], [wire("conflict, are not found and are refused as documented")]],
  [
    "429 is documented for create.",
    [at.api("Contacts")],
    [
      refusals("counts sends and contact creates for the key and then the project, and says how long to wait"),
      contacts("stay within the plan, and a duplicate is told first")
    ]
  ],
  [
    "`PUT /api/v1/emails/contacts/{contactId}` with `email.full_access`.",
    [at.api("Contacts")],
    [refusals("%s %s needs a key with %s")]
  ],
  [
    "Update requires `email`; the current one keeps it.",
    [at.domain("ContactRequest")],
    [contactRequest("%s"), contacts("cannot take another's address, but may respell their own")]
  ],
  [
    "`userId: null` clears it; an empty name clears the name.",
    [at.decide("contact")],
    [contacts("keep what an update leaves out, and clear what it says")]
  ],
  [
    "`properties` replaces all values; left out keeps them.",
    [at.decide("contactProperties")],
    [
      contactGroups(
        "are set by key in any case, shown by key as defined, and refused when undefined or of another type"
      )
    ],
    "0025-properties"
  ],
  [
    "Fields left out keep their values.",
    [at.decide("contact")],
    [contacts("keep what an update leaves out, and clear what it says")]
  ],
  [
    "Update answers 200 in the create shape.",
    [at.handler("contacts")],
    [wire("are created and updated in one shape, and listed in another")]
  ],
  [
    "An unknown id is 404.",
    [at.decide("contact")],
    [
      contacts("are not found under another id, another project or another form"),
      wire("conflict, are not found and are refused as documented")
    ]
  ],
  [
    "When an update is 409 is not shown.",
    [at.decide("contact")],
    [contacts("cannot take another's address, but may respell their own")],
    "0012-contacts"
  ]
])

export const domains = section(8, "List email domains", [
  [
    "`GET /api/v1/emails/domains` by page, `limit` 1 to 100, 50 when left out.",
    [at.api("Domains")],
    [wire("lists domains by page")]
  ],
  [
    "The answer has `message` and `data` with `items`, `total`, `page`, `limit`.",
    [at.api("Domains")],
    [wire("lists domains by page")]
  ],
  [
    "A client increments `page` until `page × limit` reaches `total`.",
    [at.service("Domains")],
    [
      access("a domain is taken once in a project; a pending one may be verified by word"),
      contacts("are listed newest first, page by page, with the number of all")
    ]
  ],
  ["The permission for it is not stated.", [at.api("Domains")], [refusals("%s %s needs a key with %s")], "0013-domains"]
])

export const authentication = section(9, "Authentication", [
  [
    "Every request carries a bearer key.",
    [at.server("bearer")],
    [refusals("%s %s needs a key with %s"), refusals("takes the scheme in any case")]
  ],
  ["Each endpoint requires its permission.", [at.api("Access")], [refusals("%s %s needs a key with %s")]],
  [
    "A key may have a domain scope; outside it a send is 403.",
    [at.domain("ApiKey")],
    [
      refusals(
        "judges permission before form, form before scope, scope before replay, replay before the clock, the clock before the domain, the domain before the plan"
      )
    ],
    "0014-api-keys"
  ],
  [
    "A missing, malformed, revoked or expired key is 401 `unauthorized`.",
    [at.service("Access")],
    [
      access("are refused alike when missing, malformed, unknown, wrong, revoked or expired"),
      refusals("ends with a revocation and with expiry, at once and alike")
    ],
    "0014-api-keys"
  ],
  [
    "A missing permission is 403 `not_allowed`, and the message names it.",
    [at.domain("Failure")],
    [refusals("%s %s needs a key with %s"), access("each stand for their own permission")]
  ],
  [
    "Everything is scoped to the key's project.",
    [at.domain("Query")],
    [
      refusals("see nothing of each other by an id"),
      refusals("see nothing of each other by a list, a filter or a search"),
      refusals("cannot use each other's cursor"),
      refusals("have idempotency keys, contacts and suppressions of their own")
    ]
  ],
  [
    "How keys are issued, their format and lifetime: not shown.",
    [at.domain("ApiKey"), at.service("ApiKeys")],
    [access("let their bearer in as what they are")],
    "0014-api-keys"
  ]
])

export const errors = section(11, "Errors", [
  [
    "Every failure has `error`, `message` and `correlationId`.",
    [at.server("failureResponse")],
    [
      everyResponse("carries its correlation id, an adopted one or its own"),
      everyResponse("is 404 for an unknown path and 405 with Allow for a wrong method")
    ],
    "0009-refusals"
  ],
  [
    "400 has `details` with `context` and `issues`.",
    [at.domain("Issue")],
    [
      wire(
        "names all problems of the first part that has any: the query is looked at after the headers, the body last"
      ),
      sendRequest("%s")
    ],
    "0009-refusals"
  ],
  [
    "429 has `code`; a rate limit also `scope` and `retryAfterSeconds`.",
    [at.server("failureResponse")],
    [
      refusals("counts sends and contact creates for the key and then the project, and says how long to wait"),
      refusals("tells a plan's limit without scope and without Retry-After")
    ]
  ],
  [
    "400 `invalid_argument`: the request does not match.",
    [at.server("wellFormed")],
    [wire("refuses a body that is %s"), wire("refuses %.30s")]
  ],
  ["401 `unauthorized`.", [at.server("failureResponse")], [refusals("%s %s needs a key with %s")]],
  ["403 `not_allowed`.", [at.server("failureResponse")], [refusals("%s %s needs a key with %s")]],
  ["404 `not_found`.", [at.server("failureResponse")], [wire("conflict, are not found and are refused as documented")]],
  [
    "409 `duplicate_error`.",
    [at.server("failureResponse")],
    [wire("conflict, are not found and are refused as documented")]
  ],
  [
    "429 `too_many_requests` with `RATE_LIMITED` and `Retry-After`.",
    [at.server("failureResponse")],
    [
      refusals("counts sends and contact creates for the key and then the project, and says how long to wait"),
      bucket("means what it says: a request after retryAfterSeconds is allowed")
    ]
  ],
  [
    "429 `too_many_requests` with a plan's code such as `contact_limit_exceeded`.",
    [at.domain("Plan")],
    [
      contacts("stay within the plan, and a duplicate is told first"),
      refusals("tells a plan's limit without scope and without Retry-After")
    ],
    "0015-limits"
  ],
  [
    "`quota_exceeded` is a delivery's reason, not a response's error.",
    [at.domain("DeliveryTable")],
    [sending("fails with quota_exceeded when the allowance is used up, and charges nothing")]
  ],
  [
    "The shape of an issue: not shown.",
    [at.domain("Issue")],
    [wire("never repeats what was sent in an error")],
    "0009-refusals"
  ],
  [
    "The other plan codes: not shown.",
    [at.domain("Plan")],
    [sending("hold all or nothing for a send"), sending("bound the recipients waiting in scheduled messages")],
    "0015-limits"
  ]
])

export const limits = section(12, "Limits and versions", [
  [
    "The page size, cursor, recipient, subject, name and user-id limits.",
    [at.domain("Paging"), at.domain("SendRequest")],
    [wire("refuses %.30s"), sendRequest("%s"), contactRequest("%s")]
  ],
  [
    "Sends and contact creates are rate limited with `Retry-After`.",
    [at.server("bearer")],
    [refusals("counts sends and contact creates for the key and then the project, and says how long to wait")]
  ],
  [
    "Recipients waiting in scheduled messages are limited.",
    [at.decide("acceptSend")],
    [sending("bound the recipients waiting in scheduled messages")]
  ],
  [
    "Sends a day are limited.",
    [at.decide("acceptSend")],
    [sending("hold all or nothing for a send"), sending("of one (%s) cannot be passed by two at once")]
  ],
  [
    "The sending allowance is charged at send time.",
    [at.domain("DeliveryTable")],
    [
      sending("refuse an immediate send over the allowance, and let a scheduled one be accepted"),
      sending("is charged and sent")
    ]
  ],
  ["Contacts are limited.", [at.decide("contact")], [contacts("stay within the plan, and a duplicate is told first")]],
  [
    "Numbers and scope of the rate limit, and numbers of the plan: not shown.",
    [at.domain("Plan"), at.domain("TokenBucket")],
    [bucket("never allows more than its size and what refilled, over any span")],
    "0015-limits"
  ],
  ["The version is the path's `/api/v1`.", [at.api("MailApi")], [everyResponse("describes itself")]],
  ["Deprecation, other versions and negotiation: not shown.", [], [], "0019-versions"]
])
