/**
 * The options of `openMail`.
 */
import type {
  CreateDomainInput,
  DispatcherOptions,
  EventSenderOptions,
  HandOffOptions,
  HealthOptions,
  MailHost,
  MailStore,
  Plan,
  ProjectId,
  RetentionOptions,
  Transport,
  UnsubscribeOptions,
  WebhooksOptions
} from "@mailkeep/core"
import type { Layer } from "effect"
import type { StoreAdapter, TransportAdapter } from "./adapters.ts"
import type { LogEntry } from "./logging.ts"
import type { OptionalFields } from "./OptionalFields.ts"
import type { OutboxSource } from "./outbox/OutboxSource.ts"

/** How to open the mail of a product. Only `store` and `transport` are required. */
export interface MailOptions {
  /** Where everything is kept: `sqlite(filename)`, `memory()`, or the layer of another store. */
  readonly store: StoreAdapter | Layer.Layer<MailStore, unknown>
  /** How mail leaves: `smtp(url)`, `stub()`, or the layer of another transport. */
  readonly transport: TransportAdapter | Layer.Layer<Transport, unknown>
  /**
   * The sender domains of the default project, created when the mail opens. A name alone means that the domain is yours: it is verified manually,
   * without DNS. The relay may sign its mail; Mailkeep does not. `{ domain }` needs its DNS records before it can send, and signs its mail with DKIM.
   */
  readonly domains?: ReadonlyArray<string | CreateDomainInput> | undefined
  /** The default sender of the default project, such as `Acme <hi@acme.example>`. Without it, each send needs `from`. */
  readonly from?: string | undefined
  /** The id of the default project. Default: `default`. */
  readonly projectId?: ProjectId | undefined
  /**
   * The limits of every project, or a function that returns the limits of one. The function should read from memory, because it is called often: for
   * each send, reschedule and created contact, and for each scheduled delivery that is due. It is also called for each batch of an import, for `usage`,
   * and for each request that a rate limit counts. A send can call it more than once. It must not call such a method of the same project, because the
   * method would call it again without an end. After 10 s without an answer, the call fails with `StoreUnavailable`, and a scheduled delivery is tried
   * again later. Default: no limits.
   */
  readonly plan?:
    | OptionalFields<Plan>
    | ((projectId: ProjectId) => OptionalFields<Plan> | PromiseLike<OptionalFields<Plan>>)
    | undefined
  /**
   * Whether this process hands mail over, delivers events and checks domains, from when the mail opens until it closes. Default: `true`. With
   * `false`, call `tick`, or let another process do the work.
   */
  readonly background?: boolean | undefined
  /**
   * The secret from which keys are derived. They encrypt DKIM keys and webhook secrets, and sign cursors, return paths and unsubscribe links. It has
   * at least 32 characters and is always the same for a store. With another master secret, the opening rejects with `MasterSecretRefused`. Default: a
   * secret that the store keeps itself.
   */
  readonly masterSecret?: string | undefined
  /** The rules for URLs of webhooks. Default: `https` on public addresses only. */
  readonly webhooks?: OptionalFields<WebhooksOptions> | undefined
  /** Where the links of `List-Unsubscribe` point. Needed for the option `listUnsubscribe` of a send. */
  readonly unsubscribe?: OptionalFields<UnsubscribeOptions> | undefined
  /** The mail host in the DNS records of sender domains, such as `mail.acme.example`. Needed for domains that DNS verifies. */
  readonly mailHost?: string | MailHost | undefined
  /** Name servers for the checks of domains, such as `127.0.0.1:5353`. Default: the name servers of the system. */
  readonly nameServers?: ReadonlyArray<string> | undefined
  /** The folder whose files a send may attach by `path`. Default: none, so that only files with `content` are attached. */
  readonly attachmentFolder?: string | undefined
  /** How long records are kept. `dispatcher.retention` replaces all of its fields. */
  readonly retention?: RetentionOptions | undefined
  /** The outbox table of the product. With `background`, it is drained each second. Default: none. */
  readonly outbox?: OutboxSource | undefined
  /** Limits and times of the dispatcher. */
  readonly dispatcher?: OptionalFields<DispatcherOptions> | undefined
  /** Deadlines and retries of hand-offs. */
  readonly handOff?: OptionalFields<HandOffOptions> | undefined
  /** Limits and times of the event sender. */
  readonly events?: OptionalFields<EventSenderOptions> | undefined
  /** The times after which `health` counts work as stuck. */
  readonly health?: OptionalFields<HealthOptions> | undefined
  /**
   * How long `close` waits for work under way, in milliseconds: 0 to 86,400,000. Default: 15 s for hand-offs and calls, and 5 s for event deliveries.
   * `dispatcher.graceMillis` and `events.graceMillis` override it for their part.
   */
  readonly graceMillis?: number | undefined
  /**
   * Adapters that replace what Mailkeep chooses, for example in tests: one, or several in a list. `resolverFromPromises`, `sinkFromPromises` and
   * `limiterFromPromises` make them of plain async functions. A layer of Effect may also have a `Clock` or a tracer. A service that the core makes
   * itself, such as `IdSource`, is not replaced.
   */
  readonly adapters?: Layer.Layer<never, unknown> | ReadonlyArray<Layer.Layer<never, unknown>> | undefined
  /** Gets the log of the core, and may be async. Its failure is ignored. Default: `console.warn` prints warnings and errors. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined
}
