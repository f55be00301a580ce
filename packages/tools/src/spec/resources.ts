/**
 * Statements on the service as a whole, its resources and their states.
 */
import {
  at,
  contacts,
  dispatcher,
  everyResponse,
  handOffs,
  log,
  machine,
  refusals,
  section,
  sending,
  subscription,
  address,
  contactRequest,
  relay,
  sendRequest,
  verified,
  wire,
  wireDomains,
  wireGroups,
  wireTemplates,
  wireWebhooks
} from "./proofs.ts"

export const general = section(1, "The service", [
  [
    "Paths begin with `/api/v1`; bodies are JSON; timestamps are ISO 8601.",
    [at.api("MailApi")],
    [
      everyResponse("describes itself"),
      wire("answers 202 with the message and its deliveries, under data and nothing else")
    ]
  ],
  [
    "A send comes from a verified sender domain.",
    [at.decide("acceptSend")],
    [sending("refuses a sender domain that is unknown or not verified")]
  ],
  [
    "There is one delivery for each recipient.",
    [at.decide("acceptSend")],
    [
      sending("records one delivery for each recipient, in the order to, cc, bcc"),
      sending("makes one delivery of an address given twice")
    ],
    "0010-addresses"
  ],
  [
    "202 means queued or scheduled, not delivered.",
    [at.api("Messages")],
    [wire("answers 202 with the message and its deliveries, under data and nothing else")]
  ],
  [
    "A send is scheduled at most 30 days ahead.",
    [at.domain("SendingWindow")],
    [sending("refuses a time %s ms ahead: %s")]
  ],
  [
    "Contacts belong to the key's project, and an address is there once.",
    [at.decide("contact")],
    [
      contacts("have an address once in a project, however it is written; another project has its own"),
      contacts("a hundred creates at once with one address make one")
    ],
    "0012-contacts"
  ]
])

export const resources = section(2, "Resources and their fields", [
  [
    "The send result has `messageId`, `deliveryIds`, `totalQueued` and `scheduledAt`.",
    [at.api("Messages"), at.server("views")],
    [wire("answers 202 with the message and its deliveries, under data and nothing else")]
  ],
  [
    "`messageId` addresses a scheduled message for rescheduling and canceling.",
    [at.service("Sending")],
    [wire("is canceled, and again with the same answer"), wire("is rescheduled under the rules of a send")]
  ],
  [
    "`totalQueued` counts deliveries queued or scheduled.",
    [at.decide("acceptSend")],
    [sending("records what a suppressed recipient would have got, and counts it nowhere")],
    "0004-suppressed-recipients"
  ],
  [
    "`scheduledAt` is the scheduled time, or null for an immediate send.",
    [at.server("views")],
    [wire("shows the scheduled time %s in UTC")]
  ],
  [
    "A delivery summary has `id`, `created_at`, `recipient`, `subject`, `status` and `scheduled_at`.",
    [at.api("Logs")],
    [wire("lists summaries with exactly their fields, and follows its cursor")]
  ],
  [
    "Fields of a delivery beyond the summary: not shown.",
    [at.api("Logs")],
    [wire("shows a delivery in full, bare")],
    "0017-delivery-detail"
  ],
  [
    "A contact's id begins with `con_`.",
    [at.domain("Id")],
    [wire("are created and updated in one shape, and listed in another")],
    "0020-ids-and-order"
  ],
  [
    "Create and update answer with `user_id`, `source` and `updated_at` besides the list's fields.",
    [at.api("Contacts")],
    [wire("are created and updated in one shape, and listed in another")]
  ],
  [
    "A list item carries only `id`, `email`, names, `phone_number`, `email_status` and `created_at`.",
    [at.api("Contacts")],
    [wire("are created and updated in one shape, and listed in another")]
  ],
  [
    "`phone_number` and `user_id` may be null.",
    [at.domain("Contact")],
    [contacts("are created subscribed, with what was left out unset")]
  ],
  [
    "`source` says how the contact was made, such as `manual`.",
    [at.domain("Contact")],
    [contacts("are created subscribed, with what was left out unset")]
  ],
  [
    "Custom property values are set through `properties`.",
    [at.domain("ContactRequest"), at.decide("contactProperties")],
    [wireGroups("a contact in full has its properties by key and why its mail is held back")],
    "0025-properties"
  ],
  [
    "Fields of the domain record: not shown.",
    [at.api("Domains")],
    [wire("lists domains by page"), wireDomains("are verified by what is published, and failed by what is not")],
    "0013-domains"
  ],
  [
    "Fields of templates: not shown.",
    [at.api("Templates")],
    [wireTemplates("begin as a draft, version 1")],
    "0027-templates"
  ],
  [
    "Fields of property definitions: not shown.",
    [at.api("ContactGroups")],
    [wireGroups("properties are listed under data, changed and deleted")],
    "0025-properties"
  ],
  [
    "Formats and lengths of email, names and phone number, and the content of metadata: not shown.",
    [at.domain("TextRule"), at.domain("SendRequest"), at.domain("ContactRequest")],
    [sendRequest("%s"), contactRequest("%s"), address("refuses %j")],
    "0021-field-limits"
  ]
])

export const deliveryStatus = section(3, "Delivery status", [
  ["The ten statuses.", [at.domain("DeliveryTable")], [machine("reaches every status")]],
  [
    "A send with `scheduledAt` makes `scheduled` deliveries.",
    [at.domain("DeliveryTable")],
    [machine("%s on %s"), sending("is charged and sent")]
  ],
  [
    "A scheduled delivery is sent within about a minute of its time.",
    [at.service("Dispatcher")],
    [dispatcher("wakes when the next delivery is due"), sending("is never sent before its time")]
  ],
  [
    "Due without allowance left: `failed`, `quota_exceeded`, nothing charged.",
    [at.decide("releaseDue")],
    [sending("fails with quota_exceeded when the allowance is used up, and charges nothing")]
  ],
  [
    "Due with the recipient suppressed since: not sent, nothing charged; the status is not stated.",
    [at.decide("releaseDue")],
    [sending("is suppressed when its recipient is by then")],
    "0004-suppressed-recipients"
  ],
  [
    "Due with the key revoked since: not sent, nothing charged; the status is not stated.",
    [at.decide("releaseDue")],
    [sending("fails when its key was revoked, but not when it merely expired")],
    "0004-suppressed-recipients"
  ],
  [
    "Canceling is addressed by `messageId`; its target state is not stated.",
    [at.decide("scheduledMessage")],
    [sending("is canceled whole, and again with the same answer")],
    "0008-cancel-and-reschedule"
  ],
  [
    "Rescheduling is addressed by `messageId`; its target state is not stated.",
    [at.decide("scheduledMessage")],
    [sending("moves to another time and day")],
    "0008-cancel-and-reschedule"
  ],
  [
    "A scheduled send uses allowance when it is sent.",
    [at.domain("DeliveryTable")],
    [
      sending("is charged and sent"),
      sending("refuse an immediate send over the allowance, and let a scheduled one be accepted")
    ]
  ],
  [
    "The initial status of an immediate send and all other transitions: not shown.",
    [at.domain("DeliveryTable")],
    [
      machine("%s on %s"),
      machine("charges a delivery at most once, and keeps a charge exactly in the statuses after a hand-off")
    ],
    "0003-delivery-machine"
  ]
])

export const subscriptionStatus = section(4, "Contact subscription status", [
  [
    "A created contact is `subscribed`.",
    [at.domain("SubscriptionTable")],
    [subscription("%s on %s"), contacts("are created subscribed, with what was left out unset")]
  ],
  [
    "An update to `unsubscribed` stops email to the address.",
    [at.decide("contact")],
    [
      contacts("mirror the reason unsubscribed and no other"),
      refusals("have idempotency keys, contacts and suppressions of their own")
    ]
  ],
  [
    "It sends `contact.unsubscribed` when the status changes.",
    [at.decide("contact")],
    [contacts("emit contact.unsubscribed on a change, and only then")]
  ],
  [
    "An update to `subscribed` makes it so; whether an event is sent is not stated.",
    [at.domain("SubscriptionTable")],
    [contacts("emit contact.unsubscribed on a change, and only then")],
    "0012-contacts"
  ]
])

export const events = section(10, "Events", [
  [
    "`email.delivered` when a delivery is delivered.",
    [at.decide("movement")],
    [
      machine("emits on every arrival at a status that somebody may wait for, and on a delay"),
      sending("fails with quota_exceeded when the allowance is used up, and charges nothing")
    ]
  ],
  [
    "`email.bounced` when one bounces.",
    [at.decide("movement")],
    [handOffs("appends the event of its move in the same commit")]
  ],
  [
    "`email.failed` when one fails.",
    [at.decide("movement")],
    [sending("fails with quota_exceeded when the allowance is used up, and charges nothing")]
  ],
  [
    "`contact.unsubscribed` when an update changes a contact to unsubscribed.",
    [at.decide("contact")],
    [contacts("emit contact.unsubscribed on a change, and only then")]
  ],
  [
    "Payloads, registration, signing, retries and further events: not shown.",
    [at.domain("MailEvent"), at.domain("EventBody"), at.service("EventRelay"), at.service("Webhooks")],
    [
      relay("takes each event to each webhook that wants it, once, and to none that does not"),
      relay("tries again after each wait of the schedule, under one id, and gives up after ten tries"),
      verified("verifies under its secret, and under both while a rotation lasts"),
      wireWebhooks("show their secret when they are made and when it is rotated, and never again")
    ],
    "0028-webhooks"
  ]
])

export const logListing = section(5, "List deliveries", [
  ["`GET /api/v1/emails/logs` with `email.full_access`.", [at.api("Logs")], [refusals("%s %s needs a key with %s")]],
  [
    "`limit` is 1 to 100, 50 when left out.",
    [at.api("Parameters")],
    [wire("refuses %.30s"), wire("lists summaries with exactly their fields, and follows its cursor")]
  ],
  [
    "`cursor` is the previous `nextCursor`, at most 1,024 characters.",
    [at.api("Parameters"), at.domain("Cursor")],
    [
      wire("refuses %.30s"),
      log("refuses a cursor that was altered, of another project or of other filters; the limit may change")
    ]
  ],
  ["`status` is one of the statuses.", [at.api("Logs")], [wire("refuses %.30s"), log("is filtered by %s")]],
  ["`source` filters by sending source.", [at.domain("Paging")], [log("is filtered by %s")], "0011-delivery-log"],
  [
    "`recipient` filters by recipient; whether wholly or partly is not shown.",
    [at.handler("logs")],
    [wire("finds by the recipient as it is normalised, and takes an empty search for none")],
    "0011-delivery-log"
  ],
  [
    "`search` searches the log; whether wholly or partly is not shown.",
    [at.domain("Paging")],
    [log("is filtered by %s"), log("is searched by a whole delivery or message id")],
    "0011-delivery-log"
  ],
  ["`contactId` filters by contact.", [at.domain("Paging")], [log("finds a contact's deliveries")]],
  [
    "`templateId` filters by template.",
    [at.service("DeliveryLog")],
    [wireTemplates("are sent as published, whatever becomes of the draft, and the log says which")],
    "0027-templates"
  ],
  ["`startDate` and `endDate` bound the time.", [at.domain("Paging")], [log("is filtered by %s")], "0011-delivery-log"],
  [
    "The answer has `message` and `data` with `items`, `total`, `limit`, `hasMore`, `nextCursor`.",
    [at.api("Logs")],
    [wire("lists summaries with exactly their fields, and follows its cursor")]
  ],
  [
    "`nextCursor` is null on the last page.",
    [at.service("DeliveryLog")],
    [log("ends a full last page without a cursor, and knows the total only of a first page that is also the last")]
  ],
  [
    "A client walks by sending `nextCursor` unchanged while `hasMore`.",
    [at.service("DeliveryLog")],
    [
      log("is walked newest first in pages of %s, each delivery once, ties too"),
      log("shows rows that stood throughout a walk exactly once although others come")
    ]
  ],
  [
    "`total` may be null.",
    [at.service("DeliveryLog")],
    [log("ends a full last page without a cursor, and knows the total only of a first page that is also the last")],
    "0011-delivery-log"
  ],
  [
    "Filters stay unchanged along a cursor.",
    [at.domain("Cursor")],
    [log("refuses a cursor that was altered, of another project or of other filters; the limit may change")],
    "0011-delivery-log"
  ],
  [
    "Retrieving one delivery: shape not shown.",
    [at.api("Logs")],
    [wire("shows a delivery in full, bare"), log("shows one delivery in full, to its project alone")],
    "0017-delivery-detail"
  ]
])
