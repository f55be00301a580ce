/**
 * The tables of the store. The core has the fields of each record.
 */
import type {
  ApiKeyRecord,
  Attempt,
  ContactRecord,
  Counter,
  Delivery,
  EventDelivery,
  EventRecord,
  IdempotencyRecord,
  Message,
  ProjectRecord,
  Resource,
  SenderDomainRecord,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import { recordFields, searchedTexts } from "@mailkeep/core/adapter/evaluation"
import { foldedOf } from "./read/folding.ts"
import { searchKeysOf } from "./read/searchKeys.ts"
import { recordTable } from "./recordTable.ts"

export const projects = recordTable<ProjectRecord>("projects", recordFields.Project)
export const apiKeys = recordTable<ApiKeyRecord>("api_keys", recordFields.ApiKey)
export const domains = recordTable<SenderDomainRecord>("domains", recordFields.Domain)
export const resources = recordTable<Resource>("resources", recordFields.Resource)
export const contacts = recordTable<ContactRecord>("contacts", recordFields.Contact)

/** A contact with the columns of its search. */
export interface StoredContact extends ContactRecord {
  readonly searchEmail: string
  readonly searchName: string
  readonly searchKeys: ReadonlyArray<number>
}

export const storedContacts = recordTable<StoredContact>("contacts", {
  ...recordFields.Contact,
  searchEmail: "text",
  searchName: "text",
  searchKeys: "integers"
})

export const contactRow = (contact: ContactRecord): StoredContact => {
  const [searchEmail, searchName] = searchedTexts(contact)
  return { ...contact, searchEmail, searchName, searchKeys: searchKeysOf(contact) }
}

export const suppressions = recordTable<SuppressionRecord>("suppressions", recordFields.Suppression)
export const idempotency = recordTable<IdempotencyRecord>("idempotency", recordFields.Idempotency)
export const messages = recordTable<Message>("messages", recordFields.Message)

/** A message with its folded subject. */
export interface StoredMessage extends Message {
  readonly subjectFolded: string | null
}

export const storedMessages = recordTable<StoredMessage>("messages", { ...recordFields.Message, subjectFolded: "text" })

export const messageRow = (message: Message): StoredMessage => ({
  ...message,
  subjectFolded: foldedOf(message.subject)
})

export const deliveries = recordTable<Delivery>("deliveries", recordFields.Delivery)

/** A delivery with its folded recipient. */
export interface StoredDelivery extends Delivery {
  readonly recipientFolded: string | null
}

export const storedDeliveries = recordTable<StoredDelivery>("deliveries", {
  ...recordFields.Delivery,
  recipientFolded: "text"
})

export const deliveryRow = (delivery: Delivery): StoredDelivery => ({
  ...delivery,
  recipientFolded: foldedOf(delivery.recipient)
})

export const attempts = recordTable<Attempt>("attempts", recordFields.Attempt)
export const eventDeliveries = recordTable<EventDelivery>("event_deliveries", recordFields.EventDelivery)
export const counters = recordTable<Counter>("counters", recordFields.Counter)
export const events = recordTable<EventRecord>("events", recordFields.Event)
