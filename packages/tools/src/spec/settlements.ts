/**
 * All points that the interface leaves open and we settled, in its order.
 */
import { eventsAndWebhooks } from "./settledEvents.ts"
import { logs, messages } from "./settledLogs.ts"
import { contactRecords, domainsAndTemplates } from "./settledRecords.ts"
import { keys, responses, sends } from "./settledRequests.ts"
import type { Statement } from "./Statement.ts"

export const settlements: ReadonlyArray<Statement> = [
  ...responses,
  ...keys,
  ...sends,
  ...messages,
  ...logs,
  ...contactRecords,
  ...domainsAndTemplates,
  ...eventsAndWebhooks
]
