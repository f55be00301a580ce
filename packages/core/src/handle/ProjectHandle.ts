/**
 * One project with promises: what an embedded project and a client over HTTP have in common. Source: decision 0047.
 */
import type {
  ContactsHandle,
  ListsHandle,
  PropertiesHandle,
  SegmentsHandle,
  SuppressionsHandle
} from "./ContactsHandle.ts"
import type { DeliveriesHandle } from "./DeliveriesHandle.ts"
import type { DomainsHandle } from "./DomainsHandle.ts"
import type { SendingHandle } from "./SendingHandle.ts"
import type { TemplatesHandle } from "./TemplatesHandle.ts"
import type { WebhooksHandle } from "./WebhooksHandle.ts"

/**
 * One project. An embedded project and a client over HTTP implement it, so that code with this parameter works with both. Each method rejects with
 * a failure of the core, such as `InvalidArgument`, which has a `kind` and `isRetryable`.
 */
export interface ProjectHandle extends SendingHandle {
  /** What happened to the mail of the project. */
  readonly deliveries: DeliveriesHandle
  /** The people to whom the project sends mail. */
  readonly contacts: ContactsHandle
  /** The lists of contacts. */
  readonly lists: ListsHandle
  /** The custom properties of contacts. */
  readonly properties: PropertiesHandle
  /** The stored filters of contacts. */
  readonly segments: SegmentsHandle
  /** The addresses that get no mail. */
  readonly suppressions: SuppressionsHandle
  /** The templates. */
  readonly templates: TemplatesHandle
  /** The sender domains. */
  readonly domains: DomainsHandle
  /** The webhooks. */
  readonly webhooks: WebhooksHandle
}
