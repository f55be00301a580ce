/**
 * Sends the requests of the client by `fetch`, within bounds of time and size, and repeats them where that is safe. Source: decision 0055.
 */
import type { Issue } from "@mailkeep/core"
import type { CallOptions } from "@mailkeep/core/handle"
import { callIssues, withOwnMessage } from "@mailkeep/core/handle/calls"
import { isRecord } from "@mailkeep/core/options"
import type { CallFacts, MailClientFailure } from "./failures.ts"
import {
  groupOf,
  invalidArgument,
  isRateLimit,
  MailUnreachable,
  notFound,
  toFailure,
  UnexpectedResponse
} from "./failures.ts"
import { queryIssues, toInputPath, toQuery } from "./inputs.ts"
import { jsonIssues, toPlainJson } from "./jsonIssues.ts"
import type { OperationId } from "./operations.ts"
import { operations } from "./operations.ts"
import { pause, withDeadline } from "./deadline.ts"
import type { NetworkFailure } from "./networkFailure.ts"
import { networkFailure } from "./networkFailure.ts"
import type { Answer } from "./responseBody.ts"
import { readAnswer } from "./responseBody.ts"

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How requests are sent. */
export interface RequestSettings {
  /** The address below which the interface is, without a slash at its end. */
  readonly base: string
  readonly apiKey: string
  readonly fetch: Fetch
  readonly timeoutMillis: number
  readonly retries: number
  readonly responseBytesMax: number
  readonly signal: AbortSignal | undefined
}

/** One call of a method. */
interface Call {
  readonly operation: OperationId
  /** In the order of the path. */
  readonly ids?: ReadonlyArray<string>
  readonly query?: object | undefined
  /** Absent for an operation without a body. `undefined` is sent as `null`, which the server refuses. */
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly domain?: string | null
  readonly options?: CallOptions | undefined
}

/** Makes the result of a call from the JSON of its response. `replayed` says whether the response is that of an earlier request. */
type Convert<W, A> = (json: W, replayed: boolean) => A | Promise<A>

/** Runs calls. */
export type Request = <W, A>(call: Call, convert: Convert<W, A>) => Promise<A>

/** What came of one request: the answer of the server, or why there is none. */
type Outcome = { readonly answer: Answer } | NetworkFailure

/** The wait before the first retry. Each later one waits twice as long. */
const firstWaitMillis = 200
const waitMillisMax = 10_000
/** A server that asks for a longer wait gets no retry from this call. */
const retryAfterMillisMax = 60_000

const backOffMillis = (retry: number): number =>
  Math.min(waitMillisMax, firstWaitMillis * 2 ** retry) * (0.5 + Math.random() / 2)

/** `Retry-After` in milliseconds: seconds, also with a fraction, or a date (RFC 9110 §10.2.3). `undefined` without one. */
const retryAfterMillis = (headers: Headers): number | undefined => {
  const value = headers.get("retry-after")
  if (value === null) return undefined
  if (/^\d{1,9}(?:\.\d+)?$/.test(value)) return Number(value) * 1000
  // `Date.parse` takes other texts for dates too, such as `-5`. Each form of a date begins with the day of the week.
  const millis = /^[A-Z][a-z]/.test(value) ? Date.parse(value) - Date.now() : Number.NaN
  return Number.isNaN(millis) ? undefined : Math.max(0, millis)
}

/** How long to wait before the request is repeated. `undefined`: it is not repeated. */
const waitBeforeRetry = (outcome: Outcome, isRepeatable: boolean, retry: number): number | undefined => {
  if ("failure" in outcome) return isRepeatable || !outcome.isSent ? backOffMillis(retry) : undefined
  const { status, headers, json } = outcome.answer
  const isRefused = isRateLimit(status, json)
  if (!isRefused && !(isRepeatable && [408, 502, 503, 504].includes(status))) return undefined
  const asked = retryAfterMillis(headers)
  if (asked === undefined) return backOffMillis(retry)
  return asked > retryAfterMillisMax ? undefined : asked + Math.random() * firstWaitMillis
}

/** What the core accepts as an idempotency key. Another one can be no header field. */
const idempotencyKeyIssues = (key: unknown): ReadonlyArray<Issue> => {
  const path = ["idempotencyKey"]
  if (typeof key !== "string") return [{ path, code: "invalid_type", message: "must be a string" }]
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return []
  return [{ path, code: "invalid_value", message: "must be 1 to 128 visible ASCII characters" }]
}

/** A text that no path can contain: a URL removes the segments `.` and `..`, so that the request would have another path. */
const isUnreachableId = (id: string): boolean => /^\.{0,2}$/.test(id) || !id.isWellFormed()

/** The failure of a call that no request can carry. */
const failureBefore = async (
  { idempotencyKey, body, query }: Call,
  facts: CallFacts
): Promise<MailClientFailure | undefined> => {
  const names = [...operations[facts.operation].path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const wrongIds = facts.ids.flatMap((id, at) => (typeof id === "string" ? [] : [names[at]!]))
  if (wrongIds.length > 0)
    return invalidArgument(
      "ids",
      wrongIds.map((name) => ({ path: [name], code: "invalid_type", message: "must be a string" }))
    )
  const keyIssues = idempotencyKey === undefined ? [] : idempotencyKeyIssues(idempotencyKey)
  if (keyIssues.length > 0) return invalidArgument("options", keyIssues)
  const filterIssues = queryIssues(query)
  if (filterIssues.length > 0) return invalidArgument("filters", filterIssues)
  const group = groupOf(facts.operation)
  const bodyIssues = jsonIssues(body).map((one) => ({ ...one, path: toInputPath(group, one.path) }))
  if (bodyIssues.length > 0) return invalidArgument("input", bodyIssues)
  const at = facts.ids.findIndex(isUnreachableId)
  return at === -1 ? undefined : notFound(facts, at)
}

const pathOf = ({ operation }: Call, ids: ReadonlyArray<string>): string => {
  const left = [...ids]
  return operations[operation].path.replaceAll(/:\w+/g, () => encodeURIComponent(left.shift()!))
}

const initOf = ({ operation, idempotencyKey, ...call }: Call, apiKey: string): RequestInit => ({
  method: operations[operation].method,
  headers: {
    accept: "application/json",
    authorization: `Bearer ${apiKey}`,
    ...("body" in call ? { "content-type": "application/json" } : {}),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
  },
  ...("body" in call ? { body: JSON.stringify(toPlainJson(call.body) ?? null) } : {}),
  // The interface redirects nothing. A redirect would repeat a write as a read, or show the request to another server.
  redirect: "manual"
})

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const redirectCharactersMax = 200

/** Says where a redirect goes. Leaves out the user, the password and the query of the address, which may be secret. */
const redirectDetail = (location: string | null, base: string): string => {
  const isAddress = location !== null && URL.canParse(location, base)
  const { origin, pathname } = isAddress ? new URL(location, base) : { origin: "", pathname: "" }
  const target = isAddress ? ` to ${origin}${pathname}`.slice(0, redirectCharactersMax) : ""
  return `it redirects${target}, and the client follows no redirect: use the final address as url`
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Makes the function that runs calls. */
export const makeRequest = (settings: RequestSettings): Request => {
  const { base, apiKey, timeoutMillis, retries, responseBytesMax } = settings
  const withoutApiKey = (text: string): string => text.replaceAll(apiKey, "[apiKey]")

  const sendOnce = async (url: string, init: RequestInit): Promise<Outcome> => {
    try {
      const response = await settings.fetch(url, init)
      return { answer: await readAnswer(response, responseBytesMax) }
    } catch (cause) {
      if (cause instanceof UnexpectedResponse) throw cause
      return networkFailure(cause, withoutApiKey)
    }
  }

  const attempt = (url: string, init: RequestInit, signals: ReadonlyArray<AbortSignal>): Promise<Outcome> =>
    withDeadline(timeoutMillis, signals, (signal) => sendOnce(url, { ...init, signal })).then(
      (outcome) =>
        outcome ?? {
          failure: new MailUnreachable({ reason: "timeout", detail: `within ${timeoutMillis} ms` }),
          isSent: true
        }
    )

  const resultOf = async <W, A>(outcome: Outcome, facts: CallFacts, convert: Convert<W, A>): Promise<A> => {
    if ("failure" in outcome) throw outcome.failure
    const { status, headers, json } = outcome.answer
    if (isSuccess(status) && isRecord(json)) {
      const replayed = headers.get("idempotent-replayed") === "true"
      try {
        return await convert(json as W, replayed)
      } catch {
        throw new UnexpectedResponse({ status, detail: "the body has another form than that of the interface" })
      }
    }
    if (redirectStatuses.has(status)) {
      const location = headers.get("location")
      const detail = redirectDetail(location === null ? null : withoutApiKey(location), base)
      throw new UnexpectedResponse({ status, detail })
    }
    const { error, message } = isRecord(json) ? json : {}
    if (typeof error !== "string" || typeof message !== "string")
      throw new UnexpectedResponse({ status, detail: "the body is not one of the interface" })
    const body = json as Readonly<Record<string, unknown>>
    const wire = { status, error, message: withoutApiKey(message), body, retryAfterMillis: retryAfterMillis(headers) }
    throw await toFailure(wire, facts)
  }

  const request: Request = async (call, convert) => {
    const { operation, ids = [], domain = null, options, query } = call
    const facts = { operation, ids, domain }
    const wrongOptions = callIssues(options)
    if (wrongOptions.length > 0) throw await invalidArgument("options", wrongOptions)
    const signals = [options?.signal, settings.signal].filter((signal) => signal !== undefined)
    for (const signal of signals) signal.throwIfAborted()
    const before = await failureBefore(call, facts)
    if (before !== undefined) throw before
    const url = `${base}/api/v1${pathOf(call, ids)}${toQuery(query)}`
    const init = initOf(call, apiKey)
    const { isRepeatable } = operations[operation]
    for (let retry = 0; ; retry++) {
      const outcome = await attempt(url, init, signals)
      const wait = retry < retries ? waitBeforeRetry(outcome, isRepeatable, retry) : undefined
      if (wait === undefined) return resultOf(outcome, facts, convert)
      await pause(wait, signals)
    }
  }

  return async (call, convert) => {
    try {
      return await request(call, convert)
    } catch (cause) {
      throw withOwnMessage(cause)
    }
  }
}
