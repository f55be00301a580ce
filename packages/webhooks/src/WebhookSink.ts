/**
 * Posts an event delivery to its endpoint and returns the result. The core decides when, how often and under which signature it sends.
 *
 * Every attempt resolves the host again, refuses it when any of its addresses is not public, and uses a connection to exactly the checked
 * address. A connection stays open for a few seconds after a response.
 * The sink follows no redirect and ignores the proxies of the environment. It reads only the status and `Retry-After` of a response, and
 * discards the body. Source: decisions 0028 and 0035.
 */
import type { ClientRequest, IncomingMessage } from "node:http"
import { clearTimeout, setTimeout } from "node:timers"
import type { EventSinkShape, SinkRequest, SinkOutcome, WebhookUrlRules } from "@mailkeep/core/adapter"
import {
  EventSink,
  SinkUnavailable,
  hostOf,
  isWebhookPort,
  webhookRules,
  webhookUrlRules
} from "@mailkeep/core/adapter"
import { assertOptions, hasPemCertificate, mustBe, optionsOf } from "@mailkeep/core/options"
import { Clock, Effect, Layer } from "effect"
import type { Address } from "./internal/allowedAddress.ts"
import { isNameServer, resolveAllowedAddress } from "./internal/allowedAddress.ts"
import type { Client, PinnedRequest } from "./internal/connections.ts"
import { makeConnections } from "./internal/connections.ts"
import { retryAfterSeconds } from "./internal/retryAfter.ts"

/** The allowed URLs and addresses of requests, as for the core's `Webhooks`, and the connection options. */
export interface WebhookSinkOptions extends Partial<WebhookUrlRules> {
  /** Name servers, such as `127.0.0.1:5353`; default the name servers of the system. */
  readonly nameServers?: ReadonlyArray<string>
  /** Certificates to trust besides the usual ones, as PEM. The usual ones are those that Node trusts, also by `NODE_EXTRA_CA_CERTS`. */
  readonly certificates?: string
}

/** A misspelled `deniedAddresses` would deny nothing. */
const rule = optionsOf<WebhookSinkOptions>(
  {
    ...webhookRules,
    nameServers: mustBe(
      'a list of addresses, such as ["127.0.0.1:5353"]',
      (value) => Array.isArray(value) && value.length > 0 && value.every(isNameServer)
    ),
    // Node ignores a text without a certificate.
    certificates: mustBe("PEM text, not the name of a file", hasPemCertificate)
  },
  { owner: "WebhookSink" }
)

/** The bytes and the time for which a response body is discarded. The connection of a longer body is closed. */
const bodyBytesMax = 64 * 1024
const bodyMillisMax = 1000

/** Interim responses (RFC 9110 §15.2) to one request. A receiver has no reason to send more. */
const interimResponsesMax = 100

const outcomeOf = ({ statusCode = 0, headers }: IncomingMessage, nowMillis: number): SinkOutcome =>
  statusCode >= 200 && statusCode < 300
    ? { _tag: "Accepted", status: statusCode }
    : {
        _tag: "Refused",
        status: statusCode,
        retryAfterSeconds: retryAfterSeconds(headers["retry-after"], nowMillis),
        wantsNoMoreEvents: statusCode === 410
      }

/**
 * Discards the body of a response whose status is known. Closes the connection of a body that is slow or endless. Such a body changes nothing.
 */
const discardBody = (response: IncomingMessage): void => {
  let bytes = 0
  const close = () => response.destroy()
  const timer = setTimeout(close, bodyMillisMax)
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bodyBytesMax) close()
  })
  response.on("close", () => clearTimeout(timer))
}

/** A short reason for a failure, without text from the peer or the system. */
const reasonOf = (cause: unknown): string => {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code.toLowerCase() : "connection_failed"
}

const pinned = (url: URL, { address, family }: Address, { headers, body }: SinkRequest): PinnedRequest => ({
  method: "POST",
  host: hostOf(url),
  port: url.port === "" ? undefined : Number(url.port),
  path: `${url.pathname}${url.search}`,
  pinned: { address, family },
  headers: { "user-agent": "Mailkeep-Webhooks", ...headers, "content-length": body.length },
  lookup: (_host, options, answer) => {
    const all = (options as { readonly all?: boolean }).all === true
    if (all) (answer as (error: null, found: ReadonlyArray<Address>) => void)(null, [{ address, family }])
    else answer(null, address, family)
  }
})

/** An open connection that the endpoint closed while a request was sent on it. */
const isClosedConnection = (request: ClientRequest, cause: unknown): boolean =>
  request.reusedSocket && (cause as NodeJS.ErrnoException).code === "ECONNRESET"

/** Ends the request of a receiver that sends interim responses without an end, because each costs the event loop time. */
const boundInterimResponses = (request: ClientRequest): void => {
  let left = interimResponsesMax
  request.on("information", () => {
    if (left-- === 0) request.destroy()
  })
}

/** Posts the request and resolves with the head of the response. Repeats it when the endpoint has closed the open connection. */
const posted = (client: Client, options: PinnedRequest, body: Uint8Array) =>
  Effect.callback<IncomingMessage, SinkUnavailable>((resume) => {
    let request: ClientRequest
    /** The endpoint has begun to answer, or the request was interrupted. */
    let isOver = false
    const answer = (response: IncomingMessage) => {
      isOver = true
      resume(Effect.succeed(response))
    }
    const post = () => {
      request = client.request(options, (response) => {
        // A response that breaks off emits an error. Without a listener the error would end the process.
        response.on("error", () => {})
        answer(response)
      })
      boundInterimResponses(request)
      request.on("information", () => {
        isOver = true
      })
      // Without this listener, Node closes the connection of a response 101, and reports neither a response nor an error.
      request.on("upgrade", (response, socket) => {
        socket.destroy()
        answer(response)
      })
      request.on("error", (cause) => {
        if (!isOver && isClosedConnection(request, cause)) post()
        else resume(Effect.fail(new SinkUnavailable({ reason: reasonOf(cause) })))
      })
      request.end(body)
    }
    post()
    return Effect.sync(() => {
      isOver = true
      request.destroy()
    })
  })

/** The status decides as soon as it arrives; the result does not wait for the body. */
const answered = (response: IncomingMessage): Effect.Effect<SinkOutcome> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    discardBody(response)
    return outcomeOf(response, now)
  })

/**
 * Makes a sink outside of Effect's layers. `layer` provides a sink as a service. Throws a `TypeError` for an unknown option and for an
 * option of another form.
 */
export const make = (options: WebhookSinkOptions = {}): EventSinkShape => {
  assertOptions(rule, options)
  const { nameServers, certificates, ...given } = options
  const rules = webhookUrlRules(given)
  const clientFor = makeConnections(certificates)
  return {
    capabilities: { carriesHeaders: true },
    send: (sinkRequest) => {
      const url = URL.canParse(sinkRequest.endpoint) ? new URL(sinkRequest.endpoint) : undefined
      if (url === undefined || !(url.protocol === "https:" || (rules.allowLoopback && url.protocol === "http:")))
        return Effect.fail(new SinkUnavailable({ reason: "not_https" }))
      if (!isWebhookPort(url, rules)) return Effect.fail(new SinkUnavailable({ reason: "port_not_allowed" }))
      return resolveAllowedAddress(url, { rules, nameServers }).pipe(
        Effect.flatMap((address) =>
          Effect.flatMap(clientFor(url), (client) =>
            posted(client, pinned(url, address, sinkRequest), sinkRequest.body)
          )
        ),
        Effect.flatMap(answered)
      )
    }
  }
}

/** Provides the sink as `EventSink`. Use the same rules as for `MailCore.layerWith({ webhooks })`. */
export const layer = (options: WebhookSinkOptions = {}): Layer.Layer<EventSink> =>
  Layer.sync(EventSink, () => make(options))
