/**
 * The client as a service of Effect.
 */
import { ContactNotFound } from "@mailkeep/core"
import { Cause, ConfigProvider, Effect, Exit, Fiber, Redacted, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { MailClient, MailUnreachable } from "../../src/client/effect.ts"
import type { Fetch } from "../../src/client.ts"
import { emptyPage, fetchError, json, sent, wireError } from "./scriptedFetch.ts"

const message = { from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." }

const clientOf = (fetch: Fetch) =>
  MailClient.layer({ url: "https://mail.example", apiKey: Redacted.make("mk_1"), retries: 0, fetch })

const run = <A, E>(effect: Effect.Effect<A, E, MailClient>, fetch: Fetch) =>
  Effect.runPromiseExit(Effect.provide(effect, clientOf(fetch)))

const summary = (id: string) => ({
  id,
  created_at: "2026-01-01T00:00:00.000Z",
  recipient: "ada@example.org",
  subject: "Welcome",
  status: "queued",
  scheduled_at: null
})

const pages: Fetch = async (url) => {
  const cursor = new URL(url).searchParams.get("cursor")
  return json(200, {
    message: "",
    data: {
      items: [summary(cursor ?? "first")],
      limit: 1,
      hasMore: cursor === null,
      nextCursor: cursor === null ? "second" : null
    }
  })
}

describe("MailClient", () => {
  it("runs methods with every number of parameters", async () => {
    const paths: Array<string> = []
    const fetch: Fetch = async (url, { method }) => {
      paths.push(`${method} ${new URL(url).pathname}${new URL(url).search}`)
      return url.includes("/send") ? sent() : url.includes("/logs") ? emptyPage() : wireError(404, "not_found")
    }
    const program = Effect.gen(function* () {
      const mail = yield* MailClient
      const { totalQueued } = yield* mail.send(message)
      yield* mail.deliveries.list()
      yield* mail.deliveries.list({ limit: 3 })
      yield* Effect.flip(mail.lists.removeContact("lst_1", "con_1"))
      yield* Effect.flip(mail.webhooks.listEventDeliveries("whk_1"))
      return totalQueued
    })
    expect(await run(program, fetch)).toEqual(Exit.succeed(1))
    expect(paths).toEqual([
      "POST /api/v1/emails/send",
      "GET /api/v1/emails/logs",
      "GET /api/v1/emails/logs?limit=3",
      "DELETE /api/v1/emails/lists/lst_1/contacts/con_1",
      "GET /api/v1/emails/webhooks/whk_1/deliveries"
    ])
  })

  it("fails with the failures of the core and of the client, by their tags", async () => {
    const program = Effect.flatMap(MailClient, ({ contacts }) => contacts.get("con_1")).pipe(
      Effect.catchTag("ContactNotFound", (failure) => Effect.succeed(failure))
    )
    const exit = await run(program, async () => wireError(404, "not_found"))
    expect(Exit.isSuccess(exit) && exit.value).toBeInstanceOf(ContactNotFound)
    const unreachable = await run(program, async () => {
      throw fetchError("ECONNRESET")
    })
    expect(Exit.isFailure(unreachable) && Cause.squash(unreachable.cause)).toBeInstanceOf(MailUnreachable)
    expect(Exit.isFailure(unreachable) && unreachable.cause.reasons.every(Cause.isFailReason)).toBe(true)
  })

  it("streams all pages", async () => {
    const program = Effect.flatMap(MailClient, ({ deliveries }) =>
      deliveries.each().pipe(
        Stream.map(({ id }) => id),
        Stream.runCollect
      )
    )
    expect(await run(program, pages)).toEqual(Exit.succeed(["first", "second"]))
  })

  it("reads no further page than a stream needs", async () => {
    let requests = 0
    const program = Effect.flatMap(MailClient, ({ deliveries }) => Stream.runHead(deliveries.each()))
    await run(program, (url, init) => {
      requests++
      return pages(url, init)
    })
    expect(requests).toBe(1)
  })

  it.each(["an effect", "a stream"])("aborts the request when %s is interrupted", async (kind) => {
    const started = Promise.withResolvers<AbortSignal>()
    const fetch: Fetch = (_, { signal }) => {
      started.resolve(signal!)
      return new Promise(() => {})
    }
    const program = Effect.flatMap(MailClient, ({ deliveries }) =>
      kind === "a stream" ? Effect.asVoid(Stream.runDrain(deliveries.each())) : Effect.asVoid(deliveries.list())
    )
    const fiber = Effect.runFork(Effect.provide(program, clientOf(fetch)))
    const signal = await started.promise
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(signal.aborted).toBe(true)
  })

  it("reads its URL and its API key from the configuration", async () => {
    const requests: Array<readonly [string, string | null]> = []
    const fetch: Fetch = async (url, { headers }) => {
      requests.push([url, new Headers(headers).get("authorization")])
      return emptyPage()
    }
    const env = { MAILKEEP_URL: "https://mail.example/mail", MAILKEEP_API_KEY: "mk_configured" }
    await Effect.runPromise(
      Effect.flatMap(MailClient, ({ deliveries }) => deliveries.list()).pipe(
        Effect.provide(MailClient.layerConfig({ fetch })),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      )
    )
    expect(requests).toEqual([["https://mail.example/mail/api/v1/emails/logs", "Bearer mk_configured"]])
  })
})
