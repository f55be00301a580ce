/**
 * Statements of the interface on sending, contacts and domains.
 */
import {
  access,
  address,
  at,
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
  [
    "`POST /api/v1/emails/send` with `email.send`.",
    [at.api("Messages")],
    [refusals("%s %s requires an API key with %s")]
  ],
  [
    "`Content-Type` is `application/json`.",
    [at.api("Parameters")],
    [
      wire("accepts JSON with a charset parameter"),
      wire("returns all issues of the first wrong part of a request: headers, then query, then body")
    ]
  ],
  [
    "`Idempotency-Key` is required.",
    [at.api("Parameters")],
    [wire("refuses the idempotency key %j")],
    "0007-idempotency"
  ],
  [
    "The replay for a repeated idempotency key: not shown.",
    [at.decide("acceptSend")],
    [
      sending("returns the same answer for the same idempotency key and request, and charges once"),
      sending("refuses a used idempotency key with another request"),
      sending("creates one message when concurrent sends have one idempotency key"),
      wire("repeats the same response bytes for a replay, and marks the replay")
    ],
    "0007-idempotency"
  ],
  [
    "`from` is a bare sender address.",
    [at.domain("Address")],
    [sendRequest("refuses a send with %s"), address("refuses the address %j")],
    "0010-addresses"
  ],
  ["`to` is one address or 1 to 100.", [at.domain("SendRequest")], [sendRequest("refuses a send with %s")]],
  [
    "`subject` has 1 to 500 characters and is required without a template.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")]
  ],
  [
    "Without a template at least one of `html` and `text` is required.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")]
  ],
  [
    "`templateId` names a published template.",
    [at.service("Sending"), at.decide("renderTemplate")],
    [
      wireTemplates("sends the published version of a template when the draft differs, and logs the template"),
      wireTemplates("refuses a send when its template is unpublished, archived, unknown or of another project")
    ],
    "0027-templates"
  ],
  [
    "`templateVariables` are strings, numbers or booleans by name.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")]
  ],
  [
    "With a template, its subject, HTML and text replace the request's.",
    [at.decide("renderTemplate")],
    [wireTemplates("sends the published version of a template when the draft differs, and logs the template")],
    "0027-templates"
  ],
  ["`fromName` has 1 to 100 characters.", [at.domain("SendRequest")], [sendRequest("refuses a send with %s")]],
  ["`replyTo` is an address.", [at.domain("SendRequest")], [sendRequest("refuses a send with %s")]],
  [
    "`cc` and `bcc` are one address or several.",
    [at.domain("SendRequest")],
    [
      sendRequest("refuses a send with %s"),
      sending("records one delivery for each recipient, in the order to, cc, bcc")
    ]
  ],
  [
    "`cc` and `bcc` are allowed only with one address in `to`.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0010-addresses"
  ],
  [
    "`to`, `cc` and `bcc` have at most 50 addresses together.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0010-addresses"
  ],
  [
    "`metadata` is an object.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0021-field-limits"
  ],
  [
    "`scheduledAt` is ISO 8601 with an offset.",
    [at.domain("Instant")],
    [instant("parses the instant %s"), instant("refuses the instant %j"), sendRequest("refuses a send with %s")]
  ],
  [
    "`scheduledAt` is in the future and at most 30 days ahead.",
    [at.domain("SendingWindow")],
    [sending("refuses a scheduled time %s ms ahead with %s")]
  ],
  [
    "A sender domain that is not verified is refused with 403.",
    [at.decide("acceptSend")],
    [
      sending("refuses a sender domain that is unknown or not verified"),
      refusals(
        "checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order"
      )
    ]
  ],
  [
    "A sender domain outside the API key's scope is refused with 403.",
    [at.service("Sending")],
    [
      refusals(
        "checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order"
      )
    ]
  ],
  [
    "The answer is 202 with the send result in `data`.",
    [at.api("Messages")],
    [wire("answers 202 with the message and its deliveries, under data and nothing else")]
  ],
  [
    "The document lists 400, 401, 403 and 429 for a send.",
    [at.api("Messages")],
    [everyResponse("serves an OpenAPI document with every path")]
  ],
  [
    "A client learns the result from events or from the list of deliveries.",
    [at.service("DeliveryLog")],
    [wire("sends a scheduled message when its time has come")]
  ],
  [
    "A scheduled send counts toward the daily limit of its scheduled day.",
    [at.decide("acceptSend")],
    [sending("counts a scheduled send on its scheduled day")]
  ],
  [
    "Rescheduling and canceling: shape not shown.",
    [at.api("Messages")],
    [
      wire("cancels a scheduled message, and repeats the same response for a second cancel"),
      wire("reschedules a scheduled message under the rules of a send"),
      wire("answers 409 for a message that was sent and 404 for an unknown message")
    ],
    "0008-cancel-and-reschedule"
  ]
])

export const contactEndpoints = section(7, "Contacts", [
  [
    "`GET /api/v1/emails/contacts` with `email.full_access`, by page.",
    [at.api("Contacts")],
    [refusals("%s %s requires an API key with %s"), contacts("lists contacts newest first, in pages, with the total")]
  ],
  [
    "`page` begins at 1; `limit` is 1 to 100, and 50 when omitted.",
    [at.api("Parameters")],
    [wire("answers 409, 404 and 400 for contacts as documented")]
  ],
  [
    "`search` matches email or name.",
    [at.domain("Paging")],
    [contacts("finds contacts by a part of the email or name: %s")],
    "0012-contacts"
  ],
  [
    "`emailStatus` filters by status.",
    [at.api("Contacts")],
    [
      contacts("filters contacts by status, and finds none for an unknown list or segment"),
      wire("answers 409, 404 and 400 for contacts as documented")
    ]
  ],
  [
    "`listId` and `segmentId` filter by list and segment.",
    ["packages/core/src/internal/contactReader.ts"],
    [
      wireGroups("gives each list a unique name and a contact count, and filters contacts by list"),
      wireGroups("keeps the filter of a segment as written and filters contacts by segment"),
      contacts("filters contacts by status, and finds none for an unknown list or segment")
    ],
    "0026-lists-and-segments"
  ],
  [
    "The answer has `message` and `data` with `items`, `total`, `page`, `limit`; `total` counts all matches.",
    [at.api("Contacts")],
    [
      wire("returns created and updated contacts in one shape, and listed contacts in another"),
      contacts("lists contacts newest first, in pages, with the total")
    ]
  ],
  [
    "`POST /api/v1/emails/contacts` with `email.full_access`.",
    [at.api("Contacts")],
    [refusals("%s %s requires an API key with %s")]
  ],
  [
    "`email` is required and unique in the project.",
    [at.domain("ContactRequest"), at.decide("contact")],
    [
      contactRequest("validates a new contact with %s"),
      contacts("refuses a second contact with the same address in a project, in any notation")
    ]
  ],
  [
    "`userId` has up to 255 characters.",
    [at.domain("ContactRequest")],
    [contactRequest("validates a new contact with %s")]
  ],
  [
    "`properties` uses existing property keys, case-insensitive; an unknown property key is 400.",
    [at.decide("contactProperties")],
    [
      contactGroups("sets custom properties by key in any case, and refuses undefined keys and other types"),
      contacts("refuses a custom property that is not defined"),
      contactRequest("validates a new contact with %s")
    ],
    "0025-properties"
  ],
  [
    "Create answers 200 with the contact, subscribed.",
    [at.handler("contacts")],
    [wire("returns created and updated contacts in one shape, and listed contacts in another")]
  ],
  [
    "A duplicate address is 409.",
    [at.decide("contact")],
    [wire("answers 409, 404 and 400 for contacts as documented")]
  ],
  [
    "The document lists 429 for create.",
    [at.api("Contacts")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      ),
      contacts("refuses contacts over the plan's limit, and reports a duplicate first")
    ]
  ],
  [
    "`PUT /api/v1/emails/contacts/{contactId}` with `email.full_access`.",
    [at.api("Contacts")],
    [refusals("%s %s requires an API key with %s")]
  ],
  [
    "Update requires `email`; the current address leaves it unchanged.",
    [at.domain("ContactRequest")],
    [
      contactRequest("validates a new contact with %s"),
      contacts("refuses the address of another contact, and permits a new spelling of the own address")
    ]
  ],
  [
    "`userId: null` clears it; an empty name clears the name.",
    [at.decide("contact")],
    [contacts("keeps fields that an update omits, and clears fields that it sets to empty")]
  ],
  [
    "`properties` replaces all values; when omitted, the values stay.",
    [at.decide("contactProperties")],
    [contactGroups("sets custom properties by key in any case, and refuses undefined keys and other types")],
    "0025-properties"
  ],
  [
    "Omitted fields keep their values.",
    [at.decide("contact")],
    [contacts("keeps fields that an update omits, and clears fields that it sets to empty")]
  ],
  [
    "Update answers 200 in the create shape.",
    [at.handler("contacts")],
    [wire("returns created and updated contacts in one shape, and listed contacts in another")]
  ],
  [
    "An unknown id is 404.",
    [at.decide("contact")],
    [
      contacts("fails with not_found for an unknown id, an id of another project or a malformed id"),
      wire("answers 409, 404 and 400 for contacts as documented")
    ]
  ],
  [
    "The cases in which an update is 409: not shown.",
    [at.decide("contact")],
    [contacts("refuses the address of another contact, and permits a new spelling of the own address")],
    "0012-contacts"
  ]
])

export const domains = section(8, "List email domains", [
  [
    "`GET /api/v1/emails/domains` by page, `limit` 1 to 100, and 50 when omitted.",
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
      access("refuses a duplicate domain in a project, and verifies a pending domain manually"),
      contacts("lists contacts newest first, in pages, with the total")
    ]
  ],
  [
    "The permission for the list of domains: not shown.",
    [at.api("Domains")],
    [refusals("%s %s requires an API key with %s")],
    "0013-domains"
  ]
])
