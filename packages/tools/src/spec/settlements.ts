/**
 * All points that the interface leaves open and we settled, in its order.
 */
import { keys, logs, messages, responses, sends } from "./settledRequests.ts"
import { contactRecords, domainsAndTemplates, eventsAndWebhooks } from "./settledRecords.ts"
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
