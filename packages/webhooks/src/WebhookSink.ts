/**
 * Posts a push to its endpoint and says what the endpoint answered. When, how often and under which signature is the core's.
 *
 * Every try resolves the host anew, refuses when any address of it is not public, and connects to the very address that was looked at.
 * Redirects are not followed, proxies of the environment not used, and of the answer nothing but status and `Retry-After` is looked at.
 */
import { request as httpRequest } from "node:http"
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import { request as httpsRequest } from "node:https"
import type { EventSinkShape, Push, PushOutcome } from "@mailkeep/core/port"
import { EventSink, SinkUnavailable } from "@mailkeep/core/port"
import { Effect, Layer } from "effect"
import type { Address } from "./internal/openAddress.ts"
import { openAddress } from "./internal/openAddress.ts"

export interface WebhookSinkOptions {
  /** For development: `http`, and addresses of this machine. */
  readonly allowLoopback?: boolean
  /** Name servers to ask, such as `127.0.0.1:5353`; the system's when left out. */
  readonly nameServers?: ReadonlyArray<string>
  /** Certificates to trust beside the usual ones, as PEM. */
  readonly certificates?: string
}

/** How much of an answer is read before the connection is ended. */
const answerOctetsMax = 64 * 1024

const retryAfter = (text: string | undefined): number | null => {
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

const outcomeOf = ({ statusCode = 0, headers }: IncomingMessage): PushOutcome =>
  statusCode >= 200 && statusCode < 300
    ? { _tag: "Taken", status: statusCode }
    : {
        _tag: "Refused",
        status: statusCode,
        retryAfterSeconds: retryAfter(headers["retry-after"]),
        gone: statusCode === 410
      }

/** Reads the answer to its end, or to the bound: what is too long is not waited for. */
const drained = (response: IncomingMessage, done: () => void): void => {
  let octets = 0
  response.on("data", (chunk: Buffer) => {
    octets += chunk.length
    if (octets > answerOctetsMax) response.destroy()
  })
  response.on("close", done)
}

/** A word for a failure, without what a peer or a system said. */
const reasonOf = (cause: unknown): string => {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code.toLowerCase() : "connection_failed"
}

const pinned = (
  url: URL,
  { address, family }: Address,
  { headers, body }: Push,
  certificates?: string
): RequestOptions => ({
  method: "POST",
  host: url.hostname.replace(/^\[|\]$/g, ""),
  port: url.port === "" ? undefined : Number(url.port),
  path: `${url.pathname}${url.search}`,
  agent: false,
  headers: { "user-agent": "Mailkeep-Webhooks", ...headers, "content-length": body.length },
  lookup: (_host, options, answer) => {
    const all = (options as { readonly all?: boolean }).all === true
    if (all) (answer as (error: null, found: ReadonlyArray<Address>) => void)(null, [{ address, family }])
    else answer(null, address, family)
  },
  ...(certificates === undefined ? {} : { ca: certificates })
})

const posted = (url: URL, address: Address, push: Push, certificates: string | undefined) =>
  Effect.callback<PushOutcome, SinkUnavailable>((resume) => {
    const begin = url.protocol === "https:" ? httpsRequest : httpRequest
    const request: ClientRequest = begin(pinned(url, address, push, certificates), (response) => {
      const outcome = outcomeOf(response)
      drained(response, () => resume(Effect.succeed(outcome)))
    })
    request.on("error", (cause) => resume(Effect.fail(new SinkUnavailable({ reason: reasonOf(cause) }))))
    request.end(push.body)
    return Effect.sync(() => request.destroy())
  })

export const make = ({
  allowLoopback = false,
  nameServers,
  certificates
}: WebhookSinkOptions = {}): EventSinkShape => ({
  capabilities: { carriesHeaders: true },
  push: (push) => {
    const url = URL.canParse(push.endpoint) ? new URL(push.endpoint) : undefined
    if (url === undefined || !(url.protocol === "https:" || (allowLoopback && url.protocol === "http:")))
      return Effect.fail(new SinkUnavailable({ reason: "not_https" }))
    return Effect.flatMap(openAddress(url, { allowLoopback, nameServers }), (address) =>
      posted(url, address, push, certificates)
    )
  }
})

export const layer = (options: WebhookSinkOptions = {}): Layer.Layer<EventSink> =>
  Layer.sync(EventSink, () => make(options))
