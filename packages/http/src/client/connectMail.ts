/**
 * The project of an API key over HTTP, with promises. Source: decision 0055.
 */
import type { ProjectHandle } from "@mailkeep/core/handle"
import { isAbortSignal } from "@mailkeep/core/handle/calls"
import type { OptionRules } from "@mailkeep/core/options"
import { assertOptions, functionOption, mustBe, optionsOf, timerMillisMax, wholeOption } from "@mailkeep/core/options"
import { makeContacts, makeLists, makeProperties, makeSegments, makeSuppressions } from "./contactClient.ts"
import type { Fetch } from "./requests.ts"
import { makeRequest } from "./requests.ts"
import { makeDeliveries, makeSending } from "./sendingClient.ts"
import { makeDomains, makeTemplates, makeWebhooks } from "./settingClient.ts"

/** Where the mail is, and how the client behaves. */
export interface ConnectMailOptions {
  /** Where the interface is mounted, without `/api/v1`: `https://mail.acme.example` or `https://acme.example/mail`. */
  readonly url: string | URL
  /** The secret of an API key. The project of the key is the project of the handle. Never use it in a browser. */
  readonly apiKey: string
  /** The default sender, such as `Acme <hi@acme.example>`. Default: none, so that each send needs `from`. */
  readonly from?: string | undefined
  /** How requests are sent. Default: the global `fetch` at the time of the request. */
  readonly fetch?: Fetch | undefined
  /** The longest time of one request, with its response, in milliseconds: at least 1. Default: 30,000. */
  readonly timeoutMillis?: number | undefined
  /** How often a call is repeated at most: 0 to 100. Default: 3. */
  readonly retries?: number | undefined
  /** The largest response in bytes. A larger one rejects with `UnexpectedResponse`. Default: 64 MiB, which each response of the interface fits in. */
  readonly responseBytesMax?: number | undefined
  /** Ends each call of the handle when it is aborted. */
  readonly signal?: AbortSignal | undefined
}

const defaultTimeoutMillis = 30_000
const defaultRetries = 3
const retriesMax = 100
const defaultResponseBytesMax = 64 * 1024 * 1024

const isPlainUrl = (value: unknown): boolean => {
  if (!(value instanceof URL) && (typeof value !== "string" || !URL.canParse(value))) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === "")
}

const rules: OptionRules<ConnectMailOptions> = {
  url: mustBe("an http or https URL without a user name, a query and a fragment", isPlainUrl),
  apiKey: mustBe(
    "an API key of visible ASCII characters (is the environment variable set?)",
    (value) => typeof value === "string" && /^[\x21-\x7e]+$/.test(value)
  ),
  from: mustBe('a sender, such as "Acme <hi@acme.example>"', (value) => typeof value === "string"),
  fetch: functionOption,
  timeoutMillis: wholeOption(1, timerMillisMax),
  retries: wholeOption(0, retriesMax),
  responseBytesMax: wholeOption(1, Number.MAX_SAFE_INTEGER),
  signal: mustBe("an AbortSignal", isAbortSignal)
}

/**
 * Makes the handle of the project of an API key. Sends no request: the first call of a method does. Throws a `TypeError` for an unknown option and
 * for one of another form.
 *
 * Each method rejects with a failure of the core, such as `InvalidArgument`, with `MailUnreachable` or with `UnexpectedResponse`. Reads, sends and
 * other calls that a repeat does not change are repeated after a network error and after the statuses 408, 502, 503 and 504. Every call is repeated when it
 * was refused by a rate limit, and when no connection was made. A send without an idempotency key gets one for all its requests.
 *
 * @example
 * ```ts
 * import { MailServer } from "@mailkeep/http"
 * import { connectMail } from "@mailkeep/http/client"
 * import { memory, openMail, stub } from "mailkeep"
 *
 * const core = await openMail({ store: memory(), transport: stub(), domains: ["acme.example"] })
 * const { secret } = await core.apiKeys.create({ permissions: ["email.send", "email.full_access"] })
 * const { handler, dispose } = MailServer.fetchHandler(core)
 *
 * // With a server, `url` and `apiKey` are enough. This example calls the handler of the same process.
 * const fetch = (url: string, init: RequestInit) => handler(new Request(url, init))
 * const mail = connectMail({ url: "https://mail.acme.example", apiKey: secret, fetch })
 * const { totalQueued } = await mail.send({
 *   from: "Acme <hi@acme.example>",
 *   to: "ada@example.org",
 *   subject: "Welcome",
 *   text: "Hello.",
 *   idempotencyKey: "welcome:ada"
 * })
 * console.log(totalQueued) // 1
 * await dispose()
 * await core.close()
 * ```
 */
export const connectMail = (options: ConnectMailOptions): ProjectHandle => {
  assertOptions(optionsOf(rules, { owner: "connectMail", required: ["url", "apiKey"] }), options)
  const { url, apiKey, from, signal } = options
  const request = makeRequest({
    // Without a slash at its end, because each path begins with one.
    base: new URL(url).href.replace(/(?<!\/)\/+$/, ""),
    apiKey,
    fetch: options.fetch ?? ((address, init) => globalThis.fetch(address, init)),
    timeoutMillis: options.timeoutMillis ?? defaultTimeoutMillis,
    retries: options.retries ?? defaultRetries,
    responseBytesMax: options.responseBytesMax ?? defaultResponseBytesMax,
    signal
  })
  return {
    ...makeSending(request, from),
    deliveries: makeDeliveries(request),
    contacts: makeContacts(request),
    lists: makeLists(request),
    properties: makeProperties(request),
    segments: makeSegments(request),
    suppressions: makeSuppressions(request),
    templates: makeTemplates(request),
    domains: makeDomains(request),
    webhooks: makeWebhooks(request)
  }
}
