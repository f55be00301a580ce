/**
 * The spans of requests: they name the route, and contain no token, query, header, address or API key.
 */
import type { TestMailOptions } from "@mailkeep/test-support"
import { openTestMail, project, send, stores, tick } from "@mailkeep/test-support"
import { ApiKeys, UnsubscribeLinks } from "@mailkeep/core"
import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Option, Redacted, Tracer } from "effect"
import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as NodeMailServer from "../src/node.ts"
import { MailServer } from "../src/index.ts"

const spans: Array<Tracer.NativeSpan> = []
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    spans.push(span)
    return span
  }
})

const failureOf = ({ status }: Tracer.NativeSpan): string =>
  status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""

const textOf = (span: Tracer.NativeSpan): string =>
  inspect([span.name, [...span.attributes], span.events, failureOf(span)], { depth: 9 })

const options: TestMailOptions = { unsubscribe: { url: "https://mail.acme.example/unsubscribe" } }

type Fetch = (path: string, init?: RequestInit) => Promise<Response>
type Mail = Awaited<ReturnType<typeof openTestMail>>

interface Served {
  readonly fetch: Fetch
  readonly close: () => Promise<void>
}

const overFetch = async (mail: Mail): Promise<Served> => {
  const context = Context.add(await mail.context(), Tracer.Tracer, tracer)
  const { handler, dispose } = MailServer.fetchHandler(context)
  return { fetch: (path, init) => handler(new Request(`https://mail.acme.example${path}`, init)), close: dispose }
}

const overNode = async (mail: Mail): Promise<Served> => {
  const services = Layer.succeedContext(await mail.context())
  const server = ManagedRuntime.make(
    NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100 }).pipe(
      Layer.provide(services),
      Layer.provide(Layer.succeed(Tracer.Tracer, tracer))
    )
  )
  const url = await server.runPromise(NodeMailServer.url)
  return { fetch: (path, init) => fetch(`${url}${path}`, init), close: () => server.dispose() }
}

describe.each([
  ["the fetch handler", overFetch],
  ["the Node server", overNode]
])("the spans of %s", (_, serve) => {
  let mail: Mail
  let served: Served
  let key: string
  let token: string

  beforeAll(async () => {
    let link = ""
    mail = await openTestMail(stores[0], {
      ...options,
      stub: { onCaptured: ({ message }) => (link = message.headers["List-Unsubscribe"] ?? "") }
    })
    served = await serve(mail)
    const created = await mail.runPromise(
      Effect.flatMap(ApiKeys, (keys) => keys.create(project, { permissions: ["email.send", "email.full_access"] }))
    )
    key = Redacted.value(created.secret)
    await mail.runPromise(Effect.andThen(send("k", {}, { listUnsubscribe: true }), tick))
    token = new URL(link.slice(1, -1)).pathname.split("/").at(-1)!
  })
  afterAll(async () => {
    await served.close()
    await mail.dispose()
  })

  const request = async (path: string, init: RequestInit = {}) => {
    spans.length = 0
    const response = await served.fetch(path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, "user-agent": "canary agent", "x-canary": "canary", ...init.headers }
    })
    await response.text()
    return { status: response.status, server: spans.filter(({ kind }) => kind === "server") }
  }

  const body = { from: "hello@example.com", to: "canary@example.org", subject: "canary", text: "canary" }
  const post = (sent: unknown) => ({
    method: "POST",
    body: JSON.stringify(sent),
    headers: { "content-type": "application/json", "idempotency-key": "canary" }
  })

  it.each<[name: string, path: () => string, init: () => RequestInit, span: string, status: number]>([
    ["a send", () => "/api/v1/emails/send", () => post(body), "POST /api/v1/emails/send", 202],
    [
      "a refused send",
      () => "/api/v1/emails/send",
      () => post({ ...body, to: "canary" }),
      "POST /api/v1/emails/send",
      400
    ],
    ["a search", () => "/api/v1/emails/logs?search=canary", () => ({}), "GET /api/v1/emails/logs", 200],
    ["one record", () => "/api/v1/emails/logs/canary", () => ({}), "GET /api/v1/emails/logs/:deliveryId", 404],
    ["a link to unsubscribe", () => `/unsubscribe/${token}`, () => ({}), "GET /unsubscribe/:token", 200],
    ["the click of it", () => `/unsubscribe/${token}`, () => ({ method: "POST" }), "POST /unsubscribe/:token", 200],
    ["an unknown path", () => "/canary/canary?canary=1", () => ({}), "GET", 404]
  ])("names the route of %s, and nothing of its content", async (_name, path, init, name, status) => {
    const { server, status: answered } = await request(path(), init())
    expect(answered).toBe(status)
    expect(server.map((span) => span.name)).toEqual([name])
    expect(Object.fromEntries(server[0]!.attributes)).toEqual({
      "http.request.method": name.split(" ")[0],
      ...(name.includes(" ") ? { "http.route": name.split(" ")[1] } : {}),
      "http.response.status_code": status
    })
    for (const text of spans.map(textOf))
      for (const secret of ["canary", token, key, "127.0.0.1"]) expect(text).not.toContain(secret)
  })

  it("makes the spans of the services children of the request, in the trace of the client", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const { server } = await request("/api/v1/emails/logs", { headers: { traceparent } })
    expect(server[0]).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c" })
    const list = spans.find(({ name }) => name === "DeliveryLog.list")
    expect(Option.getOrNull(list!.parent)?.spanId).toBe(server[0]!.spanId)
  })
})

describe("the span of a request that fails by a bug", () => {
  it("ends the span of a request that fails by a bug with the status alone", async () => {
    const mail = await openTestMail(stores[0], options)
    const context = Context.add(await mail.context(), Tracer.Tracer, tracer)
    const links = {
      ...Context.get(context, UnsubscribeLinks),
      isValid: () => {
        throw new Error("canary")
      }
    }
    const { handler, dispose } = MailServer.fetchHandler(Context.add(context, UnsubscribeLinks, links))
    spans.length = 0
    expect((await handler(new Request("https://mail.acme.example/unsubscribe/x"))).status).toBe(500)
    const span = spans.find(({ kind }) => kind === "server")
    expect(failureOf(span!)).toContain("RequestFailed: The request was answered with status 500.")
    expect(spans.map(textOf).join()).not.toContain("canary")
    await dispose()
    await mail.dispose()
  })
})
