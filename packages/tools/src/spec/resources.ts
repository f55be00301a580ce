/**
 * Statements on the service, on resources and their fields, and on the statuses of deliveries and contacts.
 */
import {
  address,
  at,
  contactRequest,
  contacts,
  contactStatus,
  dispatcherRun,
  emailStatus,
  everyResponse,
  machine,
  refusals,
  scheduledSending,
  section,
  sending,
  sendingLimits,
  sendRequest,
  wire,
  wireContacts,
  wireDeliveryLog,
  wireDomains,
  wireGroups,
  wireTemplates
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
    [at.api("Messages"), at.server("deliveryViews")],
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
    [at.server("deliveryViews")],
    [wire("shows the scheduled time %s in UTC")]
  ],
  [
    "A delivery summary has `id`, `created_at`, `recipient`, `subject`, `status` and `scheduled_at`.",
    [at.api("Logs")],
    [wireDeliveryLog("lists delivery summaries with exactly their fields, and follows the cursor")]
  ],
  [
    "Fields of a delivery beyond the summary: not shown.",
    [at.api("Logs")],
    [wireDeliveryLog("shows a delivery with all fields, without a data envelope")],
    "0017-delivery-detail"
  ],
  [
    "A contact's id begins with `con_`.",
    [at.domain("Id")],
    [wireContacts("returns created and updated contacts in one shape, and listed contacts in another")],
    "0020-ids-and-order"
  ],
  [
    "Create and update answer with the fields of the list, and `user_id`, `source` and `updated_at`.",
    [at.api("Contacts")],
    [wireContacts("returns created and updated contacts in one shape, and listed contacts in another")]
  ],
  [
    "A list item has only `id`, `email`, names, `phone_number`, `email_status` and `created_at`.",
    [at.api("Contacts")],
    [wireContacts("returns created and updated contacts in one shape, and listed contacts in another")]
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
  [
    "A delivery has one of ten statuses.",
    [at.domain("DeliveryStatus")],
    [machine("has a row that leads to each status")]
  ],
  [
    "A send with `scheduledAt` creates `scheduled` deliveries.",
    [at.domain("DeliveryTable")],
    [
      machine("decides the transition from %s on %s"),
      scheduledSending("charges and sends a scheduled delivery when it is due")
    ]
  ],
  [
    "A scheduled delivery is sent within about a minute of its time.",
    [at.service("Dispatcher")],
    [
      dispatcherRun("wakes when the next delivery is due"),
      scheduledSending("sends no delivery before its scheduled time")
    ]
  ],
  [
    "A delivery that is due without remaining allowance is `failed` with `quota_exceeded`, and nothing is charged.",
    [at.decide("queueDue")],
    [scheduledSending("fails a due delivery with quota_exceeded when the allowance is used up")]
  ],
  [
    "A due delivery whose recipient became suppressed is not sent and not charged; the status is not shown.",
    [at.decide("queueDue")],
    [scheduledSending("suppresses a due delivery when its recipient was suppressed meanwhile")],
    "0004-suppressed-recipients"
  ],
  [
    "A due delivery whose API key was revoked is not sent and not charged; the status is not shown.",
    [at.decide("queueDue")],
    [scheduledSending("fails a due delivery when its API key was revoked, but not when the key expired")],
    "0004-suppressed-recipients"
  ],
  [
    "Canceling uses `messageId`; the resulting status is not shown.",
    [at.decide("scheduledMessage")],
    [scheduledSending("cancels a whole message, and returns the same answer again")],
    "0008-cancel-and-reschedule"
  ],
  [
    "Rescheduling uses `messageId`; the resulting status is not shown.",
    [at.decide("scheduledMessage")],
    [scheduledSending("reschedules a message to another time and day")],
    "0008-cancel-and-reschedule"
  ],
  [
    "A scheduled send uses the allowance when it is sent.",
    [at.domain("DeliveryTable")],
    [
      scheduledSending("charges and sends a scheduled delivery when it is due"),
      sendingLimits("refuses an immediate send over the allowance, and accepts a scheduled send")
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
    [at.domain("EmailStatusTable")],
    [
      emailStatus("moves an email status from %s on %s"),
      contacts("creates a contact as subscribed, with omitted fields unset")
    ]
  ],
  [
    "An update to `unsubscribed` stops email to the address.",
    [at.decide("contact")],
    [
      contactStatus("sets the status unsubscribed only for the reason unsubscribed"),
      refusals("keeps the idempotency keys, contacts and suppressions of each project separate")
    ]
  ],
  [
    "A change to `unsubscribed` emits `contact.unsubscribed`.",
    [at.decide("contact")],
    [contactStatus("emits contact.unsubscribed only when the status changes")]
  ],
  [
    "An update to `subscribed` changes the status; whether an event is emitted is not shown.",
    [at.domain("EmailStatusTable")],
    [contactStatus("emits contact.unsubscribed only when the status changes")],
    "0012-contacts"
  ]
])
