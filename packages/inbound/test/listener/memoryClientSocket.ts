/**
 * A connection without a socket: it gives chunks that a test has chosen, and keeps what the server writes.
 */
import { Effect, Latch, Semaphore } from "effect"
import type { ListenerState } from "../../src/listener/connection.ts"
import { serveConnection } from "../../src/listener/connection.ts"
import type { ListenerLimits } from "../../src/listener/limits.ts"
import { bounceLimits } from "../../src/listener/limits.ts"
import type { MailHandler } from "../../src/listener/MailHandler.ts"
import { makeMessageMemory } from "../../src/listener/messageMemory.ts"
import { protocolReply } from "../../src/listener/protocolReplies.ts"
import type { SessionRules } from "../../src/listener/session.ts"
import type { ClientSocket } from "../../src/listener/clientSocket.ts"
import { ConnectionLost } from "../../src/listener/clientSocket.ts"
import type { AcceptedMessage } from "./referenceReader.ts"

export const openRules: SessionRules = {
  protocol: "smtp",
  hostName: "mail.test",
  messageBytesMax: 1_000_000,
  recipientsMax: 100,
  commandsMax: 1_000_000,
  errorsMax: 1_000_000,
  apiKeyFailuresMax: 3,
  offersTls: false,
  needsApiKey: false,
  allowsClearApiKey: false
}

/** What a conversation without a socket did. */
export interface Conversation {
  readonly replies: string
  readonly accepted: ReadonlyArray<AcceptedMessage>
  /** Bytes of messages that are still in memory after the end. */
  readonly bytesLeft: number
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1")

/** How a client behaves. */
interface ClientBehavior {
  /** How long the client waits before each chunk. */
  readonly pauseMillis?: (chunk: number) => number
  /** Whether the client must give an API key first. */
  readonly needsApiKey?: boolean
}

/** Serves a client that sends these chunks and then closes its side. Every sender and recipient is accepted. */
export const converse = (
  chunks: ReadonlyArray<Uint8Array>,
  rules: Partial<SessionRules> = {},
  limits: Partial<ListenerLimits> = {},
  keptBytesMax = limits.messageBytesMax ?? bounceLimits.messageBytesMax,
  { pauseMillis, needsApiKey = false }: ClientBehavior = {}
): Effect.Effect<Conversation> =>
  Effect.gen(function* () {
    const allLimits = { ...bounceLimits, ...limits }
    const accepted: Array<AcceptedMessage> = []
    let replies = ""
    let next = 0
    let isOpen = true
    const read = Effect.sync(() => (next < chunks.length ? chunks[next++]! : null))
    const socket: ClientSocket = {
      remoteAddress: "192.0.2.1",
      isSecure: () => false,
      read: pauseMillis === undefined ? read : Effect.suspend(() => Effect.delay(read, pauseMillis(next))),
      write: (text) => Effect.sync(() => void (replies += text)),
      startTls: Effect.fail(new ConnectionLost()),
      close: Effect.sync(() => void (isOpen = false)),
      destroy: Effect.sync(() => void (isOpen = false))
    }
    const handler: MailHandler<"anyone"> = {
      anonymous: needsApiKey ? null : "anyone",
      authenticate: () => Effect.succeed("anyone"),
      checkSender: () => Effect.void,
      checkRecipient: () => Effect.void,
      checkData: () => Effect.void,
      receive: ({ sender, recipients, raw }) =>
        Effect.sync(() => {
          accepted.push({ sender, recipients, content: latin1(raw) })
          return protocolReply("ok")
        })
    }
    const state: ListenerState = {
      limits: allLimits,
      keptBytesMax,
      memory: makeMessageMemory(allLimits.bufferedBytesMax, keptBytesMax),
      largeMessages: yield* Semaphore.make(1),
      stopping: yield* Latch.make()
    }
    const place = { idleSince: null, taken: Latch.makeUnsafe() }
    yield* serveConnection({ socket, rules: { ...openRules, ...rules }, handler, state, place })
    if (isOpen) return yield* Effect.die(new Error("the connection is still open"))
    return { replies, accepted, bytesLeft: state.memory.bytes() }
  })
