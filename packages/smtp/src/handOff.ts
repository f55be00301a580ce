/**
 * Hands one message over to the relay for one recipient. Runs `beforeFinalize` after the whole message and before the end of data.
 */
import { domainToASCII } from "node:url"
import type { HandOff, HandOffOutcome, HandOffRevoked } from "@mailkeep/core/adapter"
import { isAscii, TransportUnavailable } from "@mailkeep/core/adapter"
import { Data, Effect } from "effect"
import type { SMTPEnvelope } from "nodemailer/lib/smtp-connection"
import type { ConnectionPool, PooledConnection } from "./connectionPool.ts"
import type { PreparedMessage } from "./prepareMessage.ts"
import { prepareMessage } from "./prepareMessage.ts"
import type { RelayConnection } from "./RelayConnection.ts"
import { isLoss } from "./RelayConnection.ts"
import { refusalBeforeRelay } from "./refusalBeforeRelay.ts"
import { relayCommand } from "./relayCommand.ts"
import type { RelayError, RelayRefused } from "./replies.ts"
import { failureOf, parseReply } from "./replies.ts"
import type { SmtpSettings } from "./smtpSettings.ts"
import type { Ended, Transaction } from "./transaction.ts"
import { beginTransaction } from "./transaction.ts"

/** The relay had closed an idle connection, or takes no more messages on a used one. A new connection may take the message. */
class ConnectionStale extends Data.TaggedError("ConnectionStale")<{
  readonly failure: RelayRefused | TransportUnavailable
}> {}

/** An address in the form of the envelope. A domain that is not ASCII becomes A-labels, unless the local part needs SMTPUTF8 anyway. */
const envelopeAddress = (address: string): string => {
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  return isAscii(address.slice(0, at)) && !isAscii(domain)
    ? `${address.slice(0, at)}@${domainToASCII(domain)}`
    : address
}

/** Whether a local part of the envelope or of the header is not ASCII (RFC 6531 §3.4). */
const needsSmtpUtf8 = ({ envelope, message: { from, replyTo, to, cc } }: HandOff): boolean =>
  [envelope.from, envelope.to, from.address, replyTo ?? "", ...to, ...cc].some(
    (address) => !isAscii(envelopeAddress(address))
  )

/** The longest `ENVID` (RFC 3461 §4.4). */
const envidCharactersMax = 100

const envelopeOf = (handOff: HandOff, size: number, dsn: boolean): SMTPEnvelope => {
  const to = envelopeAddress(handOff.envelope.to)
  return {
    from: envelopeAddress(handOff.envelope.from),
    to: [to],
    size,
    use8BitMime: needsSmtpUtf8(handOff),
    ...(dsn && handOff.deliveryId.length <= envidCharactersMax
      ? {
          dsn: {
            ret: "HDRS",
            envid: handOff.deliveryId,
            notify: ["FAILURE", "DELAY"],
            ...(isAscii(to) ? { orcpt: `rfc822;${to}` } : {})
          }
        }
      : {})
  }
}

/** An angle bracket would end the address in the command, and so would a space outside of a quoted local part (RFC 5321 §4.1.2). */
const isSafeAddress = (address: string): boolean =>
  /^(?:"(?:[^"\\]|\\.)*"|[^\s"]+)@[^\s"@]+$/.test(address) && !/[<>\u0000-\u001f\u007f]/.test(address)

/** The refusal that a relay with these features would make; `undefined` if the relay may take the message. */
const refusalBefore = (
  handOff: HandOff,
  size: number,
  { sizeMax, smtpUtf8 }: { readonly sizeMax: number | null; readonly smtpUtf8: boolean }
) => {
  if (!isSafeAddress(handOff.envelope.from) || !isSafeAddress(handOff.envelope.to))
    return refusalBeforeRelay(null, "5.1.0", "An address of the envelope cannot be sent.")
  if (sizeMax !== null && size > sizeMax)
    return refusalBeforeRelay(552, "5.3.4", `The message has ${size} bytes; the relay takes ${sizeMax}.`)
  if (!smtpUtf8 && needsSmtpUtf8(handOff))
    return refusalBeforeRelay(550, "5.6.7", "The relay does not take an address that is not ASCII.")
  return undefined
}

/** Aborts the open mail transaction, if there is one. */
const resetTransaction = (connection: RelayConnection): Effect.Effect<void, TransportUnavailable | RelayRefused> =>
  connection.hasOpenTransaction
    ? relayCommand(connection, "mail", (done) => {
        connection.hasOpenTransaction = false
        connection.client.reset(done)
      })
    : Effect.void

/** A failure before the relay has asked for the message. */
const failedBefore = ({ isReused, connection }: PooledConnection, error: RelayError) => {
  const failure = failureOf(error, "mail")
  // Some relays refuse `MAIL` after a number of messages on one connection, by any code.
  const isStale =
    isLoss(error) ||
    (failure._tag === "RelayRefused" &&
      (failure.reply.smtpCode === 421 || (failure.reply.stage === "mail" && connection.hasTakenMessage)))
  return isReused && isStale ? new ConnectionStale({ failure }) : failure
}

/** The answer to the end of data. */
const outcomeOf = (pooled: PooledConnection, ended: Ended, confirmsDelivery: boolean) => {
  if ("error" in ended) {
    const failure = failureOf(ended.error, "endOfData")
    if (failure._tag === "RelayRefused") pooled.keep()
    return Effect.fail(failure)
  }
  const reply = parseReply("endOfData", ended.reply)
  if (reply === undefined) return Effect.fail(failureOf({ code: "EPROTOCOL" }, "endOfData"))
  pooled.connection.hasTakenMessage = true
  pooled.keep()
  return Effect.succeed<HandOffOutcome>({ _tag: confirmsDelivery ? "Delivered" : "Accepted", reply })
}

const answeredTooEarly = new TransportUnavailable({ reason: "The relay answered before the message was complete." })

/** The transaction ended after `beforeFinalize` and before the end of data. After an early reply, nobody knows what the relay has. */
const endedUnfinished = (pooled: PooledConnection, transaction: Transaction, ended: Ended) =>
  Effect.mapError(endedEarly(pooled, transaction, ended), (failure) =>
    failure._tag === "TransportUnavailable" && "error" in ended
      ? new TransportUnavailable({ reason: failure.reason, certainlyNotAccepted: true })
      : failure
  )

/** The transaction ended before the end of data. */
const endedEarly = (pooled: PooledConnection, transaction: Transaction, ended: Ended) => {
  if ("reply" in ended) return Effect.fail(answeredTooEarly)
  if (transaction.hasBegun()) return Effect.fail(failureOf(ended.error, "data"))
  const failure = failedBefore(pooled, ended.error)
  if (failure._tag === "RelayRefused") {
    pooled.connection.hasOpenTransaction = true
    pooled.keep()
  }
  return Effect.fail(failure)
}

const handOver = (pooled: PooledConnection, handOff: HandOff, message: PreparedMessage, settings: SmtpSettings) =>
  Effect.gen(function* () {
    const { connection } = pooled
    const { features, client } = connection
    const { commandMillis, dataBlockMillis, endOfDataReplyMillis } = settings.timeouts
    connection.silenceMax(commandMillis)
    const refused = refusalBefore(handOff, message.size, features)
    if (refused !== undefined) {
      pooled.keep()
      return refused
    }
    yield* Effect.mapError(resetTransaction(connection), (failure) =>
      pooled.isReused ? new ConnectionStale({ failure }) : failure
    )
    client.needsSmtpUtf8 = needsSmtpUtf8(handOff)
    const transaction = beginTransaction(connection, envelopeOf(handOff, message.size, settings.dsn), () => {
      connection.silenceMax(dataBlockMillis)
      return message.open()
    })
    const early = yield* Effect.promise(() => Promise.race([transaction.ended, transaction.written]))
    if (early !== "written") return yield* endedEarly(pooled, transaction, early)
    connection.silenceMax(endOfDataReplyMillis)
    yield* handOff.beforeFinalize
    const before = yield* Effect.promise(() => Promise.race([transaction.ended, Promise.resolve("open" as const)]))
    if (before !== "open") return yield* endedUnfinished(pooled, transaction, before)
    transaction.finish()
    return yield* outcomeOf(pooled, yield* Effect.promise(() => transaction.ended), settings.confirmsDelivery)
  })

/** Hands the message over. The outcome and the failures are those of the port `Transport`. */
export const handOffBy = (
  pool: ConnectionPool,
  settings: SmtpSettings,
  handOff: HandOff
): Effect.Effect<HandOffOutcome, TransportUnavailable | HandOffRevoked> =>
  Effect.gen(function* () {
    const message = yield* prepareMessage(handOff, settings)
    const refused = refusalBefore(handOff, message.size, { sizeMax: settings.maxMessageBytes, smtpUtf8: true })
    if (refused !== undefined) return refused
    const use = (options: { readonly fresh: boolean }) =>
      pool.use((pooled) => handOver(pooled, handOff, message, settings), options)
    return yield* use({ fresh: false }).pipe(
      Effect.catchTag("ConnectionStale", () => use({ fresh: true })),
      Effect.catchTag("ConnectionStale", ({ failure }) => Effect.fail(failure))
    )
  }).pipe(
    Effect.catchTags({
      RelayRefused: ({ reply }) => Effect.succeed<HandOffOutcome>({ _tag: "Refused", reply }),
      // A retry of such a message would give the same result.
      MessageUnsendable: ({ reason }) => Effect.succeed(refusalBeforeRelay(null, "5.6.0", reason))
    })
  )
