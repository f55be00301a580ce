/**
 * Statements on events and on the list of deliveries.
 */
import {
  at,
  contactStatus,
  eventRetries,
  eventSender,
  handOffs,
  log,
  machine,
  refusals,
  scheduledSending,
  section,
  verified,
  wireDeliveryLog,
  wireTemplateSends,
  wireWebhooks
} from "./proofs.ts"

export const events = section(10, "Events", [
  [
    "`email.delivered` is emitted when a delivery is delivered.",
    [at.decide("transition")],
    [
      machine("emits an event for every reported status and for a delay"),
      scheduledSending("fails a due delivery with quota_exceeded when the allowance is used up")
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
    [scheduledSending("fails a due delivery with quota_exceeded when the allowance is used up")]
  ],
  [
    "`contact.unsubscribed` is emitted when an update changes a contact to unsubscribed.",
    [at.decide("contact")],
    [contactStatus("emits contact.unsubscribed only when the status changes")]
  ],
  [
    "Payloads, registration, signing, retries and further events: not shown.",
    [at.domain("MailEvent"), at.domain("WebhookBody"), at.service("EventSender"), at.service("Webhooks")],
    [
      eventSender("sends each event once to each webhook that wants it, and to no other webhook"),
      eventRetries("retries an event delivery by its schedule under one id, and fails it after ten attempts"),
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
      wireDeliveryLog("refuses the log query %.30s"),
      wireDeliveryLog("lists delivery summaries with exactly their fields, and follows the cursor")
    ]
  ],
  [
    "`cursor` is the previous `nextCursor`, at most 1,024 characters.",
    [at.api("Parameters"), at.domain("Cursor")],
    [
      wireDeliveryLog("refuses the log query %.30s"),
      log("refuses a cursor that is altered or of another project or filter, and allows another limit")
    ]
  ],
  [
    "`status` is one of the statuses.",
    [at.api("Logs")],
    [wireDeliveryLog("refuses the log query %.30s"), log("filters deliveries by %s")]
  ],
  [
    "`source` filters by sending source.",
    [at.domain("LogFilters")],
    [log("filters deliveries by %s")],
    "0011-delivery-log"
  ],
  [
    "`recipient` filters by recipient; whole or partial match is not shown.",
    [at.handler("logs")],
    [wireDeliveryLog("finds deliveries by the normalized recipient, and ignores an empty search")],
    "0011-delivery-log"
  ],
  [
    "`search` searches the log; whole or partial match is not shown.",
    [at.domain("LogFilters")],
    [log("filters deliveries by %s"), log("finds deliveries by a complete delivery id or message id")],
    "0011-delivery-log"
  ],
  ["`contactId` filters by contact.", [at.domain("LogFilters")], [log("finds the deliveries of a contact")]],
  [
    "`templateId` filters by template.",
    [at.service("DeliveryLog")],
    [wireTemplateSends("sends the published version of a template when the draft differs, and logs the template")],
    "0027-templates"
  ],
  [
    "`startDate` and `endDate` limit the time range.",
    [at.domain("LogFilters")],
    [log("filters deliveries by %s")],
    "0011-delivery-log"
  ],
  [
    "The answer has `message` and `data` with `items`, `total`, `limit`, `hasMore`, `nextCursor`.",
    [at.api("Logs")],
    [wireDeliveryLog("lists delivery summaries with exactly their fields, and follows the cursor")]
  ],
  ["`nextCursor` is null on the last page.", [at.service("DeliveryLog")], [log("returns no cursor for the last page")]],
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
    ["packages/http/src/server/handlers/logs.ts"],
    [wireDeliveryLog("lists delivery summaries with exactly their fields, and follows the cursor")],
    "0011-delivery-log"
  ],
  [
    "The filters must not change while a cursor is used.",
    [at.domain("Cursor")],
    [log("refuses a cursor that is altered or of another project or filter, and allows another limit")],
    "0011-delivery-log"
  ],
  [
    "Retrieving one delivery: shape not shown.",
    [at.api("Logs")],
    [
      wireDeliveryLog("shows a delivery with all fields, without a data envelope"),
      log("shows a complete delivery only to its own project")
    ],
    "0017-delivery-detail"
  ]
])
