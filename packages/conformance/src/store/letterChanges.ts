/**
 * Changes of the records whose ids and names end in a given letter.
 */
import type { Change } from "@mailkeep/core/adapter"
import { deliveryState, eventDeliveryState } from "@mailkeep/core/adapter"
import {
  distributeEvent,
  expectRevision,
  extendIdempotency,
  finalizing,
  transition,
  put,
  remove,
  spend,
  touchApiKey
} from "./changes.ts"
import { recordsOf, refsOf } from "./letterRecords.ts"
import { noon } from "./sampleIds.ts"

/** Changes of the records with the other case in their ids, which do not exist. Each has its result. */
export const changesOfMissing = (letter: string): ReadonlyArray<readonly [Change, string]> => {
  const records = recordsOf(letter)
  const { delivery, domain, eventDelivery } = records
  const sending = { ...deliveryState(delivery), statusMessage: "changed" }
  return [
    ...refsOf(records).map((record) => [expectRevision(record, null), "applied"] as const),
    [put.project(records.project, 1), "NotFound"],
    [put.apiKey(records.key, 1), "NotFound"],
    [touchApiKey(records.key.id, noon), "applied"],
    [put.domain(domain, 1), "NotFound"],
    [remove.domain(domain.domain, 1), "NotFound"],
    [put.resource(records.list, 1), "NotFound"],
    [remove.resource(records.list.id, 1), "NotFound"],
    [put.contact(records.contact, 1), "NotFound"],
    [remove.contact(records.contact.id, 1), "NotFound"],
    [put.suppression(records.suppression, 1), "NotFound"],
    [extendIdempotency(records.idempotency.key, noon + 9), "applied"],
    [transition.attempt(delivery.id, 1, "started", 0, finalizing), "NotFound"],
    [transition.delivery(delivery.id, "sending", 0, sending), "NotFound"],
    [spend(3, 3, `list:s${letter}`), "applied"],
    [spend(1, null, `list:s${letter}`), "applied"],
    [distributeEvent(records.event.id), "NotFound"],
    [
      transition.eventDelivery(eventDelivery.id, "pending", 0, {
        ...eventDeliveryState(eventDelivery),
        attemptCount: 9
      }),
      "NotFound"
    ]
  ]
}

/** Changes of existing records, each of which applies. */
export const changesOfExisting = (letter: string): ReadonlyArray<Change> => {
  const records = recordsOf(letter)
  const { delivery, domain, eventDelivery } = records
  return [
    ...refsOf(records).map((record) => expectRevision(record, 1)),
    put.project({ ...records.project, onAmbiguous: "fail", revision: 2 }, 1),
    put.apiKey({ ...records.key, name: "changed", revision: 2 }, 1),
    touchApiKey(records.key.id, noon),
    put.domain({ ...domain, verificationError: "changed", revision: 2 }, 1),
    remove.domain(domain.domain, 2),
    put.resource({ ...records.list, name: `changed ${letter}`, revision: 2 }, 1),
    remove.resource(records.list.id, 2),
    put.contact({ ...records.contact, lastName: "Changed", listIds: ["lst_other"], revision: 2 }, 1),
    remove.contact(records.contact.id, 2),
    put.suppression({ ...records.suppression, reasons: {}, revision: 2 }, 1),
    extendIdempotency(records.idempotency.key, noon + 9),
    put.idempotency({ ...records.idempotency, fingerprint: "changed" }, noon + 9),
    transition.attempt(delivery.id, 1, "started", 0, finalizing),
    transition.delivery(delivery.id, "sending", 0, { ...deliveryState(delivery), statusMessage: "changed" }),
    spend(1, 9, `list:s${letter}`),
    spend(1, null, `list:s${letter}`),
    distributeEvent(records.event.id),
    transition.eventDelivery(eventDelivery.id, "pending", 0, { ...eventDeliveryState(eventDelivery), attemptCount: 9 })
  ]
}
