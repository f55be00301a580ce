/**
 * The responses to internal failures: a store that is unavailable, and a bug.
 */
import { MailStore, StoreUnavailable } from "@mailkeep/core"
import { sendInput, stores } from "@mailkeep/test-support"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, openHttpTestServer, postSend } from "./httpTestServer.ts"

describe("a contact filter that takes too long", () => {
  it("answers 503 with Retry-After when a contact filter takes too long, and asks for a narrower filter", async () => {
    const [{ layer }] = stores
    const slow = {
      name: "memory, with a contact search that never ends",
      layer: Layer.effect(
        MailStore,
        Effect.map(MailStore, (inner) => ({
          ...inner,
          read: ((queries) =>
            queries[0]?._tag === "ContactScan"
              ? Effect.as(TestClock.adjust("1 second"), [
                  { items: [], matches: 0, next: { createdAt: 1, id: "con_1" } }
                ])
              : inner.read(queries)) as typeof inner.read
        }))
      ).pipe(Layer.provide(layer))
    }
    const wire = await openHttpTestServer(slow)
    const answer = await wire.call("/emails/contacts?search=a")
    await wire.close()
    expect(answer).toMatchObject(error(503, "unavailable"))
    expect(answer.headers.get("retry-after")).toBe("1")
    expect((answer.body as { message: string }).message).toContain("narrower search or segment")
  })
})

describe("an internal failure", () => {
  let failing: Effect.Effect<never, StoreUnavailable> | null = null
  const [{ layer }] = stores
  const store = {
    name: "memory, which fails on demand",
    layer: Layer.effect(
      MailStore,
      Effect.map(MailStore, (inner) => ({
        ...inner,
        commit: (changes) => failing ?? inner.commit(changes)
      }))
    ).pipe(Layer.provide(layer))
  }
  let wire: HttpTestServer
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
  })
  afterAll(() => wire.close())
  const sendWhile = async (key: string, how: typeof failing) => {
    failing = how
    const answer = await postSend(wire, sendInput(), { headers: { "idempotency-key": key } })
    failing = null
    return answer
  }

  it("answers 503 with Retry-After while the store is unavailable, and processes the same request afterwards", async () => {
    const cause = new Error("disk at 10.0.0.7 is gone")
    const answer = await sendWhile("unreachable", Effect.fail(new StoreUnavailable({ reason: "unreachable", cause })))
    expect(answer).toMatchObject(error(503, "unavailable"))
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    expect(answer.text).not.toContain("10.0.0.7")
    expect((await sendWhile("unreachable", null)).status).toBe(202)
  })

  it("answers 500 without internal details for a bug, and serves the next request", async () => {
    const answer = await sendWhile("bug", Effect.die(new Error("TypeError in secret_table")))
    expect(answer).toMatchObject(error(500, "internal_error"))
    expect(answer.text).not.toContain("secret_table")
    expect((await sendWhile("bug", null)).status).toBe(202)
  })
})
