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
import { recordFields } from "@mailkeep/core/adapter/evaluation"
import { recordTable } from "./recordTable.ts"

export const projects = recordTable<ProjectRecord>("mailkeep_projects", recordFields.Project)
export const apiKeys = recordTable<ApiKeyRecord>("mailkeep_api_keys", recordFields.ApiKey)
export const domains = recordTable<SenderDomainRecord>("mailkeep_domains", recordFields.Domain)
export const resources = recordTable<Resource>("mailkeep_resources", recordFields.Resource)
export const contacts = recordTable<ContactRecord>("mailkeep_contacts", recordFields.Contact)

/** The columns of a contact's row that are not in its record. `schema/contactTexts.ts` explains them. */
export interface ContactRowColumns {
  readonly rowId: number
  readonly createdAtMax: number
}

export const contactRows = recordTable<ContactRecord & ContactRowColumns>("mailkeep_contacts", {
  rowId: "integer",
  createdAtMax: "integer",
  ...recordFields.Contact
})

export const suppressions = recordTable<SuppressionRecord>("mailkeep_suppressions", recordFields.Suppression)
export const idempotency = recordTable<IdempotencyRecord>("mailkeep_idempotency", recordFields.Idempotency)
export const messages = recordTable<Message>("mailkeep_messages", recordFields.Message)
export const deliveries = recordTable<Delivery>("mailkeep_deliveries", recordFields.Delivery)

const { projectId: _, ...attemptFields } = recordFields.Attempt

/** The project of an attempt is that of its delivery. */
export const attempts = recordTable<Omit<Attempt, "projectId">>("mailkeep_attempts", attemptFields)

export const eventDeliveries = recordTable<EventDelivery>("mailkeep_event_deliveries", recordFields.EventDelivery)
export const counters = recordTable<Counter>("mailkeep_counters", recordFields.Counter)
export const events = recordTable<EventRecord>("mailkeep_events", recordFields.Event)
