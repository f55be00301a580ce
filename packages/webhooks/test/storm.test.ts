/**
 * Many events (STORM_EVENTS, 500 unless told otherwise) to an endpoint that fails in every way there is, beside one that is dead and one that is well.
 */
import { createServer } from "node:http"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Contacts, EventRelay, hourMillis, jitterOf, secondMillis, Webhooks } from "@mailkeep/core"
import { inHouse, project, stopped, stores } from "@mailkeep/proving"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { WebhookSink } from "../src/index.ts"

const events = Number(process.env["STORM_EVENTS"] ?? 500)
const perWebhook = 8

type Act = "take" | "fail" | "hang" | "redirect" | "reset"
const acts: ReadonlyArray<Act> = [
  ...Array.from({ length: 40 }, () => "take" as const),
  ...Array.from({ length: 12 }, () => ["fail", "redirect", "reset"] as const).flat(),
  "hang"
]

/** Different for each push and try, the same in each run; the fifth try of one goes well. */
const actOf = (id: string, attempt: number): Act =>
  attempt >= 5 ? "take" : acts[Math.floor(jitterOf(id, attempt) * acts.length)]!

const does = (act: Act, response: ServerResponse): void => {
  switch (act) {
    case "take":
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

/** An endpoint that counts what it gets and what it took. */
const endpoint = async (act: (id: string, attempt: number) => Act) => {
  const tries = new Map<string, number>()
  const taken = new Set<string>()
  let requests = 0
  let underWay = 0
  let most = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++underWay)
    response.on("close", () => underWay--)
    request.resume().on("end", () => {
      const id = request.headers["webhook-id"] as string
      requests++
      tries.set(id, (tries.get(id) ?? 0) + 1)
      const does_ = act(id, tries.get(id)!)
      if (does_ === "take") taken.add(id)
      does(does_, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    tries,
    taken,
    most: () => most,
    requests: () => requests,
    close: () => (server.closeAllConnections(), server.close())
  }
}

describe("a storm of events", () => {
  it(
    "reaches a bad endpoint and a good one, each event at least once, a few at a time",
    { timeout: 300_000 },
    async () => {
      const [bad, good, dead] = await Promise.all([endpoint(actOf), endpoint(() => "take"), endpoint(() => "hang")])
      await inHouse(stores[1], {
        sink: WebhookSink.make({ allowLoopback: true }),
        webhooks: { allowLoopback: true },
        relay: { perWebhook }
      })(
        Effect.gen(function* () {
          const webhooks = yield* Webhooks
          for (const { url } of [bad, good, dead]) yield* webhooks.create(project, { url, events: ["contact.created"] })
          const contacts = yield* Contacts
          const running = yield* Effect.forkChild((yield* EventRelay).run)
          yield* Effect.forEach(
            Array.from({ length: events }, (_, n) => n),
            (n) => contacts.create(project, { email: `c${n}@example.org` }),
            { concurrency: 200, discard: true }
          )
          let [before, idle] = [-1, 0]
          while (bad.taken.size < events || good.taken.size < events) {
            yield* Effect.promise(() => pause(5))
            const now = good.taken.size + bad.requests()
            idle = now === before ? idle + 1 : 0
            // Only time is waited for now; the longer, the more of it.
            if (idle > 1) yield* TestClock.adjust(Math.min(hourMillis, 15 * secondMillis * 2 ** (idle - 2)))
            before = now
          }
          yield* stopped(running)
        })
      )
      expect([bad.taken.size, good.taken.size]).toEqual([events, events])
      expect([...good.tries.values()].every((count) => count === 1)).toBe(true)
      expect(Math.max(...bad.tries.values())).toBeGreaterThan(2)
      for (const { most } of [bad, good, dead]) expect(most()).toBeLessThanOrEqual(perWebhook)
      for (const { close } of [bad, good, dead]) close()
    }
  )
})
