/**
 * The interface over real HTTP, with a clock that the tests move.
 */
import type { ApiKey, Permission } from "@mailkeep/core"
import { ApiKeys, Domains } from "@mailkeep/core"
import type { TestMail, TestMailOptions, StoreUnderTest } from "@mailkeep/test-support"
import { openTestMail, project } from "@mailkeep/test-support"
import type { ApiDocument } from "@mailkeep/test-support/apiDocument"
import { operationFinder } from "@mailkeep/test-support/apiDocument"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { expect } from "vitest"
import type { ServerLimits } from "../src/node.ts"
import * as NodeMailServer from "../src/node.ts"

interface Answered {
  readonly status: number
  readonly headers: Headers
  // The wire tests read bodies of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly text: string
}

export interface CallOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** `null` sends no API key. */
  readonly key?: string | null
}

export interface HttpTestServer {
  readonly url: string
  /** The secret of an API key of the project with both permissions. */
  readonly key: string
  readonly run: <A, E>(effect: Effect.Effect<A, E, TestMail>) => Promise<A>
  /** Throws when the status or the shape of the response differs from the OpenAPI document. */
  readonly call: (path: string, options?: CallOptions) => Promise<Answered>
  readonly keyOf: (
    projectId: string,
    permissions: ReadonlyArray<Permission>,
    more?: { readonly domainScope?: ReadonlyArray<string>; readonly expiresAt?: number }
  ) => Promise<{ readonly apiKey: ApiKey; readonly secret: string }>
  /** The present load of the server. */
  readonly load: NodeMailServer.ServerLoad["Service"]
  /** Shuts the server down like the end of its process. */
  readonly stop: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The message of a 400 names the part and the path of its first issue, then the problem. Source: docs/spec/clarifications.md W1. */
const expectSentence = ({ message, details: { context, issues } }: Answered["body"]): void => {
  const [first] = issues
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ""
  expect(message.startsWith(context)).toBe(true)
  expect(message.endsWith(` ${first.message}${more}`)).toBe(true)
  for (const issue of issues) {
    expect(issue.message).toMatch(/^(?:is|has|had|must|was|could|needs|names|puts|makes|uses) .*[^.]$/u)
    expect(issue.message.startsWith(`${issue.path.at(-1)} `)).toBe(false)
  }
}

/** The finders by the text of the document, because each compiles its schemas. */
const finders = new Map<string, ReturnType<typeof operationFinder>>()

const finderOf = (document: string): ReturnType<typeof operationFinder> => {
  const existing = finders.get(document)
  if (existing !== undefined) return existing
  const made = operationFinder(JSON.parse(document) as ApiDocument)
  finders.set(document, made)
  return made
}

const both: ReadonlyArray<Permission> = ["email.send", "email.full_access"]

export const openHttpTestServer = async (
  store: StoreUnderTest,
  options?: TestMailOptions,
  limits: Partial<ServerLimits> = {}
): Promise<HttpTestServer> => {
  const mail = await openTestMail(store, options)
  const services = Layer.succeedContext(await mail.context())
  const server = ManagedRuntime.make(
    NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100, ...limits }).pipe(Layer.provide(services))
  )
  const url = await server.runPromise(NodeMailServer.url)
  const load = await server.runPromise(NodeMailServer.ServerLoad)
  const run = <A, E>(effect: Effect.Effect<A, E, TestMail>) => mail.runPromise(effect)

  const keyOf: HttpTestServer["keyOf"] = (projectId, permissions, more = {}) =>
    run(
      Effect.gen(function* () {
        const { apiKey, secret } = yield* (yield* ApiKeys).create(projectId, { permissions, ...more })
        return { apiKey, secret: Redacted.value(secret) }
      })
    )
  const { secret: key } = await keyOf(project, both)
  const find = finderOf(await (await fetch(`${url}/openapi.json`)).text())

  const call: HttpTestServer["call"] = async (path, { method = "GET", body, headers = {}, key: with_ = key } = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(with_ === null ? {} : { authorization: `Bearer ${with_}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const answered = text === "" ? undefined : JSON.parse(text)
    const operation = find(method, new URL(response.url).pathname)
    const complaint = operation?.checkResponse(response.status, answered)
    if (complaint !== undefined) throw new Error(`${method} ${path} ${complaint}: ${text}`)
    if (answered?.details !== undefined) expectSentence(answered)
    return { status: response.status, headers: response.headers, text, body: answered }
  }

  return {
    url,
    key,
    run,
    call,
    keyOf,
    load,
    stop: () => server.dispose(),
    close: async () => {
      await server.dispose()
      await mail.dispose()
    }
  }
}

/** A second project with the same verified domain, and the secret of its API key. */
export const otherProject = async (wire: HttpTestServer) => {
  await wire.run(
    Effect.flatMap(Domains, (domains) => domains.create("prj_other", { domain: "example.com", verified: true }))
  )
  return (await wire.keyOf("prj_other", both)).secret
}

let sends = 0

/** Sends a message with a new idempotency key. */
export const postSend = (wire: HttpTestServer, body: unknown, options: CallOptions = {}) =>
  wire.call("/emails/send", {
    method: "POST",
    body,
    ...options,
    headers: { "idempotency-key": `send-${sends++}`, ...options.headers }
  })

/** The expected refusal, without the parts that only some refusals have. */
export const error = (status: number, word: string) => ({
  status,
  body: { error: word, message: expect.any(String), correlationId: expect.stringMatching(/^[\w-]{1,64}$/) }
})

/** The expected 400 with exactly these issues, in this order. */
export const invalid = (
  context: string,
  ...issues: ReadonlyArray<readonly [path: ReadonlyArray<string | number>, code: string]>
) => ({
  status: 400,
  body: {
    error: "invalid_argument",
    details: { context, issues: issues.map(([path, code]) => ({ path, code, message: expect.any(String) })) }
  }
})
