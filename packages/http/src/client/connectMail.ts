/**
 * The project of an API key over HTTP, with promises. Source: decision 0055.
 */
import type { ProjectHandle } from "@mailkeep/core/handle"
import { makeContacts, makeLists, makeProperties, makeSegments, makeSuppressions } from "./contactClient.ts"
import type { Fetch } from "./requests.ts"
import { makeRequest } from "./requests.ts"
import { makeDeliveries, makeSending } from "./sendingClient.ts"
import { makeDomains, makeTemplates, makeWebhooks } from "./settingClient.ts"

/** Where the mail is, and how the client behaves. */
export interface ConnectMailOptions {
  /** Where the interface is mounted, without `/api/v1`: `https://mail.acme.example` or `https://acme.example/mail`. */
  readonly url: string
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
const timeoutMillisMax = 2 ** 31 - 1
const defaultRetries = 3
const retriesMax = 100
const defaultResponseBytesMax = 64 * 1024 * 1024

/** The address without a slash at its end. The messages do not show the values, because one of them can be the API key in the wrong field. */
const checkedUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === "")
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "")
  throw new TypeError("url must be an http or https URL without a user name, a query and a fragment.")
}

const checkedApiKey = (apiKey: string): string => {
  if (typeof apiKey === "string" && /^[\x21-\x7e]+$/.test(apiKey)) return apiKey
  throw new TypeError("apiKey must be visible ASCII characters. Is the environment variable set?")
}

const checkedNumber = (name: string, value: number, min: number, max: number): number => {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new TypeError(`${name} must be an integer from ${min} to ${max}.`)
}

/** Every option. The compiler refuses this list when `ConnectMailOptions` has another option. */
const optionNames: Readonly<Record<keyof ConnectMailOptions, true>> = {
  url: true,
  apiKey: true,
  from: true,
  fetch: true,
  timeoutMillis: true,
  retries: true,
  responseBytesMax: true,
  signal: true
}

const checkOptions = (options: ConnectMailOptions): void => {
  if (typeof options !== "object" || options === null)
    throw new TypeError("connectMail needs options: { url, apiKey }.")
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name))
  if (unknown !== undefined)
    throw new TypeError(
      `${JSON.stringify(unknown)} is not an option of connectMail. The options are ${Object.keys(optionNames).join(", ")}.`
    )
  const { from, fetch, signal } = options
  if (from !== undefined && typeof from !== "string")
    throw new TypeError('from must be a sender, such as "Acme <hi@acme.example>".')
  if (fetch !== undefined && typeof fetch !== "function") throw new TypeError("fetch must be a function.")
  if (signal !== undefined && typeof (signal as Partial<AbortSignal> | null)?.throwIfAborted !== "function")
    throw new TypeError("signal must be an AbortSignal.")
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
  checkOptions(options)
  const { timeoutMillis = defaultTimeoutMillis, retries = defaultRetries } = options
  const { fetch = (url, init) => globalThis.fetch(url, init) } = options
  const { responseBytesMax = defaultResponseBytesMax } = options
  const request = makeRequest({
    base: checkedUrl(options.url),
    apiKey: checkedApiKey(options.apiKey),
    fetch,
    timeoutMillis: checkedNumber("timeoutMillis", timeoutMillis, 1, timeoutMillisMax),
    retries: checkedNumber("retries", retries, 0, retriesMax),
    responseBytesMax: checkedNumber("responseBytesMax", responseBytesMax, 1, Number.MAX_SAFE_INTEGER),
    signal: options.signal
  })
  return {
    ...makeSending(request, options.from),
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
