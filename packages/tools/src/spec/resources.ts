/**
 * Statements of the interface on the service as a whole, its resources and their statuses.
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
      everyResponse("serves an OpenAPI document with every path"),
      wire("answers 202 with the message and its deliveries, under data and nothing else")
    ]
  ],
  [
    "A send requires a verified sender domain.",
    [at.decide("acceptSend")],
    [sending("refuses a sender domain that is unknown or not verified")]
  ],
  [
    "A message has one delivery for each recipient.",
    [at.decide("acceptSend")],
    [
      sending("records one delivery for each recipient, in the order to, cc, bcc"),
      sending("creates one delivery for an address that is given twice")
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
    [sending("refuses a scheduled time %s ms ahead with %s")]
  ],
  [
    "Contacts belong to the API key's project, and an address is unique in the project.",
    [at.decide("contact")],
    [
      contacts("refuses a second contact with the same address in a project, in any notation"),
      contacts("creates one contact when 100 creates with one address run at once")
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
    "`messageId` identifies a scheduled message for rescheduling and canceling.",
    [at.service("Sending")],
    [
      wire("cancels a scheduled message, and repeats the same response for a second cancel"),
      wire("reschedules a scheduled message under the rules of a send")
    ]
  ],
  [
    "`totalQueued` counts the queued and scheduled deliveries.",
    [at.decide("acceptSend")],
    [sending("records a delivery for a suppressed recipient, and does not count it")],
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
    [wire("lists delivery summaries with exactly their fields, and follows the cursor")]
  ],
  [
    "Fields of a delivery beyond the summary: not shown.",
    [at.api("Logs")],
    [wire("shows a delivery with all fields, without a data envelope")],
    "0017-delivery-detail"
  ],
  [
    "A contact's id begins with `con_`.",
    [at.domain("Id")],
    [wire("returns created and updated contacts in one shape, and listed contacts in another")],
    "0020-ids-and-order"
  ],
  [
    "Create and update answer with the fields of the list, and `user_id`, `source` and `updated_at`.",
    [at.api("Contacts")],
    [wire("returns created and updated contacts in one shape, and listed contacts in another")]
  ],
  [
    "A list item has only `id`, `email`, names, `phone_number`, `email_status` and `created_at`.",
    [at.api("Contacts")],
    [wire("returns created and updated contacts in one shape, and listed contacts in another")]
  ],
  [
    "`phone_number` and `user_id` may be null.",
    [at.domain("Contact")],
    [contacts("creates a contact as subscribed, with omitted fields unset")]
  ],
  [
    "`source` shows how the contact was created, such as `manual`.",
    [at.domain("Contact")],
    [contacts("creates a contact as subscribed, with omitted fields unset")]
  ],
  [
    "Custom property values are set through `properties`.",
    [at.domain("ContactRequest"), at.decide("contactProperties")],
    [wireGroups("shows a contact in full with its properties by key and its suppression reason")],
    "0025-properties"
  ],
  [
    "Fields of the domain record: not shown.",
    [at.api("Domains")],
    [
      wire("lists domains by page"),
      wireDomains("verifies a domain when its DNS records are published, and fails it when a record is missing")
    ],
    "0013-domains"
  ],
  [
    "Fields of templates: not shown.",
    [at.api("Templates")],
    [wireTemplates("creates a template as a draft with version 1")],
    "0027-templates"
  ],
  [
    "Fields of properties: not shown.",
    [at.api("ContactGroups")],
    [wireGroups("lists properties under data, changes them and deletes them")],
    "0025-properties"
  ],
  [
    "Formats and lengths of email, names and phone number, and the content of metadata: not shown.",
    [at.domain("TextRule"), at.domain("SendRequest"), at.domain("ContactRequest")],
    [
      sendRequest("refuses a send with %s"),
      contactRequest("validates a new contact with %s"),
      address("refuses the address %j")
    ],
    "0021-field-limits"
  ]
])

export const deliveryStatus = section(3, "Delivery status", [
  ["A delivery has one of ten statuses.", [at.domain("DeliveryTable")], [machine("reaches every status")]],
  [
    "A send with `scheduledAt` creates `scheduled` deliveries.",
    [at.domain("DeliveryTable")],
    [machine("decides the transition from %s on %s"), sending("charges and sends a scheduled delivery when it is due")]
  ],
  [
    "A scheduled delivery is sent within about a minute of its time.",
    [at.service("Dispatcher")],
    [dispatcher("wakes when the next delivery is due"), sending("sends no delivery before its scheduled time")]
  ],
  [
    "A delivery that is due without remaining allowance is `failed` with `quota_exceeded`, and nothing is charged.",
    [at.decide("queueDue")],
    [sending("fails a due delivery with quota_exceeded when the allowance is used up")]
  ],
  [
    "A due delivery whose recipient became suppressed is not sent and not charged; the status is not shown.",
    [at.decide("queueDue")],
    [sending("suppresses a due delivery when its recipient was suppressed meanwhile")],
    "0004-suppressed-recipients"
  ],
  [
    "A due delivery whose API key was revoked is not sent and not charged; the status is not shown.",
    [at.decide("queueDue")],
    [sending("fails a due delivery when its API key was revoked, but not when the key expired")],
    "0004-suppressed-recipients"
  ],
  [
    "Canceling uses `messageId`; the resulting status is not shown.",
    [at.decide("scheduledMessage")],
    [sending("cancels a whole message, and returns the same answer again")],
    "0008-cancel-and-reschedule"
  ],
  [
    "Rescheduling uses `messageId`; the resulting status is not shown.",
    [at.decide("scheduledMessage")],
    [sending("reschedules a message to another time and day")],
    "0008-cancel-and-reschedule"
  ],
  [
    "A scheduled send uses the allowance when it is sent.",
    [at.domain("DeliveryTable")],
    [
      sending("charges and sends a scheduled delivery when it is due"),
      sending("refuses an immediate send over the allowance, and accepts a scheduled send")
    ],
    "0015-limits"
  ],
  [
    "The initial status of an immediate send and all other transitions: not shown.",
    [at.domain("DeliveryTable")],
    [
      machine("decides the transition from %s on %s"),
      machine("charges a delivery at most once, exactly in the statuses that count as usage")
    ],
    "0003-delivery-machine"
  ]
])

export const subscriptionStatus = section(4, "Contact subscription status", [
  [
    "A created contact is `subscribed`.",
    [at.domain("SubscriptionTable")],
    [
      subscription("moves a subscription from %s on %s"),
      contacts("creates a contact as subscribed, with omitted fields unset")
    ]
  ],
  [
    "An update to `unsubscribed` stops email to the address.",
    [at.decide("contact")],
    [
      contacts("sets the status unsubscribed only for the reason unsubscribed"),
      refusals("keeps the idempotency keys, contacts and suppressions of each project separate")
    ]
  ],
  [
    "A change to `unsubscribed` emits `contact.unsubscribed`.",
    [at.decide("contact")],
    [contacts("emits contact.unsubscribed only when the status changes")]
  ],
  [
    "An update to `subscribed` changes the status; whether an event is emitted is not shown.",
    [at.domain("SubscriptionTable")],
    [contacts("emits contact.unsubscribed only when the status changes")],
    "0012-contacts"
  ]
])

export const events = section(10, "Events", [
  [
    "`email.delivered` is emitted when a delivery is delivered.",
    [at.decide("transition")],
    [
      machine("emits an event for every reported status and for a delay"),
      sending("fails a due delivery with quota_exceeded when the allowance is used up")
    ]
  ],
  [
    "`email.bounced` is emitted when a delivery bounces.",
    [at.decide("transition")],
    [handOffs("appends the event in the commit of its transition")]
  ],
  [
    "`email.failed` is emitted when a delivery fails.",
    [at.decide("transition")],
    [sending("fails a due delivery with quota_exceeded when the allowance is used up")]
  ],
  [
    "`contact.unsubscribed` is emitted when an update changes a contact to unsubscribed.",
    [at.decide("contact")],
    [contacts("emits contact.unsubscribed only when the status changes")]
  ],
  [
    "Payloads, registration, signing, retries and further events: not shown.",
    [at.domain("MailEvent"), at.domain("EventBody"), at.service("EventSender"), at.service("Webhooks")],
    [
      relay("sends each event once to each webhook that wants it, and to no other webhook"),
      relay("retries an event delivery by its schedule under one id, and fails it after ten attempts"),
      verified("verifies an event delivery with its secret, and with both secrets during a rotation"),
      wireWebhooks("shows the secret of a webhook only when it creates the webhook or rotates the secret")
    ],
    "0028-webhooks"
  ]
])

export const logListing = section(5, "List deliveries", [
  [
    "`GET /api/v1/emails/logs` with `email.full_access`.",
    [at.api("Logs")],
    [refusals("%s %s requires an API key with %s")]
  ],
  [
    "`limit` is 1 to 100, and 50 when omitted.",
    [at.api("Parameters")],
    [
      wire("refuses the log query %.30s"),
      wire("lists delivery summaries with exactly their fields, and follows the cursor")
    ]
  ],
  [
    "`cursor` is the previous `nextCursor`, at most 1,024 characters.",
    [at.api("Parameters"), at.domain("Cursor")],
    [
      wire("refuses the log query %.30s"),
      log("refuses a cursor that is altered or of another project or filter, and accepts another limit")
    ]
  ],
  [
    "`status` is one of the statuses.",
    [at.api("Logs")],
    [wire("refuses the log query %.30s"), log("filters deliveries by %s")]
  ],
  [
    "`source` filters by sending source.",
    [at.domain("Paging")],
    [log("filters deliveries by %s")],
    "0011-delivery-log"
  ],
  [
    "`recipient` filters by recipient; whole or partial match is not shown.",
    [at.handler("logs")],
    [wire("finds deliveries by the normalized recipient, and ignores an empty search")],
    "0011-delivery-log"
  ],
  [
    "`search` searches the log; whole or partial match is not shown.",
    [at.domain("Paging")],
    [log("filters deliveries by %s"), log("finds deliveries by a complete delivery id or message id")],
    "0011-delivery-log"
  ],
  ["`contactId` filters by contact.", [at.domain("Paging")], [log("finds the deliveries of a contact")]],
  [
    "`templateId` filters by template.",
    [at.service("DeliveryLog")],
    [wireTemplates("sends the published version of a template when the draft differs, and logs the template")],
    "0027-templates"
  ],
  [
    "`startDate` and `endDate` limit the time range.",
    [at.domain("Paging")],
    [log("filters deliveries by %s")],
    "0011-delivery-log"
  ],
  [
    "The answer has `message` and `data` with `items`, `total`, `limit`, `hasMore`, `nextCursor`.",
    [at.api("Logs")],
    [wire("lists delivery summaries with exactly their fields, and follows the cursor")]
  ],
  [
    "`nextCursor` is null on the last page.",
    [at.service("DeliveryLog")],
    [log("returns no cursor for the last page, and a total only for a single page")]
  ],
  [
    "A client reads all pages by sending `nextCursor` unchanged while `hasMore` is true.",
    [at.service("DeliveryLog")],
    [
      log("lists each delivery once, newest first, in pages of %s, also with equal times"),
      log("lists existing deliveries exactly once while new deliveries arrive")
    ]
  ],
  [
    "`total` may be null.",
    [at.service("DeliveryLog")],
    [log("returns no cursor for the last page, and a total only for a single page")],
    "0011-delivery-log"
  ],
  [
    "The filters must not change while a cursor is used.",
    [at.domain("Cursor")],
    [log("refuses a cursor that is altered or of another project or filter, and accepts another limit")],
    "0011-delivery-log"
  ],
  [
    "Retrieving one delivery: shape not shown.",
    [at.api("Logs")],
    [
      wire("shows a delivery with all fields, without a data envelope"),
      log("shows a complete delivery only to its own project")
    ],
    "0017-delivery-detail"
  ]
])
