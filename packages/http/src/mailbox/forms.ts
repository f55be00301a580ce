/**
 * The forms of the mailbox: their bounded bodies, and the token that only a page of this mailbox contains.
 */
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"

const formBytesMax = 4096
const tokenBytes = 24

/** A token for the forms of one process. */
export const makeFormToken = (): string =>
  [...crypto.getRandomValues(new Uint8Array(tokenBytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** The fields of a form, or `null` for another body and for one that is too long. */
export const readForm = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<URLSearchParams | null> => {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";")
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return Effect.succeed(null)
  if (Number(request.headers["content-length"] ?? 0) > formBytesMax) return Effect.succeed(null)
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  return request.stream.pipe(
    Stream.takeUntil((piece) => {
      bytes += piece.length
      if (bytes <= formBytesMax) text += decoder.decode(piece, { stream: true })
      return bytes > formBytesMax
    }),
    Stream.runDrain,
    Effect.map(() => (bytes > formBytesMax ? null : new URLSearchParams(text + decoder.decode()))),
    Effect.orElseSucceed(() => null)
  )
}
