/**
 * Reads the body of a send, which may have files of 20 MiB in base64. Their bytes are decoded without a string of their size, and count against
 * the budget of bodies until the send ends. Source: decisions 0032 and 0042.
 */
import type { InvalidArgument, SendInput } from "@mailkeep/core"
import { decodeBase64Octets } from "@mailkeep/core/binding"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { CurrentPrincipal } from "../api/Access.ts"
import { uncountedBytes } from "./bodyBudget.ts"
import type { BodyBytes } from "./bodyBytes.ts"
import type { LongString } from "./jsonStrings.ts"
import { parseJson } from "./jsonStrings.ts"
import type { BodyRefused } from "./requestBody.ts"
import { bodyOctetsMax, parseBody, withReceived } from "./requestBody.ts"

/** 20 MiB of files in base64, besides a body of the usual size. */
const sendBodyOctetsMax = bodyOctetsMax + 27 * 1024 * 1024

const isContent = (path: ReadonlyArray<string>): boolean =>
  path.length === 3 && path[0] === "attachments" && path[2] === "content"

/** A text that is not base64, for which the core has an issue. */
const notBase64 = "?"

interface ParsedSend {
  readonly input: SendInput
  /** How many bytes the contents have that were decoded. */
  readonly contentBytes: number
}

const parseSendBody = (body: BodyBytes): Effect.Effect<ParsedSend, InvalidArgument> => {
  let contentBytes = 0
  const read = (string: LongString, path: ReadonlyArray<string>): unknown => {
    if (!isContent(path) || string.hasEscapes) return string.text()
    const content = decodeBase64Octets(string.octets)
    contentBytes += content?.length ?? 0
    return content ?? notBase64
  }
  return Effect.map(
    parseBody(body, (octets, longStrings) => parseJson(octets, longStrings, read)),
    (input) => ({ input: input as SendInput, contentBytes })
  )
}

/** Runs a send with the unchecked body of the request. */
export const withSendBody = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  use: (input: SendInput) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | InvalidArgument | BodyRefused, R | CurrentPrincipal> =>
  withReceived(request, sendBodyOctetsMax, (body, reservation) =>
    Effect.flatMap(parseSendBody(body), ({ input, contentBytes }) => {
      // The contents have fewer bytes than the body had, so they fit.
      reservation.resize(contentBytes === 0 ? 0 : contentBytes + uncountedBytes)
      return use(input)
    })
  )
