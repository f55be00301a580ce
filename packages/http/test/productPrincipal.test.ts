/**
 * Requests of the product's own sessions, over real HTTP.
 */
import { DeliveryLog } from "@mailkeep/core"
import { project } from "@mailkeep/test-support"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { isCrossSite } from "../src/server/crossSite.ts"
import type { FetchHandlerOptions } from "../src/server/fetchHandler.ts"
import { fetchHandler } from "../src/server/fetchHandler.ts"
import type { Authenticate, ProductPrincipal } from "../src/server/productPrincipal.ts"
import type { MountedServer } from "./mountedServer.ts"
import { openMountedServer } from "./mountedServer.ts"

let server: MountedServer
const opened: Array<MountedServer> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const mount = async (...options: Parameters<typeof openMountedServer>) => {
  server = await openMountedServer(...options)
  opened.push(server)
}

const everything: ProductPrincipal = { project, permissions: ["email.send", "email.full_access"] }

/** The sessions of the product by the value of the cookie `session`. */
const sessions =
  (bySession: Readonly<Record<string, ProductPrincipal>>): Authenticate =>
  async ({ headers }) =>
    bySession[/session=(\w+)/.exec(headers.get("cookie") ?? "")?.[1] ?? ""] ?? null

const open = (authenticate: Authenticate, options: FetchHandlerOptions = {}) => mount({ authenticate, ...options })

const deliveries = (projectId: string) =>
  server.run(
    Effect.flatMap(DeliveryLog, (log) => log.list(projectId, { limit: 10 })).pipe(
      Effect.map(({ items }) => items.length)
    )
  )

const ada = { cookie: "session=ada" }
const statusOf = async (headers: Record<string, string>) =>
  (await server.get("/api/v1/emails/logs", { headers })).status
const errorOf = async (response: Response) => [response.status, ((await response.json()) as { error: string }).error]

describe("authenticate", () => {
  it("lets a session act in its project with its permissions", async () => {
    await open(sessions({ ada: everything, bob: { ...everything, project: "prj_other" } }))
    expect((await server.send(ada)).status).toBe(202)
    expect(await deliveries(project)).toBe(1)
    const log = async (cookie: string) =>
      (
        (await (await server.get("/api/v1/emails/logs?source=api", { headers: { cookie } })).json()) as {
          data: { items: ReadonlyArray<unknown> }
        }
      ).data.items.length
    expect([await log("session=ada"), await log("session=bob")]).toEqual([1, 0])
  })

  it("asks for an API key when the product does not know the session", async () => {
    await open(sessions({ ada: everything }))
    expect(await statusOf({ cookie: "session=nobody" })).toBe(401)
    expect(await statusOf({ authorization: await server.authorization() })).toBe(200)
    await open(() => undefined)
    expect(await statusOf({ authorization: await server.authorization() })).toBe(200)
  })

  it("uses the session and not the API key of a request that has both", async () => {
    await open(sessions({ ada: { project, permissions: ["email.send"] } }))
    const authorization = await server.authorization()
    expect(await statusOf({ authorization })).toBe(200)
    expect(await statusOf({ authorization, ...ada })).toBe(403)
  })

  it("refuses what the permissions or the domain scope of a session do not include", async () => {
    const scoped = (domainScope: ReadonlyArray<string>) => ({ ...everything, domainScope })
    await open(
      sessions({ reader: { project, permissions: [] }, other: scoped(["other.example"]), own: scoped(["EXAMPLE.com"]) })
    )
    const outcome = async (session: string) => errorOf(await server.send({ cookie: `session=${session}` }))
    expect(await outcome("reader")).toEqual([403, "not_allowed"])
    expect(await outcome("other")).toEqual([403, "not_allowed"])
    expect((await server.send({ cookie: "session=own" })).status).toBe(202)
    expect(await deliveries(project)).toBe(1)
  })

  it("sends a response of the product as it is, with the id of the request", async () => {
    await open(
      async () =>
        new Response("Log in first.", {
          status: 302,
          headers: [
            ["location", "/login"],
            ["set-cookie", "a=1; Path=/"],
            ["set-cookie", "b=2; Path=/"]
          ]
        })
    )
    const response = await server.get("/api/v1/emails/logs", { headers: { "x-request-id": "req-1" } })
    expect([response.status, await response.text(), response.headers.getSetCookie()]).toEqual([
      302,
      "Log in first.",
      ["a=1; Path=/", "b=2; Path=/"]
    ])
    expect(Object.fromEntries(response.headers)).toMatchObject({ location: "/login", "x-request-id": "req-1" })
  })

  it.each<[string, Authenticate]>([
    ["rejects", () => Promise.reject(new TypeError("password hunter2"))],
    [
      "throws",
      () => {
        throw new TypeError("password hunter2")
      }
    ]
  ])("answers 500 and shows nothing of the failure when the function %s", async (_, authenticate) => {
    await open(authenticate)
    const response = await server.get("/api/v1/emails/logs", {
      headers: { authorization: await server.authorization() }
    })
    const body = await response.text()
    expect([response.status, (JSON.parse(body) as { error: string }).error]).toEqual([500, "internal_error"])
    expect(server.logged).toEqual([
      ["The function authenticate failed.", { error: "TypeError", at: expect.any(Array) }]
    ])
    expect(body + JSON.stringify(server.logged)).not.toContain("hunter2")
  })

  it.each([
    ["project", { project: "" }],
    ["project", { project: "a/b" }],
    ["project", { project: undefined }],
    ["permissions", { permissions: ["email.everything"] }],
    ["permissions", { permissions: "email.send" }],
    ["domainScope", { domainScope: [] }],
    ["domainScope", { domainScope: ["no domain"] }],
    ["domainScope", { domainScope: null }],
    ["domainScope", { domainScope: "example.com" }]
  ])("answers 500 and names the field in the log when %s is wrong: %j", async (field, wrong) => {
    await open(async () => ({ ...everything, ...wrong }) as ProductPrincipal)
    expect(await errorOf(await server.send())).toEqual([500, "internal_error"])
    expect(server.logged).toEqual([["The function authenticate returned a wrong field.", { field }]])
    expect(await deliveries(project)).toBe(0)
  })

  it("answers 500 when the function reads the body, and names the mistake", async () => {
    await open(async (request) => {
      await request.text()
      return everything
    })
    const response = await server.send()
    expect(response.status).toBe(500)
    expect(((await response.json()) as { message: string }).message).toContain(
      "The body of this request was read before"
    )
  })

  it("counts the sessions of a project against the rate limit of the project", async () => {
    await mount(
      { authenticate: sessions({ ada: everything, bob: everything }) },
      { plan: { rateLimit: { requests: 2, windowMillis: 60_000 } } }
    )
    const answers = []
    for (const session of ["ada", "bob", "ada"]) answers.push(await server.send({ cookie: `session=${session}` }))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429])
    expect(await answers[2]!.json()).toMatchObject({ error: "too_many_requests", scope: "project" })
    expect(answers[0]!.headers.get("ratelimit")).toBe('"project";r=1;t=30')
  })

  it("is not asked for pages without a check, or for unknown paths", async () => {
    let asked = 0
    await open(() => {
      asked++
      return null
    })
    for (const path of ["/openapi.json", "/docs", "/unsubscribe/x", "/nowhere"]) await server.get(path)
    expect(asked).toBe(0)
    await server.get("/api/v1/emails/logs")
    expect(asked).toBe(1)
  })
})

describe("a request of a page of another site", () => {
  const crossSite = { "sec-fetch-site": "cross-site", origin: "https://evil.example" }

  it("refuses a change with a session", async () => {
    await open(sessions({ ada: everything }))
    expect(await errorOf(await server.send({ ...ada, ...crossSite }))).toEqual([403, "not_allowed"])
    expect(await deliveries(project)).toBe(0)
    expect((await server.send({ ...ada, "sec-fetch-site": "same-origin" })).status).toBe(202)
  })

  it("accepts a change with an API key or from a trusted origin", async () => {
    await open(sessions({ ada: everything }), { trustedOrigins: ["https://app.acme.example"] })
    expect((await server.send({ authorization: await server.authorization(), ...crossSite })).status).toBe(202)
    expect((await server.send({ ...ada, ...crossSite, origin: "https://app.acme.example" })).status).toBe(202)
  })

  it.each(["app.acme.example", "https://app.acme.example/", "https://app.acme.example/x", "null", "*"])(
    "refuses the trusted origin %j",
    (origin) => {
      expect(() => fetchHandler({} as never, { trustedOrigins: [origin] })).toThrow(TypeError)
    }
  )
})

describe("isCrossSite", () => {
  const trusted = new Set(["https://app.acme.example"])
  it.each<[string, Record<string, string>, boolean]>([
    ["GET", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, false],
    ["HEAD", { "sec-fetch-site": "cross-site" }, false],
    ["POST", {}, false],
    ["POST", { "sec-fetch-site": "same-origin" }, false],
    ["POST", { "sec-fetch-site": "none" }, false],
    ["POST", { "sec-fetch-site": "cross-site" }, true],
    ["POST", { "sec-fetch-site": "same-site", origin: "https://other.acme.example" }, true],
    ["POST", { "sec-fetch-site": "same-site", origin: "https://app.acme.example" }, false],
    ["DELETE", { origin: "https://mail.acme.example" }, false],
    ["DELETE", { origin: "http://mail.acme.example" }, false],
    ["DELETE", { origin: "https://mail.acme.example:8443" }, true],
    ["PATCH", { origin: "https://evil.example" }, true],
    ["PUT", { origin: "null" }, true],
    ["POST", { "sec-fetch-site": "same-origin", origin: "https://evil.example" }, false]
  ])("decides for %s with %j: %s", (method, headers, expected) => {
    expect(isCrossSite(new Request("https://mail.acme.example/mail", { method, headers }), trusted)).toBe(expected)
  })
})
