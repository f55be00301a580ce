/**
 * All clarifications of points that the interface leaves open, in the order of the interface.
 */
import { eventsAndWebhooks } from "./clarifiedEvents.ts"
import { logs, messages } from "./clarifiedLogs.ts"
import { contactRecords, domainsAndTemplates } from "./clarifiedRecords.ts"
import { keys, responses, sends } from "./clarifiedRequests.ts"
import type { Statement } from "./Statement.ts"

export const clarifications: ReadonlyArray<Statement> = [
  ...responses,
  ...keys,
  ...sends,
  ...messages,
  ...logs,
  ...contactRecords,
  ...domainsAndTemplates,
  ...eventsAndWebhooks
]
