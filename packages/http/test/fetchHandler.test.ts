/**
 * The web-standard handler: over the given core, below its base path, and without Node.
 */
import { builtinModules } from "node:module"
import { fileURLToPath } from "node:url"
import { ApiKeys, Dispatcher, MailStore, StoreNotOpened } from "@mailkeep/core"
import type { StoreUnderTest } from "@mailkeep/test-support"
import { delivery, testMailLayer, openTestMail, project, sendInput, stores } from "@mailkeep/test-support"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { build } from "vite"
import { afterEach, describe, expect, it } from "vitest"
import type { FetchHandlerOptions, MailSource } from "../src/server/fetchHandler.ts"
import { fetchHandler } from "../src/server/fetchHandler.ts"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A store that counts how often it is opened and closed. */
const counted = ({ name, layer }: StoreUnderTest) => {
  const counts = { opened: 0, closed: 0 }
  const counting = Effect.acquireRelease(
    Effect.sync(() => counts.opened++),
    () => Effect.sync(() => counts.closed++)
  )
  const store = { name, layer: layer.pipe(Layer.tap(() => counting)) }
  return { counts, store }
}

const open = async (store: StoreUnderTest) => {
  const core = await openTestMail(store)
  closing.push(() => core.dispose())
  const issued = await core.runPromise(
    Effect.flatMap(ApiKeys, (keys) => keys.create(project, { permissions: ["email.send", "email.full_access"] }))
  )
  return { core, headers: { authorization: `Bearer ${Redacted.value(issued.secret)}` } }
}

const handle = <E>(mail: MailSource<E>, options?: FetchHandlerOptions) => {
  const made = fetchHandler(mail, options)
  closing.push(made.dispose)
  return made
}

const post = (headers: Record<string, string>, path = "/api/v1/emails/send") =>
  new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", "idempotency-key": "k" },
    body: JSON.stringify(sendInput())
  })

describe.each(stores)("fetchHandler, over $name", (under) => {
  it("uses an open core, given as a runtime, a context or an object with a runtime, and leaves it open", async () => {
    const { counts, store } = counted(under)
    const { core, headers } = await open(store)
    for (const mail of [core, await core.context(), { runtime: core }]) {
      const { handler, dispose } = handle(mail)
      expect((await handler(new Request("http://localhost/api/v1/emails/logs", { headers }))).status).toBe(200)
      await dispose()
    }
    expect(counts).toEqual({ opened: 1, closed: 0 })
    expect(await core.runPromise(Effect.flatMap(ApiKeys, (keys) => keys.list(project)))).toHaveLength(1)
  })

  it("answers from the new runtime of a mail that begins again, and closes neither", async () => {
    const { counts, store } = counted(under)
    const [first, second] = [await open(store), await open(store)]
    const mail = { runtime: first.core }
    const { handler, dispose } = handle(mail)
    const statusWith = async ({ headers }: typeof first) =>
      (await handler(new Request("http://localhost/api/v1/emails/logs", { headers }))).status
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 401])
    mail.runtime = second.core
    expect(await Promise.all([statusWith(first), statusWith(second)])).toEqual([401, 200])
    expect((await handler(post(second.headers))).status).toBe(202)
    await dispose()
    expect(counts).toEqual({ opened: 2, closed: 0 })
  })

  it("wakes the dispatcher of the given core at once", async () => {
    const { core, headers } = await open(under)
    core.runFork(Effect.flatMap(Dispatcher, ({ run }) => run))
    const { handler } = handle(core)
    const response = await handler(post(headers))
    expect(response.status).toBe(202)
    const [id] = ((await response.json()) as { data: { deliveryIds: [string] } }).data.deliveryIds
    // The clock does not move, so a dispatcher that is not woken sleeps forever.
    await expect.poll(async () => (await core.runPromise(delivery(id))).status).toBe("delivered")
  })

  it("opens a core given as a layer once, and closes it on dispose", async () => {
    const { counts, store } = counted(under)
    const { handler, dispose } = handle(testMailLayer(store))
    for (const _ of [1, 2]) expect((await handler(new Request("http://localhost/api/v1/emails/logs"))).status).toBe(401)
    expect(counts).toEqual({ opened: 1, closed: 0 })
    await dispose()
    expect(counts).toEqual({ opened: 1, closed: 1 })
  })
})

describe("fetchHandler", () => {
  const [memory] = stores

  it("opens nothing before its first request", async () => {
    const { counts, store } = counted(memory)
    const runtime = ManagedRuntime.make(testMailLayer(store))
    closing.push(() => runtime.dispose())
    const first = handle({ runtime })
    await first.dispose()
    const { handler } = handle(testMailLayer(store))
    await new Promise((resolve) => setImmediate(resolve))
    expect(counts.opened).toBe(0)
    await handler(new Request("http://localhost/docs"))
    expect(counts.opened).toBe(1)
  })

  it("opens a mail that did not open again with the next request", async () => {
    const { core } = await open(memory)
    let opened = 0
    const mail = {
      runtime: core,
      open: async () => {
        if (++opened === 1) throw new StoreNotOpened({ reason: "unreachable", where: "mail.db" })
      }
    }
    const { handler } = handle(mail)
    const get = () => handler(new Request("http://localhost/api/v1/emails/logs"))
    await expect(get()).rejects.toBeInstanceOf(StoreNotOpened)
    expect([(await get()).status, (await get()).status, opened]).toEqual([401, 401, 2])
  })

  it("opens a layer that did not open again with the next request", async () => {
    let opened = 0
    const failing = Layer.unwrap(
      Effect.suspend(() =>
        ++opened === 1
          ? Effect.fail(new StoreNotOpened({ reason: "unreachable", where: "mail.db" }))
          : Effect.succeed(memory.layer)
      )
    )
    let closed = 0
    const besides = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => closed++)))
    const store = { name: "failing once", layer: Layer.provideMerge(failing, besides) }
    const { handler } = handle(testMailLayer(store))
    const get = () => handler(new Request("http://localhost/api/v1/emails/logs"))
    await expect(get()).rejects.toBeInstanceOf(StoreNotOpened)
    expect(closed).toBe(1)
    expect([(await get()).status, (await get()).status, opened, closed]).toEqual([401, 401, 2, 1])
  })

  it("rejects a request after it is closed", async () => {
    const { core } = await open(memory)
    const { handler, dispose } = handle(core)
    await dispose()
    await expect(handler(new Request("http://localhost/docs"))).rejects.toThrow("The handler is closed.")
  })

  it.each([[{}], [{ runtime: {} }], [Promise.resolve({})], [undefined], [null]])(
    "refuses %j instead of a core",
    (mail) => {
      expect(() => fetchHandler(mail as never)).toThrow("The first argument must be")
    }
  )

  it.each<[string, unknown]>([
    ["endpoint", { endpoint: ["send"] }],
    ["endpoints", { endpoints: "send" }],
    ["authenticate", { authenticate: "session" }],
    ["trustedOrigins", { trustedOrigins: "https://app.acme.example" }],
    ["docs", { docs: "no" }],
    ["mailbox", { mailbox: "yes" }],
    ["basePath", { basePath: "mail" }],
    ["basePath", { basePath: "/mail/" }],
    ["options", null]
  ])("refuses a wrong or an unknown option by its name: %s", (name, options) => {
    expect(() => fetchHandler(testMailLayer(memory), options as never)).toThrow(
      new RegExp(`\\b${name}\\b.*(?:must|is not)`)
    )
  })

  it("answers a request without a body as one with an empty body", async () => {
    const { core, headers } = await open(memory)
    const { handler } = handle(core)
    const request = { method: "POST", headers: { ...headers, "content-type": "application/json" } }
    for (const body of [undefined, null, ""]) {
      const sent = new Request("http://localhost/api/v1/emails/contacts", { ...request, body: body as null })
      const response = await handler(sent)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { details: { context: "body", issues: [{ path: [], code: "malformed_json", message: "must not be empty" }] } }
      ])
    }
  })

  it("answers 503 to a send after its core was closed, and takes no mail", async () => {
    const { core, headers } = await open(memory)
    const { handler } = fetchHandler(await core.context())
    expect((await handler(post(headers))).status).toBe(202)
    await core.dispose()
    const response = await handler(post({ ...headers, "idempotency-key": "after" }))
    expect([response.status, await response.json()]).toMatchObject([503, { error: "unavailable" }])
  })

  it("names a request whose body was read before", async () => {
    const { core, headers } = await open(memory)
    const { handler } = handle(core)
    const request = post(headers)
    await request.text()
    const response = await handler(request)
    expect([response.status, await response.json()]).toMatchObject([
      500,
      {
        error: "internal_error",
        message:
          "The body of this request was read before Mailkeep received the request. Mount Mailkeep before the body parser."
      }
    ])
  })
  const statusOf = async (handler: (request: Request) => Promise<Response>, path: string, headers = {}) =>
    (await handler(new Request(`http://localhost${path}`, { headers }))).status

  it("answers below its base path, and answers 404 in the same format outside of it", async () => {
    const { core, headers } = await open(memory)
    const { handler } = handle(core, { basePath: "/mail/v" })
    expect((await handler(post(headers, "/mail/v/api/v1/emails/send"))).status).toBe(202)
    expect(await statusOf(handler, "/mail/v/api/v1/emails/logs?limit=1", headers)).toBe(200)
    expect(await statusOf(handler, "/mail/v/api/v1/emails/send", headers)).toBe(405)
    expect(await statusOf(handler, "/mail/v/docs")).toBe(200)
    for (const path of ["/api/v1/emails/logs", "/mail/v", "/mail/vapi/v1/emails/logs", "/Mail/v/docs", "/"]) {
      const response = await handler(new Request(`http://localhost${path}`, { headers }))
      expect([path, response.status, ((await response.json()) as { error: string }).error]).toEqual([
        path,
        404,
        "not_found"
      ])
      expect(response.headers.get("x-request-id")).not.toBeNull()
    }
    const document = await (await handler(new Request("http://localhost/mail/v/openapi.json"))).json()
    expect(document).toMatchObject({ servers: [{ url: "/mail/v" }] })
  })

  it.each(["mail", "/mail/", "//mail", "/ma il", "/mail?x", "https://x.example/"])(
    "refuses the base path %j",
    (basePath) => {
      expect(() => fetchHandler(testMailLayer(memory), { basePath })).toThrow(TypeError)
    }
  )

  it("serves neither the OpenAPI document nor the docs page when docs is false", async () => {
    const { core, headers } = await open(memory)
    const { handler } = handle(core, { docs: false })
    expect(await statusOf(handler, "/docs")).toBe(404)
    expect(await statusOf(handler, "/openapi.json")).toBe(404)
    expect(await statusOf(handler, "/api/v1/emails/logs", headers)).toBe(200)
  })

  it("rejects each request with the failure of a core that does not open", async () => {
    const failure = new StoreNotOpened({ reason: "unreachable", where: "mail.db" })
    const { handler } = handle(testMailLayer({ name: "broken", layer: Layer.effect(MailStore, Effect.fail(failure)) }))
    await expect(handler(new Request("http://localhost/docs"))).rejects.toBe(failure)
  })

  it("imports no Node module, directly or through a dependency", async () => {
    const node = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)])
    const found = new Set<string>()
    await build({
      configFile: false,
      logLevel: "silent",
      build: {
        write: false,
        minify: false,
        lib: { entry: fileURLToPath(new URL("../src/server/fetchHandler.ts", import.meta.url)), formats: ["es"] }
      },
      plugins: [
        {
          name: "node-modules",
          enforce: "pre",
          resolveId(id, importer) {
            if (!node.has(id)) return null
            found.add(`${id} in ${importer}`)
            return { id, external: true }
          }
        }
      ]
    })
    expect([...found]).toEqual([])
  }, 60_000)
})
