/**
 * Reads a JSON body within its bounds: a size, a time limit, and the budget of all bodies. Source: decisions 0009 and 0032.
 */
import type { Issue } from "@mailkeep/core"
import { InvalidArgument } from "@mailkeep/core"
import { issue } from "@mailkeep/core/binding"
import { Data, Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { CurrentPrincipal } from "../api/Access.ts"
import type { BodyReservation } from "./bodyBudget.ts"
import { BodyBudget } from "./bodyBudget.ts"
import type { BodyBytes } from "./bodyBytes.ts"
import { makeBodyBytes } from "./bodyBytes.ts"
import type { BodyInChunks, BodyUnreadable } from "./bodyChunks.ts"
import { BodyChunks } from "./bodyChunks.ts"
import { errorResponse } from "./failureResponse.ts"
import { inTurns } from "./inTurns.ts"
import type { JsonFault } from "./jsonBounds.ts"
import { jsonDepthMax, jsonScan, jsonValuesMax } from "./jsonBounds.ts"
import type { LongSpan } from "./jsonStrings.ts"

/** The bound of every body except that of a send or a batch. */
export const bodyBytesMax = 10 * 1024 * 1024
/** Bytes and time for which a refused body is still read, so that the client can read the response. */
const discardBytesMax = 64 * 1024 * 1024
const discardDuration = "5 seconds"

type RefusalReason = "too_large" | "text_too_large" | "too_slow" | "over_budget"

/** A body that is refused for its size or time, whatever it contains. */
export class BodyRefused extends Data.TaggedError("BodyRefused")<{
  readonly reason: RefusalReason
  /** The limit of the body. */
  readonly bytesMax: number
  /** Whether the body was read to its end. */
  readonly complete: boolean
}> {}

const refusals = {
  too_large: { status: 413, error: "invalid_argument" },
  text_too_large: { status: 413, error: "invalid_argument" },
  too_slow: { status: 408, error: "invalid_argument" },
  over_budget: { status: 503, error: "unavailable" }
} as const

const messages: Readonly<Record<RefusalReason, (bytesMax: number) => string>> = {
  too_large: (bytesMax) => `The body is larger than ${bytesMax} bytes.`,
  text_too_large: (bytesMax) => `A text of the body is larger than ${bytesMax} bytes.`,
  too_slow: () => "The body did not arrive in time.",
  over_budget: () => "Too many request bodies are arriving at once."
}

export const bodyRefusedResponse = ({ reason, bytesMax, complete }: BodyRefused) => {
  const { status, error } = refusals[reason]
  const body = { error, message: messages[reason](bytesMax) }
  // The rest of the body may still arrive, so the connection cannot carry another request.
  return errorResponse(status, body, complete ? {} : { connection: "close" })
}

const refused = (code: "malformed_json" | JsonFault, message: string) =>
  new InvalidArgument({ argument: "input", issues: [issue([], code, message)] })

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

interface ReceiveBounds {
  readonly bytesMax: number
  readonly bodyMillis: number
}

/** Reads the body to its end. Past a bound, drops the bytes and discards the rest for a short time. */
const receive = (
  { next, isWithheld }: BodyInChunks,
  declaredBytes: number,
  reservation: BodyReservation,
  { bytesMax, bodyMillis }: ReceiveBounds
): Effect.Effect<BodyBytes, BodyRefused | BodyUnreadable> =>
  Effect.suspend(() => {
    const body = makeBodyBytes()
    let refusal: RefusalReason | undefined
    let bytes = 0
    const refuse = (reason: RefusalReason) => {
      refusal = reason
      body.clear()
      reservation.release()
    }
    const take = (chunk: Uint8Array) => {
      bytes += chunk.length
      if (refusal !== undefined) return
      if (bytes > bytesMax) return refuse("too_large")
      body.append(chunk)
      if (!reservation.resize(body.capacity())) refuse("over_budget")
    }
    /** Whether the body has ended. Stops earlier when `isEnough` holds after a chunk. */
    const readUntil = (isEnough: () => boolean): Effect.Effect<boolean, BodyUnreadable> =>
      Effect.flatMap(next, (chunks) => {
        if (chunks.length === 0) return Effect.succeed(true)
        chunks.forEach(take)
        return isEnough() ? Effect.succeed(false) : readUntil(isEnough)
      })
    const failRefused = (reason: RefusalReason) =>
      readUntil(() => bytes > discardBytesMax).pipe(
        Effect.timeoutOrElse({ duration: discardDuration, orElse: () => Effect.succeed(false) }),
        Effect.flatMap((complete) => Effect.fail(new BodyRefused({ reason, bytesMax, complete })))
      )

    if (declaredBytes > bytesMax) {
      // A client that waits for `100 Continue` need not send what would be discarded.
      if (isWithheld) return Effect.fail(new BodyRefused({ reason: "too_large", bytesMax, complete: false }))
      refuse("too_large")
      return failRefused("too_large")
    }
    return readUntil(() => refusal !== undefined).pipe(
      Effect.timeoutOrElse({
        duration: bodyMillis,
        orElse: () => {
          refuse("too_slow")
          return Effect.fail(new BodyRefused({ reason: "too_slow", bytesMax, complete: false }))
        }
      }),
      Effect.flatMap(() => (refusal === undefined ? Effect.succeed(body) : failRefused(refusal)))
    )
  })

const faultMessages = {
  too_deep: `must not have arrays and objects nested deeper than ${jsonDepthMax} levels`,
  too_many_items: `must not have more than ${jsonValuesMax} values`
} as const

/** Reads JSON of the body. `read` throws if the bytes are not JSON. */
export const tryJson = <A>(read: () => A): Effect.Effect<A, InvalidArgument> =>
  Effect.try({ try: read, catch: () => refused("malformed_json", "must be JSON in UTF-8") })

/** Checks the bounds of the body and parses it. `read` throws if the body is not JSON. The caller frees the bytes. */
export const parseBody = <A>(
  body: BodyBytes,
  read: (bytes: Uint8Array, longStrings: ReadonlyArray<LongSpan>) => A
): Effect.Effect<A, InvalidArgument> =>
  Effect.suspend(() => {
    const bytes = body.bytes()
    if (bytes.length === 0) return Effect.fail(refused("malformed_json", "must not be empty"))
    return Effect.flatMap(
      inTurns(() => jsonScan(bytes)),
      ({ fault, longStrings }) =>
        fault === undefined
          ? tryJson(() => read(bytes, longStrings))
          : Effect.fail(refused(fault, faultMessages[fault]))
    )
  })

/** The JSON, parsed by `read`. */
export const parsedAs = <A>(
  read: (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>,
  json: unknown
): Effect.Effect<A, InvalidArgument> => {
  const parsed = read(json)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(new InvalidArgument({ argument: "input", issues: parsed.failure }))
}

/** Receives the body and runs `use`. The bytes of the body count against the caller's API key until `use` ends. */
export const withReceived = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  bytesMax: number,
  use: (body: BodyBytes, reservation: BodyReservation) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | InvalidArgument | BodyRefused, R | CurrentPrincipal> =>
  Effect.gen(function* () {
    const { reserve, bodyMillis } = yield* BodyBudget
    const { apiKeyId, projectId } = yield* CurrentPrincipal
    const reservation = reserve(apiKeyId ?? projectId)
    const withBodyChunks = yield* BodyChunks
    const declaredBytes = Number(request.headers["content-length"] ?? 0)
    return yield* withBodyChunks(request, (chunks) =>
      receive(chunks, declaredBytes, reservation, { bytesMax, bodyMillis })
    ).pipe(
      Effect.catchTag("BodyUnreadable", () => Effect.fail(refused("malformed_json", "could not be read to its end"))),
      Effect.flatMap((body) => use(body, reservation)),
      Effect.ensuring(Effect.sync(reservation.release))
    )
  })

/** The decoded JSON of the body. Its bytes count against the caller's API key until they are parsed. */
export const jsonBody = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<unknown, InvalidArgument | BodyRefused, CurrentPrincipal> =>
  withReceived(request, bodyBytesMax, (body) =>
    parseBody(body, (bytes) => {
      const text = decoder.decode(bytes)
      body.clear()
      return JSON.parse(text) as unknown
    }).pipe(Effect.ensuring(Effect.sync(body.clear)))
  )
