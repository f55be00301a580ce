/**
 * Bounds the memory and the time of responses that their clients do not read. Source: decision 0032.
 */
import { HttpBody, HttpServerResponse } from "effect/http"
import type { Socket } from "node:net"

/**
 * A response up to this size is not counted. The number of connections already bounds these responses, and they are never refused for lack
 * of memory.
 */
export const uncountedResponseBytes = 16 * 1024
/** A response older than this, or older than `stallMillis` if that is shorter, may be cut off to free memory for another response. */
const slowMillisMax = 1000

/** The size of a body before it is compressed; 0 for a body of unknown size. */
export const responseBodyBytes = ({ body }: HttpServerResponse.HttpServerResponse): number =>
  body._tag === "Empty" ? 0 : (body.contentLength ?? 0)

/**
 * Encodes the text of a large body. For text that the client does not read, Node allocates three bytes for each character and keeps the text, too.
 */
export const encodeLargeBody = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  return body._tag === "Uint8Array" && body.text !== undefined && body.contentLength > uncountedResponseBytes
    ? HttpServerResponse.setBody(response, HttpBody.uint8Array(body.body, body.contentType))
    : response
}

interface Writing {
  readonly bytes: number
  readonly since: number
}

export interface ResponseBudget {
  /** Counts a response that is about to be written. Returns `false` if its bytes exceed the budget. */
  readonly begin: (socket: Socket, bytes: number) => boolean
  /** Ends the count of a response that is written, or whose connection is closed. */
  readonly end: (socket: Socket) => void
  /** Closes the connections whose responses take longer than `responseMillis`. */
  readonly closeSlow: () => void
  /** Bytes of the counted responses that are not yet written. */
  readonly bytes: () => number
}

export const makeResponseBudget = (limits: {
  readonly responseBytesMax: number
  readonly responseMillis: number
  readonly stallMillis: number
}): ResponseBudget => {
  /** The oldest response first. */
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
  const fits = (bytes: number) => bytes === 0 || total === 0 || total + bytes <= limits.responseBytesMax
  /** Cuts off slow responses until the bytes fit. */
  const freeBytes = (bytes: number): boolean => {
    const before = performance.now() - slowMillis
    for (const [socket, response] of writing) {
      if (fits(bytes) || response.since >= before) break
      if (response.bytes > 0) cut(socket)
    }
    return fits(bytes)
  }

  const begin = (socket: Socket, bytes: number): boolean => {
    end(socket)
    const counted = bytes <= uncountedResponseBytes ? 0 : bytes
    if (!freeBytes(counted)) return false
    total += counted
    writing.set(socket, { bytes: counted, since: performance.now() })
    // Node restarts this timer whenever the kernel accepts bytes, and destroys the socket when the timer ends.
    socket.setTimeout(limits.stallMillis)
    return true
  }

  const closeSlow = () => {
    const before = performance.now() - limits.responseMillis
    for (const [socket, { since }] of writing) {
      if (since > before) return
      cut(socket)
    }
  }

  return { begin, end, closeSlow, bytes: () => total }
}
