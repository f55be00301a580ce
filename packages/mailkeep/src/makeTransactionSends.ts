/**
 * Sends in the product's own open transaction. Source: decisions 0056 and 0079.
 */
import type { ProjectId, Sending, StoreUnavailable, TransactionRefused } from "@mailkeep/core"
import { TransactionSending } from "@mailkeep/core"
import { Effect } from "effect"
import type { Run, RunSync } from "./calls.ts"
import { toBatchItem } from "./embeddedProject.ts"
import type { MailFailure } from "./failures.ts"
import { splitBatch, splitSend } from "./sendInput.ts"
import type { PromisedTransactionSends, TransactionSends } from "./TransactionSends.ts"

/** What the sends of a transaction need of the mail. */
export interface TransactionSendsDeps {
  readonly run: Run
  readonly runSync: RunSync
  readonly projectId: ProjectId
  /** The default sender. */
  readonly from: string | undefined
}

type Use<A, E extends MailFailure> = (sending: Sending["Service"]) => Effect.Effect<A, E>

/** Runs a call within the transaction: at once, or as a promise. */
interface RunUse<K extends "value" | "promise"> {
  <A, E extends MailFailure>(use: Use<A, E>): K extends "value" ? A : Promise<A>
}

/** Whether the value is a client of a server, and not a connection of better-sqlite3. */
const isClient = (connection: unknown): boolean =>
  typeof connection === "object" &&
  connection !== null &&
  !("inTransaction" in connection) &&
  "query" in connection &&
  typeof connection.query === "function"

const sendsWith = <K extends "value" | "promise">(
  run: RunUse<K>,
  { projectId, from }: Pick<TransactionSendsDeps, "projectId" | "from">
) => ({
  send: (input: Parameters<TransactionSends["send"]>[0]) =>
    run(({ send }) => send(projectId, ...splitSend(input, from))),
  sendBatch: (input: Parameters<TransactionSends["sendBatch"]>[0]) =>
    run(({ sendBatch }) =>
      Effect.map(sendBatch(projectId, ...splitBatch(input, from)), (results) => results.map(toBatchItem))
    ),
  cancel: (messageId: string) => run(({ cancel }) => cancel(projectId, messageId)),
  reschedule: (...[messageId, scheduledAt]: Parameters<TransactionSends["reschedule"]>) =>
    run(({ reschedule }) => reschedule(projectId, messageId, scheduledAt))
})

/** Makes the sends in the transactions of a connection. Checks the connection in each call. A client of a server gets promises. */
export const makeTransactionSends = (
  deps: TransactionSendsDeps,
  connection: unknown
): TransactionSends | PromisedTransactionSends => {
  const within = <A, E extends MailFailure>(
    use: Use<A, E>
  ): Effect.Effect<A, E | TransactionRefused | StoreUnavailable, TransactionSending> =>
    TransactionSending.use((sending) => sending.within(connection, use))
  if (isClient(connection)) return sendsWith<"promise">((use) => deps.run(within(use)), deps)
  return sendsWith<"value">((use) => deps.runSync(within(use)), deps)
}
