/**
 * All clarifications of points that the specification leaves open, in the order of the specification.
 */
import { eventsAndWebhooks } from "./clarifiedEvents.ts"
import { extensions } from "./clarifiedExtensions.ts"
import { logs, messages } from "./clarifiedLogs.ts"
import { contactRecords } from "./clarifiedContacts.ts"
import { domainsAndTemplates } from "./clarifiedDomainsAndTemplates.ts"
import { keys, responses } from "./clarifiedRequests.ts"
import { sends } from "./clarifiedSends.ts"
import type { Statement } from "./Statement.ts"

export const clarifications: ReadonlyArray<Statement> = [
  ...responses,
  ...keys,
  ...sends,
  ...messages,
  ...logs,
  ...contactRecords,
  ...domainsAndTemplates,
  ...eventsAndWebhooks,
  ...extensions
]
