/**
 * The endpoints over the services: they decode the body, call the use case and show the record. They contain no rules.
 */
import { Layer } from "effect"
import { lists, properties, segments } from "./handlers/contactGroups.ts"
import { contacts } from "./handlers/contacts.ts"
import { domains } from "./handlers/domains.ts"
import { logs } from "./handlers/logs.ts"
import { messages } from "./handlers/messages.ts"
import { suppressions } from "./handlers/suppressions.ts"
import { templates } from "./handlers/templates.ts"
import { webhooks } from "./handlers/webhooks.ts"

export const layer = Layer.mergeAll(
  messages,
  logs,
  contacts,
  properties,
  lists,
  segments,
  suppressions,
  templates,
  webhooks,
  domains
)
