/**
 * Posts a push to its endpoint and says what the endpoint answered. When, how often and under which signature is the core's.
 *
 * Every try resolves the host anew, refuses when any address of it is not public, and connects to the very address that was looked at.
 * Redirects are not followed, proxies of the environment not used, and of the answer nothing but status and `Retry-After` is looked at: its
 * head decides, its body is discarded. Source: decisions 0028 and 0035.
 */
import { request as httpRequest } from "node:http"
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import { request as httpsRequest } from "node:https"
import type { EventSinkShape, Push, PushOutcome } from "@mailkeep/core/port"
import { EventSink, SinkUnavailable } from "@mailkeep/core/port"
import { webhookTargetRules, isWebhookPort } from "@mailkeep/core/domain"
import type { WebhookTargetRules } from "@mailkeep/core/domain"
import { Clock, Duration, Effect, Layer } from "effect"
import type { Address } from "./internal/openAddress.ts"
import { openAddress } from "./internal/openAddress.ts"
import { retryAfterSeconds } from "./internal/retryAfter.ts"

/** Where requests may go, as for the core's `Webhooks`, and how. */
export interface WebhookSinkOptions extends Partial<WebhookTargetRules> {
  /** Name servers to ask, such as `127.0.0.1:5353`; the system's when left out. */
  readonly nameServers?: ReadonlyArray<string>
  /** Certificates to trust beside the usual ones, as PEM. */
  readonly certificates?: string
}

/** How much of an answer's body is discarded, and for how long, before the connection is closed. */
const bodyOctetsMax = 64 * 1024
const bodyMillisMax = 1000

const outcomeOf = ({ statusCode = 0, headers }: IncomingMessage, nowMillis: number): PushOutcome =>
  statusCode >= 200 && statusCode < 300
    ? { _tag: "Taken", status: statusCode }
    : {
        _tag: "Refused",
        status: statusCode,
        retryAfterSeconds: retryAfterSeconds(headers["retry-after"], nowMillis),
        gone: statusCode === 410
      }

/** Discards the body of an answer whose status is known, and closes the connection: it may drip, never end or break off, and changes nothing. */
const discardBody = (response: IncomingMessage): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    let octets = 0
    response.on("data", (chunk: Buffer) => {
      octets += chunk.length
      if (octets > bodyOctetsMax) resume(Effect.void)
    })
    response.on("close", () => resume(Effect.void))
  }).pipe(
    Effect.timeoutOption(Duration.millis(bodyMillisMax)),
    Effect.ensuring(Effect.sync(() => response.destroy())),
    Effect.asVoid
  )

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

/** The head of the answer. */
const posted = (url: URL, address: Address, push: Push, certificates: string | undefined) =>
  Effect.callback<IncomingMessage, SinkUnavailable>((resume) => {
    const begin = url.protocol === "https:" ? httpsRequest : httpRequest
    const request: ClientRequest = begin(pinned(url, address, push, certificates), (response) => {
      // An answer that breaks off is an error of the response; without a listener it would end the process.
      response.on("error", () => {})
      resume(Effect.succeed(response))
    })
    request.on("error", (cause) => resume(Effect.fail(new SinkUnavailable({ reason: reasonOf(cause) }))))
    request.end(push.body)
    return Effect.sync(() => request.destroy())
  })

/** The status decides as soon as it is there; nobody waits for the body. */
const answered = (response: IncomingMessage): Effect.Effect<PushOutcome> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.as(Effect.forkDetach(discardBody(response), { startImmediately: true }), outcomeOf(response, now))
  )

export const make = ({ nameServers, certificates, ...given }: WebhookSinkOptions = {}): EventSinkShape => {
  const rules = webhookTargetRules(given)
  return {
    capabilities: { carriesHeaders: true },
    push: (push) => {
      const url = URL.canParse(push.endpoint) ? new URL(push.endpoint) : undefined
      if (url === undefined || !(url.protocol === "https:" || (rules.allowLoopback && url.protocol === "http:")))
        return Effect.fail(new SinkUnavailable({ reason: "not_https" }))
      if (!isWebhookPort(url, rules)) return Effect.fail(new SinkUnavailable({ reason: "port_not_allowed" }))
      return openAddress(url, { rules, nameServers }).pipe(
        Effect.flatMap((address) => posted(url, address, push, certificates)),
        Effect.flatMap(answered)
      )
    }
  }
}

export const layer = (options: WebhookSinkOptions = {}): Layer.Layer<EventSink> =>
  Layer.sync(EventSink, () => make(options))
