/**
 * Serves one connection: reads commands and messages, asks the handler, and writes replies, until one side closes the connection.
 */
import { bugReports } from "@mailkeep/core/binding"
import type { Latch, Semaphore } from "effect"
import { Cause, Clock, Effect } from "effect"
import { countedAddress } from "./clientAddress.ts"
import type { ClientInput } from "./clientInput.ts"
import { Closing, closing, makeClientInput } from "./clientInput.ts"
import type { ConnectionPlace } from "./connectionPlaces.ts"
import type { ListenerLimits } from "./limits.ts"
import type { MailHandler } from "./MailHandler.ts"
import type { MessageCollector, MessageMemory } from "./messageMemory.ts"
import { makeMessageCollector } from "./messageMemory.ts"
import type { Reply } from "./Reply.ts"
import { formatReply } from "./Reply.ts"
import { protocolReply } from "./protocolReplies.ts"
import type { Action, Session, SessionRules, SessionStep, Transaction } from "./session.ts"
import { freshSession, greeting, stepSession } from "./session.ts"
import type { CheckResult } from "./sessionChecks.ts"
import { afterApiKey, afterMessage, afterRecipient, afterRefusedData, afterSender } from "./sessionChecks.ts"
import type { ClientSocket } from "./clientSocket.ts"
import { ConnectionLost } from "./clientSocket.ts"

/** What the connections of one listener share. */
export interface ListenerState {
  readonly limits: ListenerLimits
  /** The bytes of a message that the handler gets. The rest of a larger message is discarded as it arrives. */
  readonly keptBytesMax: number
  readonly memory: MessageMemory
  /** Large messages are handled one after the other, because each needs memory of its own. */
  readonly largeMessages: Semaphore.Semaphore
  /** Open when the listener stops. */
  readonly stopping: Latch.Latch
}

/** A message from this size on is large. */
const largeMessageBytes = 512 * 1024

/** Runs a check, and returns its value or the reply that refuses. A bug of the handler refuses with a temporary reply. */
const checked = <A>(
  check: Effect.Effect<A, Reply>
): Effect.Effect<{ readonly value: A } | { readonly refusal: Reply }> =>
  check.pipe(
    Effect.map((value) => ({ value })),
    Effect.catch((refusal) => Effect.succeed({ refusal })),
    Effect.catchCause((cause) =>
      cause.reasons.some(({ _tag }) => _tag === "Interrupt")
        ? Effect.failCause(cause)
        : Effect.as(Effect.logError("An SMTP command failed by a bug.", ...bugReports(cause)), {
            refusal: protocolReply("internalError")
          })
    )
  )

/**
 * LMTP has one reply for each recipient (RFC 2033 §4.2). SMTP has one reply for all, and a refusal for one recipient makes the client send the
 * message again.
 */
const repliesFor = (
  { protocol }: SessionRules,
  { recipients }: Transaction,
  given: ReadonlyArray<Reply>
): ReadonlyArray<Reply> => {
  if (protocol === "lmtp") return given.length === 1 ? recipients.map(() => given[0]!) : given
  return [given.find(({ code }) => code >= 400) ?? given[0]!]
}

const refusalOf = (result: { readonly value: unknown } | { readonly refusal: Reply }): CheckResult =>
  "refusal" in result ? result.refusal : null

interface ConnectionOptions<Client> {
  readonly socket: ClientSocket
  readonly rules: SessionRules
  readonly handler: MailHandler<Client>
  readonly state: ListenerState
  readonly place: ConnectionPlace
}

type Write = (...replies: ReadonlyArray<Reply>) => Effect.Effect<void, Closing | ConnectionLost>

/** Writes replies, and closes the connection after a reply that closes it. */
const makeWrite =
  <Client>({ socket, state: { limits } }: ConnectionOptions<Client>): Write =>
  (...replies) =>
    socket
      .write(replies.map(formatReply).join(""))
      .pipe(
        Effect.timeoutOrElse({ duration: limits.writeMillis, orElse: () => Effect.fail(new ConnectionLost()) }),
        Effect.andThen(replies.some(({ closes }) => closes) ? Effect.fail(new Closing({ reply: null })) : Effect.void)
      )

/** Begins TLS. Returns the session inside of TLS. */
const makeStartTls = <Client>(
  { socket, state: { limits } }: ConnectionOptions<Client>,
  input: ClientInput,
  write: Write
) =>
  Effect.fnUntraced(function* (session: Session) {
    // Such bytes could be read as commands inside of TLS. Source: RFC 3207 §6.
    if (input.hasUnread()) return yield* closing("injectedBeforeTls")
    yield* write(protocolReply("readyForTls"))
    yield* socket.startTls.pipe(
      Effect.timeoutOrElse({ duration: limits.tlsMillis, orElse: () => Effect.fail(new ConnectionLost()) })
    )
    return freshSession(true, session)
  })

/** Receives a message, gives it to the handler and writes the replies. Returns the session after the message. */
const makeReceiveMessage = <Client>(
  { socket, rules, handler, state }: ConnectionOptions<Client>,
  input: ClientInput,
  write: Write
) => {
  const { keptBytesMax, memory, largeMessages } = state

  const handle = (client: Client, { sender, recipients }: Transaction, collector: MessageCollector) =>
    Effect.suspend(() => {
      const isLarge = collector.bytes() >= largeMessageBytes
      const receive = Effect.suspend(() =>
        checked(handler.receive({ client, sender, recipients, raw: collector.content() }))
      )
      return Effect.map(isLarge ? largeMessages.withPermit(receive) : receive, (result) => {
        const given = "value" in result ? result.value : result.refusal
        return Array.isArray(given) ? (given as ReadonlyArray<Reply>) : [given as Reply]
      })
    })

  return (session: Session, client: Client, transaction: Transaction) =>
    Effect.acquireUseRelease(
      Effect.sync(() => makeMessageCollector(memory, countedAddress(socket.remoteAddress), keptBytesMax)),
      (collector) =>
        Effect.gen(function* () {
          yield* write(protocolReply("sendData"))
          const fault = yield* input.message(collector)
          const given = fault === null ? yield* handle(client, transaction, collector) : [protocolReply(fault)]
          const replies = repliesFor(rules, transaction, given)
          yield* write(...replies)
          return afterMessage(session, replies)
        }),
      (collector) => Effect.sync(collector.release)
    )
}

/** Reads commands and performs them. Fails when the connection is to be closed, or is lost. */
const converse = Effect.fnUntraced(function* <Client>(options: ConnectionOptions<Client>, write: Write) {
  const { socket, rules, handler, state, place } = options
  const { limits } = state
  const ending = Effect.raceFirst(
    Effect.andThen(state.stopping.await, closing("shuttingDown")),
    Effect.andThen(place.taken.await, closing("tooManyConnections"))
  )
  const input = makeClientInput(socket, limits, ending)
  const startTls = makeStartTls(options, input, write)
  const receiveMessage = makeReceiveMessage(options, input, write)
  const start = yield* Clock.currentTimeMillis
  let session = freshSession(socket.isSecure())
  let client = handler.anonymous
  // Since when the client has no API key.
  let anonymousSince = start
  // When the client last gave a valid API key or a message.
  let usefulAt = start

  const remaining = (now: number) => {
    const connection = start + limits.connectionMillis - now
    const apiKey = client === null ? anonymousSince + limits.apiKeyMillis - now : Number.POSITIVE_INFINITY
    return Math.min(limits.commandMillis, connection, apiKey)
  }

  /** Writes the reply of a step that follows a check. */
  const reply = function* (step: SessionStep) {
    session = step.session
    if (step.action._tag === "Reply") yield* write(step.action.reply)
  }

  const perform = function* (action: Action) {
    switch (action._tag) {
      case "Reply":
        return yield* write(action.reply)
      case "StartTls":
        session = yield* startTls(session)
        client = handler.anonymous
        anonymousSince = yield* Clock.currentTimeMillis
        return
      case "CheckApiKey": {
        const result = yield* checked(handler.authenticate(action.credentials))
        if ("value" in result) {
          client = result.value
          usefulAt = yield* Clock.currentTimeMillis
        }
        return yield* reply(afterApiKey(rules, session, refusalOf(result)))
      }
      case "CheckSender": {
        const result = yield* checked(handler.checkSender(client!))
        return yield* reply(afterSender(rules, session, action.transaction, refusalOf(result)))
      }
      case "CheckRecipient": {
        const result = yield* checked(handler.checkRecipient(client!, action.recipient))
        return yield* reply(afterRecipient(rules, session, action.recipient, refusalOf(result)))
      }
      case "CheckData": {
        const result = yield* checked(handler.checkData(client!, action.transaction))
        if ("refusal" in result) return yield* reply(afterRefusedData(rules, session, result.refusal))
        session = yield* receiveMessage(session, client!, action.transaction)
        usefulAt = yield* Clock.currentTimeMillis
      }
    }
  }

  yield* write(greeting(rules))
  for (;;) {
    place.idleSince = usefulAt
    const line = yield* input.line(remaining(yield* Clock.currentTimeMillis))
    place.idleSince = null
    const step = stepSession(rules, session, line)
    session = step.session
    yield* perform(step.action)
    // `DATA` is the last of a group of commands, so the client did not wait for the reply. Source: RFC 2920 §3.1.
    if (session.dataRefused && input.hasUnread()) return yield* closing("dataWithoutConsent")
  }
})

/** Serves a connection. Ends when the connection is closed. */
export const serveConnection = <Client>(options: ConnectionOptions<Client>): Effect.Effect<void> => {
  const write = makeWrite(options)
  return converse(options, write).pipe(
    Effect.catchTag("Closing", ({ reply }) => (reply === null ? Effect.void : write(reply))),
    Effect.catchTag(["Closing", "ConnectionLost"], () => Effect.void),
    Effect.andThen(options.socket.close),
    Effect.catchDefect((defect) =>
      Effect.logError("An SMTP connection failed by a bug.", ...bugReports(Cause.die(defect)))
    )
  )
}
