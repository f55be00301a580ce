/**
 * Reads a JSON body within its bound. Source: decision 0009.
 */
import { InvalidArgument, issue } from "@mailkeep/core/domain"
import { Data, Effect, Latch, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isNestedDeeper, jsonDepthMax } from "./jsonDepth.ts"

export const bodyOctetsMax = 10 * 1024 * 1024
/** How much of a body that is too large is still read, and for how long, so that the client gets to see the answer. */
const discardOctetsMax = 64 * 1024 * 1024
const discardDuration = "5 seconds"

export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{}> {}

const refused = (code: "malformed_json" | "too_deep", message: string) =>
  new InvalidArgument({ context: "body", issues: [issue([], code, message)] })

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

const joined = (chunks: ReadonlyArray<Uint8Array>, octets: number): Uint8Array => {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(octets)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** The octets of the body; past the bound they are counted but not kept, and not for long. */
const octetsOf = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let octets = 0
    const tooLarge = Latch.makeUnsafe(Number(request.headers["content-length"] ?? 0) > bodyOctetsMax)
    const reading = Stream.runForEach(request.stream, (chunk) => {
      octets += chunk.length
      if (octets <= bodyOctetsMax) chunks.push(chunk)
      else {
        chunks.length = 0
        tooLarge.openUnsafe()
      }
      return octets > discardOctetsMax ? Effect.fail(new BodyTooLarge()) : Effect.void
    })
    const patience = tooLarge.await.pipe(
      Effect.andThen(Effect.sleep(discardDuration)),
      Effect.andThen(Effect.fail(new BodyTooLarge()))
    )
    return Effect.raceFirst(reading, patience).pipe(
      Effect.andThen(
        Effect.suspend(() =>
          octets > bodyOctetsMax ? Effect.fail(new BodyTooLarge()) : Effect.succeed(joined(chunks, octets))
        )
      )
    )
  })

const parsed = (octets: Uint8Array): Effect.Effect<unknown, InvalidArgument> => {
  if (octets.length === 0) return Effect.fail(refused("malformed_json", "must not be empty"))
  if (isNestedDeeper(octets, jsonDepthMax))
    return Effect.fail(
      refused("too_deep", `must not have arrays and objects nested deeper than ${jsonDepthMax} levels`)
    )
  return Effect.try({
    try: () => JSON.parse(decoder.decode(octets)) as unknown,
    catch: () => refused("malformed_json", "must be JSON in UTF-8")
  })
}

/** The decoded JSON of the body. */
export const jsonBody = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<unknown, InvalidArgument | BodyTooLarge> =>
  octetsOf(request).pipe(
    Effect.catchTag("HttpServerError", () => Effect.fail(refused("malformed_json", "could not be read to its end"))),
    Effect.flatMap(parsed)
  )
