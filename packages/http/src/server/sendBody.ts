/**
 * Reads the body of a send or of a batch, which may have files of 20 MiB in base64. Their bytes are decoded without a string of their size, and count against
 * the budget of bodies until the send ends. Source: decisions 0032, 0042 and 0048.
 */
import type { InvalidArgument, SendInput } from "@mailkeep/core"
import type { Fields, Steps } from "@mailkeep/core/binding"
import { attachmentsMax, base64Steps, batchItemsMax, decoder, isFields } from "@mailkeep/core/binding"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { CurrentPrincipal } from "../api/Access.ts"
import { attachmentNames, renamedAttachmentPath, withRenamedFields } from "../api/fieldNames.ts"
import { uncountedBodyBytes } from "./bodyBudget.ts"
import type { BodyBytes } from "./bodyBytes.ts"
import { inTurns } from "./inTurns.ts"
import type { LongString } from "./jsonStrings.ts"
import { parseJson, withoutEscapes } from "./jsonStrings.ts"
import { bodyBytesMax, BodyRefused, parseBody, parsedAs, tryJson, withReceived } from "./requestBody.ts"
import { withInputPaths } from "./wireNames.ts"

/** 20 MiB of files in base64, the bodies and the rest. A send without files may have no more than any other body. */
const sendBodyBytesMax = 30 * 1024 * 1024

const renamedFile = (file: unknown): unknown => (isFields(file) ? withRenamedFields(attachmentNames, file) : file)

/** Gives the fields of the files the names that the service has. */
const withServiceNames = (body: unknown): unknown =>
  isFields(body) && Array.isArray(body["attachments"])
    ? { ...body, attachments: body["attachments"].slice(0, attachmentsMax + 1).map(renamedFile) }
    : body

/** The same in each message of a batch. */
const withServiceNamesInBatch = (body: unknown): unknown =>
  isFields(body) && Array.isArray(body["messages"])
    ? { ...body, messages: body["messages"].slice(0, batchItemsMax + 1).map(withServiceNames) }
    : body

/** Whether a path of the body is the content of a file. */
type IsContent = (path: ReadonlyArray<string>) => boolean

const isContent: IsContent = (path) => path.length === 3 && path[0] === "attachments" && path[2] === "content"

const isContentInBatch: IsContent = (path) => path.length === 5 && path[0] === "messages" && isContent(path.slice(2))

/** A text that is not base64, for which the core has an issue. */
const notBase64 = "?"

/** A long string of the body, and its place. */
interface PlacedString {
  readonly path: ReadonlyArray<string>
  readonly string: LongString
}

/** Puts a value into an object or array at some depth. */
const setAt = (root: object, path: ReadonlyArray<string>, value: unknown): void => {
  const parent = path.slice(0, -1).reduce<unknown>((within, name) => (within as Fields)[name], root)
  ;(parent as Record<string, unknown>)[path.at(-1)!] = value
}

function* contentSteps({ bytes, hasEscapes }: LongString): Steps<Uint8Array | undefined> {
  const base64 = hasEscapes ? yield* withoutEscapes(bytes) : bytes
  return base64 === undefined ? undefined : yield* base64Steps(base64)
}

/** Parses a string that is no content. It is parsed in one step, so it is not longer than a body without files. */
const parseText = (string: LongString): Effect.Effect<string, InvalidArgument | BodyRefused> =>
  string.bytes.length > bodyBytesMax
    ? Effect.fail(new BodyRefused({ reason: "text_too_large", bytesMax: bodyBytesMax, complete: true }))
    : Effect.tap(tryJson(string.text), () => Effect.yieldNow)

interface ParsedBody {
  readonly input: unknown
  /** How many bytes the contents have that were decoded. */
  readonly contentBytes: number
}

const parseContents = (
  body: BodyBytes,
  isContentPath: IsContent
): Effect.Effect<ParsedBody, InvalidArgument | BodyRefused> =>
  Effect.gen(function* () {
    const strings: Array<PlacedString> = []
    const input = yield* parseBody(body, (bytes, longStrings) =>
      parseJson(bytes, longStrings, (string, path) => {
        strings.push({ path, string })
        return notBase64
      })
    )
    const parsed = { input, contentBytes: 0 }
    for (const { path, string } of strings) {
      const isContent = isContentPath(path)
      const value = yield* isContent ? inTurns(() => contentSteps(string)) : parseText(string)
      if (value === undefined) continue
      setAt(parsed, ["input", ...path], value)
      if (isContent) parsed.contentBytes += value.length
    }
    return parsed
  }).pipe(Effect.ensuring(Effect.sync(body.clear)))

/** Gives the fields of the files the names of the request, in the issues of a refused message. */
export const withRequestNames = <E>(failure: E): E => withInputPaths(failure, renamedAttachmentPath)

const withContents = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  isContentPath: IsContent,
  use: (input: unknown, bytes: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | InvalidArgument | BodyRefused, R | CurrentPrincipal> =>
  withReceived(request, sendBodyBytesMax, (body, reservation) => {
    const bytes = body.bytes().length
    return Effect.flatMap(parseContents(body, isContentPath), ({ input, contentBytes }) => {
      // The contents have fewer bytes than the body had, so they fit.
      reservation.resize(contentBytes === 0 ? 0 : contentBytes + uncountedBodyBytes)
      return Effect.mapError(use(input, bytes), withRequestNames)
    })
  })

const hasFiles = (body: unknown): boolean => isFields(body) && body["attachments"] !== undefined

/** Runs a send with the unchecked body of the request. */
export const withSendBody = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  use: (input: SendInput) => Effect.Effect<A, E, R>
) =>
  withContents(request, isContent, (input, bytes): Effect.Effect<A, E | BodyRefused, R> =>
    bytes > bodyBytesMax && !hasFiles(input)
      ? Effect.fail(new BodyRefused({ reason: "too_large", bytesMax: bodyBytesMax, complete: true }))
      : use(withServiceNames(input) as SendInput)
  )

const decodeBatch = decoder(Schema.Struct({ messages: Schema.Unknown }))

/** Runs a batch with the unchecked messages of the request. */
export const withBatchBody = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  use: (messages: ReadonlyArray<SendInput>) => Effect.Effect<A, E, R>
) =>
  withContents(request, isContentInBatch, (input) =>
    Effect.flatMap(parsedAs(decodeBatch, withServiceNamesInBatch(input)), ({ messages }) =>
      use(messages as ReadonlyArray<SendInput>)
    )
  )
