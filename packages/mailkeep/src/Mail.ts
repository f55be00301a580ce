/**
 * The mail of a product: the default project, its tenants and the work in the background.
 */
import type {
  DispatchReport,
  EventKind,
  EventSenderReport,
  HealthReport,
  MailEventOf,
  MailStore,
  Project,
  ProjectDeletionReport,
  ProjectId,
  Transport,
  UpdateProjectInput,
  MailCore
} from "@mailkeep/core"
import type { CallOptions, EmbeddedProject, EmbeddedSendInput } from "@mailkeep/core/handle"
import type { Layer, ManagedRuntime } from "effect"
import type { OutboxReport, OutboxRow } from "./outbox/OutboxSource.ts"
import type { PromisedTransactionSends, TransactionSends } from "./TransactionSends.ts"

/** All services of the core, and the two ports that a product chooses. */
export type MailServices = Layer.Success<typeof MailCore.layer> | MailStore | Transport

/** The core as a runtime of Effect, for those who want it. The first effect that it runs opens the mail. */
export type MailRuntime = ManagedRuntime.ManagedRuntime<MailServices, unknown>

/** The settings of a handle. */
export interface ProjectHandleOptions {
  /** The default sender of the handle, such as `Acme <hi@acme.example>`. Default: none. */
  readonly from?: string | undefined
}

/** The projects of the store: the tenants of a product. */
export interface ProjectsHandle {
  /** Resolves with the project, and creates it when it does not exist. Rejects with `InvalidArgument` for another form of id. */
  readonly ensure: (projectId: ProjectId, options?: CallOptions) => Promise<Project>
  /** Changes the given settings, and creates the project when it does not exist. */
  readonly update: (projectId: ProjectId, input: UpdateProjectInput, options?: CallOptions) => Promise<Project>
  /**
   * Deletes a project with all of its records, also the mail that waits. From the first commit, no send of the project is accepted, and what creates
   * a project rejects with `StoreUnavailable`, reason `deleting`. Call again while `isComplete` is `false`, and after a failure or an abort: the
   * deletion continues. Afterwards the id can be used for a new project. Rejects with `InvalidArgument` for another form of id.
   */
  readonly delete: (projectId: ProjectId, options?: CallOptions) => Promise<ProjectDeletionReport>
  /** All projects, by id. */
  readonly list: (options?: CallOptions) => Promise<ReadonlyArray<Project>>
}

/** The sends of a project that go through the outbox table of the product. */
export interface ProjectOutbox {
  /**
   * Makes the row of a send, for one `INSERT` in the transaction of the product. Throws `InvalidArgument` when the form of the send is wrong, so that
   * the transaction fails. What needs stored records, such as the sender domain, is checked when the row is drained; `plan` checks it now. Files
   * need their content; a file by its path is refused.
   */
  readonly row: (input: EmbeddedSendInput) => OutboxRow
}

/** The outbox of the default project, and the drain of the table. */
export interface MailOutbox extends ProjectOutbox {
  /**
   * Sends all rows of the table once, in pages of 32, and removes each row after its send was accepted. Call it after a commit to send at once. Rejects
   * with the error of a function of the `OutboxSource`. The rows then stay.
   */
  readonly drain: (options?: CallOptions) => Promise<OutboxReport>
}

/** The part of a connection of better-sqlite3 by which the compiler knows it. */
export interface TransactionConnection {
  readonly inTransaction: boolean
}

/** The part of a client of `pg` by which the compiler knows it. A client has one connection; a pool has several, and is refused. */
export interface TransactionClient {
  /** Runs a statement on the connection of the client. */
  readonly query: (...args: Array<never>) => unknown
  /** Only a pool counts its connections. So the compiler refuses a pool, and its error shows this text. */
  readonly totalCount?: "Give a client of the pool, from pool.connect(), and not the pool."
}

/** The handle of a project, with sends that commit together with the writes of the product. */
export interface MailProject extends EmbeddedProject {
  /**
   * Sends in the open transaction of the product's own connection of better-sqlite3 to the file of the store. Checks the connection in each call.
   * Begin the transaction with `BEGIN IMMEDIATE`, or with `db.transaction(...).immediate()`.
   *
   * @example
   * ```ts
   * import Database from "better-sqlite3"
   * import { openMail, sqlite, stub } from "mailkeep"
   *
   * const mail = await openMail({ store: sqlite("shop.db"), transport: stub(), domains: ["acme.example"], from: "hi@acme.example" })
   * const db = new Database("shop.db")
   * db.pragma("synchronous = FULL")
   * db.exec("CREATE TABLE IF NOT EXISTS orders (email TEXT NOT NULL)")
   * const order = db.transaction((email: string) => {
   *   db.prepare("INSERT INTO orders (email) VALUES (?)").run(email)
   *   return mail.within(db).send({ to: email, subject: "Your order", text: "Thank you." })
   * })
   * console.log(order.immediate("ada@example.org").totalQueued) // 1
   * await mail.close()
   * ```
   */
  readonly within: {
    (connection: TransactionConnection): TransactionSends
    /**
     * Sends in the open transaction of the product's own client of `pg` to the database of the store. Each method returns a promise: wait for it before
     * the next statement.
     */
    (client: TransactionClient): PromisedTransactionSends
  }
  /** Sends through an outbox table in any other database. Source: decision 0056. */
  readonly outbox: ProjectOutbox
}

/** What one `tick` did. */
export interface TickReport {
  /** What the drain of the outbox did; zeros without the option `outbox`. */
  readonly outbox: OutboxReport
  /** Deliveries that were claimed and processed. */
  readonly deliveries: DispatchReport
  /** Events that were distributed, and event deliveries that were attempted. */
  readonly events: EventSenderReport
  /** Domains whose DNS records were checked. */
  readonly domainsChecked: number
}

/**
 * The mail of a product. Its methods act in the default project. Each method rejects with a failure of the core, such as `InvalidArgument`, which
 * has a `kind` and `isRetryable`. A failure of opening has no `kind`. After `close`, each method rejects with `StoreUnavailable`, reason `closed`.
 */
export interface Mail extends MailProject, AsyncDisposable {
  readonly outbox: MailOutbox
  /**
   * Opens the mail and starts the work in the background. Each other method does so too, so only `lazyMail` and `sharedMail` need it: at the start of
   * a server, so that the hand-off of earlier mail continues. Rejects as `openMail` does when the mail cannot be opened, and with `TooManyRecords`
   * also when an earlier `on` would make more than 100 subscriptions. The next call tries again.
   */
  readonly open: (options?: CallOptions) => Promise<void>
  /**
   * A handle of another project, for a product with tenants. Writes nothing until it is used. Throws `InvalidArgument` for an id that is no string,
   * and a `TypeError` for an unknown setting.
   */
  readonly project: (projectId: ProjectId, options?: ProjectHandleOptions) => MailProject
  /** The projects of the store. */
  readonly projects: ProjectsHandle
  /**
   * Registers a durable subscriber of the events of all projects. `kinds` selects the events and narrows the type that the handler receives. The
   * handler gets each event after the first registration of the name at least once, one at a time in each process. When the handler rejects or
   * throws, the event is retried after 1 s, then after twice the time, at most 5 min. Events that happen while no process has a handler of that
   * name are sent later. An event is retried or waits until it is deleted, after `retention.eventsMillis` (default 30 days).
   *
   * A handler has no deadline. Until its promise resolves or rejects, its subscription gets no other event in this process, and `tick` does not
   * end. After a minute, the log has a warning with the name. Give each call in a handler a timeout.
   *
   * A second call with the same name replaces handler and kinds. Waiting events whose kind is no longer named are dropped. Resolves when the
   * subscription is stored. Before the mail is open, resolves at once, and the opening stores the subscription. Rejects with `InvalidArgument` for another name or kind, and for a handler that is no function.
   */
  readonly on: <const K extends EventKind>(
    name: string,
    kinds: ReadonlyArray<K>,
    handler: (event: NoInfer<MailEventOf<K>>) => unknown
  ) => Promise<void>
  /**
   * Deletes the subscription of this name, for a handler that your product no longer has. While a subscription exists, its events wait for a handler.
   * Those that wait are dropped within about a minute. A later `on` with the name makes another subscription. A handler that another process has for the
   * deleted one gets no later events. Resolves also when there is no such subscription. Rejects with `InvalidArgument` for what is no name.
   */
  readonly off: (name: string, options?: CallOptions) => Promise<void>
  /** Whether the store answers, whether mail moves, and how the relay is doing. A report contains no address. */
  readonly health: (options?: CallOptions) => Promise<HealthReport>
  /**
   * Does the work that is due, once: drains the outbox, hands mail over, delivers events and checks domains, and waits for their end. For tests, and for a program
   * with `background: false` that calls it from a timer.
   *
   * Hands over at most `dispatcher.concurrency` deliveries, and `concurrencyPerProject` of one project: 32 and 28 by default. With `smtp`, at most two for
   * each connection of its pool: 10 and 8 by default. Repeat it until `deliveries.handedOver` is 0. Ticks that overlap have these limits together.
   *
   * Rejects with `StoreUnavailable` when the store fails. When the drain of the outbox fails, the rest of the work is still done. Then `tick`
   * rejects with the error of your function. The rows that are not yet removed stay.
   */
  readonly tick: (options?: CallOptions) => Promise<TickReport>
  /**
   * Deletes everything that has expired by the option `retention`, and resolves when nothing is left. For a serverless program: call it from a timer, such
   * as once a day. A process that runs for more than 10 min needs no call, because its background and its ticks sweep by themselves. They first watch the
   * clock, and this does not: what a clock that is ahead deletes is lost.
   *
   * Many records take minutes. After its `signal` is aborted, or when the process ends, what is deleted stays deleted, and the next call continues.
   * Rejects with `StoreUnavailable` when the store fails.
   */
  readonly sweep: (options?: CallOptions) => Promise<void>
  /**
   * Finishes the calls and the work under way, within `graceMillis`, and closes the store. A second call waits for the same end. Later calls reject.
   */
  readonly close: () => Promise<void>
  /** The core as a runtime of Effect. `MailServer.fetchHandler` of `@mailkeep/http` takes the mail because of it. */
  readonly runtime: MailRuntime
}
