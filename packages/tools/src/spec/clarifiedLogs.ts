/**
 * Clarifications on scheduled messages and the delivery log.
 */
import {
  at,
  clarified,
  dispatcherRun,
  instant,
  log,
  machine,
  refusals,
  scheduledSending,
  wire,
  wireDeliveryLog,
  wireTemplateSends
} from "./proofs.ts"

export const messages = clarified(4, "Messages", [
  [
    "Cancel answers 200 with the message, its time and deliveries. A repeated cancel gets the same answer.",
    [at.api("Messages")],
    [wire("cancels a scheduled message, and repeats the same response for a second cancel")],
    "0008-cancel-and-reschedule"
  ],
  [
    "Cancel and reschedule apply to all deliveries or none: 409 when a delivery has left `scheduled`, 404 for an unknown message.",
    [at.decide("scheduledMessage")],
    [
      wire("answers 409 for a message that was sent and 404 for an unknown message"),
      scheduledSending("refuses to cancel or reschedule a message after the release of a delivery"),
      scheduledSending("hands over no canceled message when a cancel races the release")
    ],
    "0008-cancel-and-reschedule"
  ],
  [
    "Reschedule answers 200 with the new time and follows the rules of a send.",
    [at.decide("scheduledMessage")],
    [
      wire("reschedules a scheduled message under the rules of a send"),
      scheduledSending("reschedules a message to another time and day")
    ],
    "0008-cancel-and-reschedule"
  ]
])

export const logs = clarified(5, "Logs", [
  [
    "The log is sorted newest first; `recipient` is the whole normalised address.",
    [at.service("DeliveryLog"), at.handler("logs")],
    [
      log("lists each delivery once, newest first, in pages of %s, also with equal times"),
      wireDeliveryLog("finds deliveries by the normalized recipient, and ignores an empty search")
    ],
    "0011-delivery-log"
  ],
  [
    "`search` is a literal part of recipient or subject in any case, or a whole delivery or message id.",
    [at.domain("LogFilters")],
    [log("filters deliveries by %s"), log("finds deliveries by a complete delivery id or message id")],
    "0011-delivery-log"
  ],
  [
    "A bare date in `startDate` and `endDate` is the start, or the end, of that day in UTC.",
    [at.domain("Instant"), at.api("Logs")],
    [
      instant("parses %s as the %s of its day, or as its exact time"),
      wireDeliveryLog("reads a bare date as the start or the end of that day in UTC, and reads every form of an offset")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "An unknown source, or a start date after the end date, gives an empty page.",
    [at.domain("LogFilters")],
    [wireDeliveryLog("returns an empty list when no delivery matches the filters"), log("filters deliveries by %s")],
    "0011-delivery-log"
  ],
  [
    "`total` is null, except on a first page that is also the last.",
    ["packages/http/src/server/handlers/logs.ts"],
    [
      wireDeliveryLog("lists delivery summaries with exactly their fields, and follows the cursor"),
      wireDeliveryLog("returns an empty list when no delivery matches the filters")
    ],
    "0011-delivery-log"
  ],
  [
    "A cursor that was altered, or belongs to another project or other filters, is 400; the limit may change.",
    [at.domain("Cursor")],
    [
      log("refuses a cursor that is altered or of another project or filter, and allows another limit"),
      refusals("refuses the cursor of another project")
    ],
    "0011-delivery-log"
  ],
  [
    "The detail of a delivery is the bare object with its attempts, contact, domain, template and metadata.",
    [at.api("Logs"), at.server("deliveryViews")],
    [
      wireDeliveryLog("shows a delivery with all fields, without a data envelope"),
      wireTemplateSends("sends the published version of a template when the draft differs, and logs the template")
    ],
    "0017-delivery-detail"
  ],
  [
    "The reasons of a delivery are a closed list.",
    [at.domain("DeliveryTable")],
    [
      machine("has at most one row for each status, reason and trigger"),
      machine("decides the transition from %s on %s")
    ],
    "0003-delivery-machine"
  ],
  [
    "A delivery that becomes due while no dispatcher runs is sent when a dispatcher starts.",
    [at.service("Dispatcher")],
    [dispatcherRun("wakes when the next delivery is due")],
    "0006-hand-off"
  ]
])
