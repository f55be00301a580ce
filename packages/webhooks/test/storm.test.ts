/**
 * Sends many events (STORM_EVENTS; default 200) to an endpoint that fails in every way. A dead endpoint and a healthy one get the same
 * events.
 */
import { createServer } from "node:http"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Contacts, EventSender, Webhooks } from "@mailkeep/core"
import { hourMillis, jitterOf, secondMillis } from "@mailkeep/core/adapter"
import { withTestMail, project, stopped, stores } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { WebhookSink } from "../src/index.ts"

const events = Number(process.env["STORM_EVENTS"] ?? 200)
const perWebhook = 8

type Act = "accept" | "fail" | "hang" | "redirect" | "reset"
const acts: ReadonlyArray<Act> = [
  ...Array.from({ length: 40 }, () => "accept" as const),
  ...Array.from({ length: 12 }, () => ["fail", "redirect", "reset"] as const).flat(),
  "hang"
]

/** Differs for each event delivery and attempt, and is the same in each run. The third attempt succeeds, before the retries are hours apart. */
const actOf = (id: string, attempt: number): Act =>
  attempt >= 3 ? "accept" : acts[Math.floor(jitterOf(id, attempt) * acts.length)]!

const does = (act: Act, response: ServerResponse): void => {
  switch (act) {
    case "accept":
      return void response.writeHead(204).end()
    case "fail":
      return void response.writeHead(500).end()
    case "redirect":
      return void response.writeHead(307, { location: "/elsewhere" }).end()
    case "reset":
      return void response.destroy()
    case "hang":
      return
  }
}

/** An endpoint that counts the requests and the accepted events. */
const endpoint = async (act: (id: string, attempt: number) => Act) => {
  const latestAttempts = new Map<string, number>()
  const accepted = new Set<string>()
  let requests = 0
  let underWay = 0
  let most = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++underWay)
    response.on("close", () => underWay--)
    request.resume().on("end", () => {
      const id = request.headers["webhook-id"] as string
      requests++
      latestAttempts.set(id, (latestAttempts.get(id) ?? 0) + 1)
      const outcome = act(id, latestAttempts.get(id)!)
      if (outcome === "accept") accepted.add(id)
      does(outcome, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    latestAttempts,
    accepted,
    most: () => most,
    requests: () => requests,
    close: () => (server.closeAllConnections(), server.close())
  }
}

describe("a storm of events", () => {
  it(
    "delivers each event at least once to a failing endpoint and to a healthy one, a few at a time",
    { timeout: 300_000 },
    async () => {
      const [bad, good, dead] = await Promise.all([endpoint(actOf), endpoint(() => "accept"), endpoint(() => "hang")])
      await withTestMail(stores[1], {
        sink: WebhookSink.make({ allowLoopback: true }),
        webhooks: { allowLoopback: true },
        events: { perWebhook }
      })(
        Effect.gen(function* () {
          const webhooks = yield* Webhooks
          for (const { url } of [bad, good, dead]) yield* webhooks.create(project, { url, events: ["contact.created"] })
          const contacts = yield* Contacts
          const running = yield* Effect.forkChild((yield* EventSender).run)
          yield* Effect.forEach(
            Array.from({ length: events }, (_, n) => n),
            (n) => contacts.create(project, { email: `c${n}@example.org` }),
            { concurrency: 200, discard: true }
          )
          let [before, idle] = [-1, 0]
          while (bad.accepted.size < events || good.accepted.size < events) {
            yield* Effect.promise(() => pause(5))
            const now = good.accepted.size + bad.requests()
            idle = now === before ? idle + 1 : 0
            // Only time passes from here on; each step is longer than the one before.
            if (idle > 1) yield* TestClock.adjust(Math.min(hourMillis, 15 * secondMillis * 2 ** (idle - 2)))
            before = now
          }
          yield* stopped(running)
        })
      )
      expect([bad.accepted.size, good.accepted.size]).toEqual([events, events])
      expect([...good.latestAttempts.values()].every((count) => count === 1)).toBe(true)
      expect(Math.max(...bad.latestAttempts.values())).toBeGreaterThan(2)
      for (const { most } of [bad, good, dead]) expect(most()).toBeLessThanOrEqual(perWebhook)
      for (const { close } of [bad, good, dead]) close()
    }
  )
})
