/**
 * One record of each kind whose ids and names end in a given letter, for laws about ids that differ only in case.
 */
import type { Change, RecordRef } from "@mailkeep/core/adapter"
import { insert, put, spend } from "./changes.ts"
import type { Answers } from "./queries.ts"
import { projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

/** One record of each kind, whose ids and names end in `letter`. */
export const recordsOf = (letter: string) => ({
  project: sample.project({ id: `prj_${letter}` }),
  key: sample.apiKey({ id: `key_${letter}`, publicId: `public${letter}`, name: letter }),
  domain: sample.senderDomain({ id: `dom_${letter}`, domain: `${letter}.example`, verificationError: letter }),
  contact: sample.contact({
    id: `con_${letter}`,
    address: `${letter}@example.org`,
    userId: letter,
    listIds: [`lst_${letter}`]
  }),
  list: sample.resource({ id: `lst_${letter}`, name: `name ${letter}` }),
  child: sample.resource({ id: `lst_child_${letter}`, parent: `lst_${letter}`, name: "child" }),
  suppression: sample.suppression({ addressKey: `hash ${letter}`, address: `${letter}@example.org` }),
  idempotency: sample.idempotencyRecord({ key: `k${letter}`, fingerprint: letter }),
  message: sample.message({ id: `msg_${letter}`, subject: letter }),
  delivery: sample.delivery({
    id: `del_${letter}`,
    messageId: `msg_${letter}`,
    address: `${letter}@example.org`,
    contactId: `con_${letter}`,
    status: "sending"
  }),
  attempt: sample.attempt({ deliveryId: `del_${letter}`, statusMessage: letter }),
  event: sample.event({ id: `evt_${letter}` }),
  eventDelivery: sample.eventDelivery({ id: `evd_${letter}`, subscriber: `whk_${letter}` })
})

export type Records = ReturnType<typeof recordsOf>

const letterOf = ({ idempotency }: Records): string => idempotency.fingerprint

export const changesOf = (records: Records): ReadonlyArray<Change> => [
  put.setting(`s${letterOf(records)}`, letterOf(records)),
  put.project(records.project),
  put.apiKey(records.key),
  put.domain(records.domain),
  put.contact(records.contact),
  put.resource(records.list),
  put.resource(records.child),
  put.suppression(records.suppression),
  put.idempotency(records.idempotency),
  insert.message(records.message),
  insert.delivery(records.delivery),
  insert.attempt(records.attempt),
  spend(1, null, `list:s${letterOf(records)}`),
  insert.event(records.event),
  insert.eventDelivery(records.eventDelivery)
]

/** The records whose revision a change can expect. */
export const refsOf = ({ key, domain, suppression, list, contact }: Records): ReadonlyArray<RecordRef> => [
  { kind: "ApiKey", projectId, id: key.id },
  { kind: "Domain", projectId, domain: domain.domain },
  { kind: "Suppression", projectId, addressKey: suppression.addressKey },
  { kind: "Resource", projectId, id: list.id },
  { kind: "ContactAddress", projectId, address: contact.address }
]

const every = { after: null, limit: 9 } as const

/** Queries by each id and name of the records, each with its answer. */
export const expectedAnswers = (records: Records): Answers => {
  const { key, domain, list, child } = records
  const page = { page: 1, limit: 9 }
  const below = { projectId, kind: "list", parent: list.id } as const
  return [
    [{ _tag: "Setting", name: `s${letterOf(records)}` }, letterOf(records)],
    [{ _tag: "Counters", projectId, names: [`list:s${letterOf(records)}`] }, [1]],
    [{ _tag: "Project", id: records.project.id }, records.project],
    [{ _tag: "ApiKey", projectId, id: key.id }, key],
    [{ _tag: "ApiKeyByPublicId", publicId: key.publicId }, key],
    [{ _tag: "Domain", projectId, domain: domain.domain }, domain],
    [{ _tag: "DomainById", projectId, id: domain.id }, domain],
    [{ _tag: "Contact", projectId, id: records.contact.id }, records.contact],
    [{ _tag: "ContactsByAddress", projectId, addresses: [records.contact.address] }, [records.contact]],
    [{ _tag: "ContactPage", projectId, emailStatus: null, listId: list.id, skip: 0, ...every }, [records.contact]],
    [{ _tag: "Resource", projectId, id: list.id }, list],
    [{ _tag: "ResourceNamed", projectId, kind: "list", parent: "", name: list.name! }, list],
    [{ _tag: "ResourceNamed", ...below, name: "child" }, child],
    [{ _tag: "Resources", ...below, ...every }, [child]],
    [{ _tag: "ResourceCount", ...below }, 1],
    [
      { _tag: "ResourcePage", ...below, page },
      { items: [child], total: 1 }
    ],
    [{ _tag: "Suppressions", projectId, addressKeys: [records.suppression.addressKey] }, [records.suppression]],
    [{ _tag: "Idempotency", projectId, key: records.idempotency.key }, records.idempotency],
    [{ _tag: "Message", projectId, id: records.message.id }, records.message],
    [{ _tag: "Delivery", projectId, id: records.delivery.id }, records.delivery],
    [{ _tag: "DeliveriesOfMessage", projectId, messageId: records.message.id }, [records.delivery]],
    [{ _tag: "Attempts", projectId, deliveryId: records.delivery.id }, [records.attempt]],
    [{ _tag: "Event", projectId, id: records.event.id }, records.event],
    [{ _tag: "EventDelivery", projectId, id: records.eventDelivery.id }, records.eventDelivery],
    [
      { _tag: "EventDeliveryPage", projectId, subscriber: records.eventDelivery.subscriber, ...every },
      [records.eventDelivery]
    ]
  ]
}
