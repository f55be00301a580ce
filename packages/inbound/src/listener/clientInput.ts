/**
 * Reads the lines and the messages of a client from its connection, in bounded time and memory.
 */
import { Data, Effect } from "effect"
import { dataStart, readData } from "./dataReader.ts"
import type { ListenerLimits } from "./limits.ts"
import { scanLine, textOfLine } from "./lineScanner.ts"
import type { MessageCollector } from "./messageMemory.ts"
import type { Reply } from "./Reply.ts"
import type { ReplyName } from "./protocolReplies.ts"
import { protocolReply } from "./protocolReplies.ts"
import type { ClientSocket } from "./clientSocket.ts"

/** The server closes the connection after this reply; `null` closes it without one. */
export class Closing extends Data.TaggedError("Closing")<{ readonly reply: Reply | null }> {}

/** Closes the connection with a reply of the protocol. */
export const closing = (name: ReplyName) => Effect.fail(new Closing({ reply: protocolReply(name) }))

const noBytes = new Uint8Array(0)

/** Why a message that was received completely is not handled. */
type ReceiveFault = "brokenMessage" | "tooLarge" | "noMemory"

/**
 * Makes the input of a connection: the bytes that were read but not yet used, and the ways to read more. When the connection may no longer wait for a
 * command, `ending` fails.
 */
export const makeClientInput = (
  socket: ClientSocket,
  limits: ListenerLimits,
  ending: Effect.Effect<never, Closing>
) => {
  let unread: Uint8Array = noBytes

  const more = Effect.flatMap(socket.read, (chunk) =>
    chunk === null ? Effect.fail(new Closing({ reply: null })) : Effect.succeed(chunk)
  )

  const nextLine = Effect.gen(function* () {
    for (;;) {
      const scanned = scanLine(unread)
      switch (scanned._tag) {
        case "Line":
          unread = scanned.rest
          return textOfLine(scanned.line)
        case "TooLong":
          return yield* closing("lineTooLong")
        case "BareLineEnd":
          return yield* closing("bareLineEnd")
        case "Incomplete": {
          const chunk = yield* more
          unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
        }
      }
    }
  })

  /** Reads a line. A line that has already arrived is read before the connection ends or the time is over. */
  const line = (millis: number) =>
    scanLine(unread)._tag === "Incomplete"
      ? nextLine.pipe(
          Effect.raceFirst(ending),
          Effect.timeoutOrElse({ duration: Math.max(0, millis), orElse: () => closing("timeout") })
        )
      : nextLine

  /** Reads a message into the collector until its end. */
  const message = (collector: MessageCollector) =>
    Effect.gen(function* () {
      let data = dataStart
      let fault: ReceiveFault | null = null
      let received = 0
      let excess = 0
      const emit = (content: Uint8Array) => {
        received += content.length
        if (received > limits.messageBytesMax) fault ??= "tooLarge"
        else if (fault === null && !collector.add(content)) fault = "noMemory"
        // The memory of a refused message is free for others while the client sends its rest.
        if (fault !== null) {
          collector.release()
          excess += content.length
        }
      }
      for (;;) {
        const chunk =
          unread.length > 0
            ? unread
            : yield* Effect.timeoutOrElse(more, { duration: limits.stallMillis, orElse: () => closing("timeout") })
        const { state, end } = readData(data, chunk, emit)
        unread = end === null ? noBytes : chunk.subarray(end)
        data = state
        if (data.broken) {
          collector.release()
          excess += chunk.length
        }
        if (end !== null) return data.broken ? "brokenMessage" : fault
        if (excess > limits.messageBytesMax) return yield* closing(data.broken ? "brokenMessage" : "tooLarge")
      }
    }).pipe(Effect.timeoutOrElse({ duration: limits.dataMillis, orElse: () => closing("timeout") }))

  return { line, message, hasUnread: () => unread.length > 0 }
}

/** The input of a connection. */
export type ClientInput = ReturnType<typeof makeClientInput>
