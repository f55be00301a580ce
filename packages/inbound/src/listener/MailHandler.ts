/**
 * What a listener asks about a client, its recipients and its messages. Submission and bounces each have a handler.
 */
import type { Effect } from "effect"
import type { Path } from "./command.ts"
import type { Credentials } from "./credentials.ts"
import type { Reply } from "./Reply.ts"
import type { Transaction } from "./session.ts"

/** A message that a client has sent completely. */
interface ReceivedMessage<Client> {
  readonly client: Client
  readonly sender: Path
  /** One entry for each accepted `RCPT`, in order. */
  readonly recipients: ReadonlyArray<Path>
  /**
   * The message without dot-stuffing, or its beginning if the listener does not keep all of it. Each of its lines ends with CR LF, and it has no
   * CR, LF or NUL of its own.
   */
  readonly raw: Uint8Array
}

/** The checks of a listener. Each fails with the reply that refuses the command. `Client` is who is connected. */
export interface MailHandler<Client> {
  /** The client of a connection without an API key. `null` if a client must authenticate. */
  readonly anonymous: Client | null
  readonly authenticate: (credentials: Credentials) => Effect.Effect<Client, Reply>
  readonly checkSender: (client: Client) => Effect.Effect<void, Reply>
  readonly checkRecipient: (client: Client, recipient: Path) => Effect.Effect<void, Reply>
  /** Runs before the message is received. */
  readonly checkData: (client: Client, transaction: Transaction) => Effect.Effect<void, Reply>
  /** Returns the reply to the message, or one reply for each recipient. A positive reply takes responsibility for the message. */
  readonly receive: (message: ReceivedMessage<Client>) => Effect.Effect<Reply | ReadonlyArray<Reply>>
}
