/**
 * Reads the body of a send, which may have files of 20 MiB in base64. Their bytes are decoded without a string of their size, and count against
 * the budget of bodies until the send ends. Source: decisions 0032 and 0042.
 */
import type { InvalidArgument, SendInput } from "@mailkeep/core"
import { attachmentsMax, decodeBase64Octets } from "@mailkeep/core/binding"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { CurrentPrincipal } from "../api/Access.ts"
import { uncountedBytes } from "./bodyBudget.ts"
import type { BodyBytes } from "./bodyBytes.ts"
import type { LongString } from "./jsonStrings.ts"
import { parseJson } from "./jsonStrings.ts"
import type { BodyRefused } from "./requestBody.ts"
import { parseBody, withReceived } from "./requestBody.ts"
import { withWireNames } from "./wireNames.ts"

/** 20 MiB of files in base64, the bodies and the rest. */
const sendBodyOctetsMax = 30 * 1024 * 1024

/**
 * The names of a file's fields on the wire and in process, in both directions. A field that has the name of the other side becomes unknown, and
 * its issue names it as the request does.
 */
const attachmentNames = {
  contentType: "content_type",
  contentId: "content_id",
  content_type: "contentType",
  content_id: "contentId"
} as const

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const renamed = (file: unknown): unknown =>
  isObject(file)
    ? Object.fromEntries(
        Object.entries(file).map(([name, value]) => [
          Object.hasOwn(attachmentNames, name) ? attachmentNames[name as keyof typeof attachmentNames] : name,
          value
        ])
      )
    : file

/** Gives the fields of the files the names that the service has. */
const withServiceNames = (body: unknown): unknown =>
  isObject(body) && Array.isArray(body["attachments"])
    ? { ...body, attachments: body["attachments"].slice(0, attachmentsMax + 1).map(renamed) }
    : body

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
    (input) => ({ input: withServiceNames(input) as SendInput, contentBytes })
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
      return withWireNames(attachmentNames)(use(input))
    })
  )
