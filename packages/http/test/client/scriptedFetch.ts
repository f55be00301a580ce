/**
 * A client whose `fetch` gives scripted answers, on fake time.
 */
import type { ProjectHandle } from "@mailkeep/core/handle"
import { onTestFinished, vi } from "vitest"
import type { ConnectMailOptions } from "../../src/client.ts"
import { connectMail } from "../../src/client.ts"

/** An answer: a response, an error of `fetch`, or no answer at all. */
export type Answer = Response | Error | "silence"

/** One request that the client sent. */
export interface SentRequest {
  readonly url: string
  readonly init: RequestInit
  readonly headers: Headers
  /** In milliseconds of the fake time since the client was made. */
  readonly at: number
}

export const apiKey = "mk_secret_of_the_test"

/** A JSON response. */
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers })

/** An error of the interface. */
export const wireError = (
  status: number,
  error: string,
  more: object = {},
  headers: Record<string, string> = {}
): Response => json(status, { error, message: "Refused.", correlationId: "req_1", ...more }, headers)

/** An error of `fetch` as Node makes it. */
export const fetchError = (code?: string, syscall = "connect"): Error =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error(`${syscall} ${code ?? ""}`), code === undefined ? {} : { code, syscall })
  })

export const sent = (headers: Record<string, string> = {}) =>
  json(202, { data: { messageId: "msg_1", deliveryIds: ["del_1"], totalQueued: 1, scheduledAt: null } }, headers)

export const emptyPage = () =>
  json(200, { message: "", data: { items: [], total: 0, limit: 50, hasMore: false, nextCursor: null } })

/** A client that gets these answers in their order, and the last one for all later requests. */
export const scriptedClient = (
  answers: ReadonlyArray<() => Answer>,
  options: Partial<ConnectMailOptions> = {}
): { readonly mail: ProjectHandle; readonly requests: ReadonlyArray<SentRequest> } => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const start = Date.now()
  const requests: Array<SentRequest> = []
  const mail = connectMail({
    url: "https://mail.example/base/",
    apiKey,
    fetch: async (url, init) => {
      requests.push({ url, init, headers: new Headers(init.headers), at: Date.now() - start })
      const answer = answers[Math.min(requests.length, answers.length) - 1]!()
      if (answer === "silence") return new Promise<never>(() => {})
      if (answer instanceof Error) throw answer
      return answer
    },
    ...options
  })
  return { mail, requests }
}

/** Lets fake time pass until the promise has settled. Returns its result in the form of `Promise.allSettled`. */
export const settled = async <A>(promise: Promise<A>): Promise<PromiseSettledResult<A>> => {
  let isSettled = false
  const all = Promise.allSettled([promise]).then(([one]) => {
    isSettled = true
    return one
  })
  // A failure loads its class, which takes real time.
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return all
}

/** The reason with which a promise rejects. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  const result = await settled(promise)
  if (result.status === "fulfilled") throw new Error("The promise resolved.")
  return result.reason
}
