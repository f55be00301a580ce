/**
 * What the interface leaves open of scheduled messages and the log, as decided.
 */
import { at, dispatcher, instant, log, machine, refusals, sending, settled, wire, wireTemplates } from "./proofs.ts"

export const messages = settled(4, "Messages", [
  [
    "Cancel answers 200 with the message, its time and deliveries, and again the same.",
    [at.api("Messages")],
    [wire("is canceled, and again with the same answer")],
    "0008-cancel-and-reschedule"
  ],
  [
    "All or nothing: once a delivery has left `scheduled` it is 409; an unknown message is 404.",
    [at.decide("scheduledMessage")],
    [
      wire("that has left is a conflict; an unknown one is not found"),
      sending("is neither canceled nor rescheduled once a delivery has left"),
      sending("that was canceled is never handed over, however close the race")
    ],
    "0008-cancel-and-reschedule"
  ],
  [
    "Reschedule answers 200 with the new time, under the rules of a send.",
    [at.decide("scheduledMessage")],
    [wire("is rescheduled under the rules of a send"), sending("moves to another time and day")],
    "0008-cancel-and-reschedule"
  ]
])

export const logs = settled(5, "Logs", [
  [
    "Newest first; `recipient` is the whole address as it is normalised.",
    [at.service("DeliveryLog"), at.handler("logs")],
    [
      log("is walked newest first in pages of %s, each delivery once, ties too"),
      wire("finds by the recipient as it is normalised, and takes an empty search for none")
    ],
    "0011-delivery-log"
  ],
  [
    "`search` is a part of recipient or subject in any case, taken literally, or a whole delivery or message id.",
    [at.domain("Paging")],
    [log("is filtered by %s"), log("is searched by a whole delivery or message id")],
    "0011-delivery-log"
  ],
  [
    "A bare date in `startDate` and `endDate` is the start, or the end, of that day in UTC.",
    [at.domain("Instant"), at.api("Logs")],
    [
      instant("reads %s as the %s of its day, or as the time that it names"),
      wire("reads a bare date as the start, or the end, of that day in UTC, and an offset in any of its forms")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "An unknown source, and dates the wrong way round, are an empty page.",
    [at.domain("Paging")],
    [wire("is empty for filters that nothing matches"), log("is filtered by %s")],
    "0011-delivery-log"
  ],
  [
    "`total` is null, except on a first page that is also the last.",
    [at.service("DeliveryLog")],
    [log("ends a full last page without a cursor, and knows the total only of a first page that is also the last")],
    "0011-delivery-log"
  ],
  [
    "A cursor altered, of another project or of other filters is 400; the limit may change.",
    [at.domain("Cursor")],
    [
      log("refuses a cursor that was altered, of another project or of other filters; the limit may change"),
      refusals("cannot use each other's cursor")
    ],
    "0011-delivery-log"
  ],
  [
    "A delivery in full is the bare object, with its attempts, contact, domain, template and metadata.",
    [at.api("Logs"), at.server("views")],
    [
      wire("shows a delivery in full, bare"),
      wireTemplates("are sent as published, whatever becomes of the draft, and the log says which")
    ],
    "0017-delivery-detail"
  ],
  [
    "The reasons of a delivery are a closed list.",
    [at.domain("DeliveryTable")],
    [machine("has one row for a status, a reason and a trigger"), machine("%s on %s")],
    "0003-delivery-machine"
  ],
  [
    "What was due while nobody was at work goes once somebody is.",
    [at.service("Dispatcher")],
    [dispatcher("wakes when the next delivery is due")],
    "0006-hand-off"
  ]
])
