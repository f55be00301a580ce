/**
 * Bounds the memory and the time of answers that their clients do not read. Source: decision 0032.
 */
import type { Socket } from "node:net"

/** Answers up to this size count nothing: they are as many as there are connections, and no send is refused because others do not read. */
const uncountedBytes = 16 * 1024
/** An answer older than this, or than the time for a stall if that is shorter, may be cut off to make room for another. */
const slowMillisMax = 1000

interface Writing {
  readonly bytes: number
  readonly since: number
}

export interface AnswerBudget {
  /** Counts an answer that is about to be written; false if there is no room for its bytes. */
  readonly begin: (socket: Socket, bytes: number) => boolean
  /** The answer is written, or its connection is gone. */
  readonly end: (socket: Socket) => void
  /** Closes the connections whose answers have taken too long. */
  readonly sweep: () => void
  /** Bytes of the counted answers that are not yet written. */
  readonly bytes: () => number
}

export const makeAnswerBudget = (limits: {
  readonly answerBytesMax: number
  readonly answerMillis: number
  readonly stallMillis: number
}): AnswerBudget => {
  /** Oldest first. */
  const writing = new Map<Socket, Writing>()
  let total = 0
  const slowMillis = Math.min(slowMillisMax, limits.stallMillis)

  const end = (socket: Socket) => {
    total -= writing.get(socket)?.bytes ?? 0
    writing.delete(socket)
  }
  const cut = (socket: Socket) => {
    end(socket)
    socket.destroy()
  }
  const hasRoom = (bytes: number) => bytes === 0 || total === 0 || total + bytes <= limits.answerBytesMax
  /** Cuts off slow answers until there is room. */
  const makeRoom = (bytes: number): boolean => {
    const before = performance.now() - slowMillis
    for (const [socket, answer] of writing) {
      if (hasRoom(bytes) || answer.since >= before) break
      if (answer.bytes > 0) cut(socket)
    }
    return hasRoom(bytes)
  }

  const begin = (socket: Socket, bytes: number): boolean => {
    end(socket)
    const counted = bytes <= uncountedBytes ? 0 : bytes
    if (!makeRoom(counted)) return false
    total += counted
    writing.set(socket, { bytes: counted, since: performance.now() })
    // Node restarts this timer as long as the kernel takes bytes, and destroys the socket when it ends.
    socket.setTimeout(limits.stallMillis)
    return true
  }

  const sweep = () => {
    const before = performance.now() - limits.answerMillis
    for (const [socket, { since }] of writing) {
      if (since > before) return
      cut(socket)
    }
  }

  return { begin, end, sweep, bytes: () => total }
}
