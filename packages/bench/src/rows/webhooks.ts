/**
 * Row: events that reach a webhook.
 */
import { fork } from "node:child_process"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import { Contacts, EventSender, Webhooks } from "@mailkeep/core"
import { WebhookSink } from "@mailkeep/webhooks"
import { Effect, Fiber, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import type { Figures, RoundContext, Row } from "../Row.ts"
import {
  bySize,
  coreOver,
  numbers,
  prepareProject,
  project,
  secondsSince,
  senders,
  together,
  warmUp
} from "../workload.ts"

const countOf = ({ size }: RoundContext) => bySize(size, 2000, 10_000)
const atOnce = 32

/** Starts the receiver in a process of its own. `warm` resolves when it has the requests of the warm-up, and `reached` when it has all. */
const startReceiver = async (count: number) => {
  const receiver = fork(
    fileURLToPath(new URL("../peers/webhookReceiver.ts", import.meta.url)),
    [warmUp, warmUp + count].map(String)
  )
  const message = () => new Promise<unknown>((resolve) => receiver.once("message", resolve))
  const port = (await message()) as number
  const warm = message()
  return {
    url: `http://127.0.0.1:${port}/`,
    silentUrl: `http://127.0.0.1:${port}/silent`,
    warm,
    reached: warm.then(() => message()),
    stop: () => receiver.kill()
  }
}
type Receiver = Awaited<ReturnType<typeof startReceiver>>

const withReceiver =
  (use: (context: RoundContext, receiver: Receiver) => Promise<Figures>) =>
  async (context: RoundContext): Promise<Figures> => {
    const receiver = await startReceiver(countOf(context))
    try {
      return await use(context, receiver)
    } finally {
      receiver.stop()
    }
  }

/** All events exist before the clock starts. Returns the seconds until the receiver has them. */
const sendEvents = Effect.fnUntraced(function* (first: number, count: number, reached: Promise<unknown>) {
  const contacts = yield* Contacts
  yield* Effect.forEach(numbers(count), (n) => contacts.create(project, { email: `c${first + n}@example.org` }), {
    concurrency: senders,
    discard: true
  })
  const started = performance.now()
  const running = yield* Effect.forkChild((yield* EventSender).run)
  yield* Effect.promise(() => reached)
  const seconds = secondsSince(started)
  yield* Fiber.interrupt(running)
  return seconds
})

const mailkeep = (deadWebhooks: boolean) =>
  withReceiver((context, { url, silentUrl, warm, reached }) =>
    Effect.gen(function* () {
      yield* prepareProject
      const webhooks = yield* Webhooks
      const create = (one: string) => webhooks.create(project, { url: one, events: ["contact.created"] })
      yield* create(url)
      yield* sendEvents(0, warmUp, warm)
      if (deadWebhooks) yield* Effect.forEach([silentUrl, "http://127.0.0.1:1/"], create)
      return { "per second": countOf(context) / (yield* sendEvents(warmUp, countOf(context), reached)) }
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          coreOver(join(context.folder, "mail.db"), {
            webhooks: { allowLoopback: true },
            events: { graceMillis: 100 }
          }),
          WebhookSink.layer({ allowLoopback: true })
        )
      ),
      Effect.runPromise
    )
  )

const byHand = withReceiver(async (context, { url, warm, reached }) => {
  const webhook = new Webhook(Buffer.from("bench secret of thirty-two bytes").toString("base64"))
  const post = async (n: number) => {
    const body = JSON.stringify({
      type: "contact.created",
      timestamp: new Date().toISOString(),
      data: { id: `con_${String(n).padStart(26, "0")}`, email: `c${n}@example.org` }
    })
    const now = new Date()
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "webhook-id": `evt_${n}`,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": webhook.sign(`evt_${n}`, now, body)
      }
    })
    await response.arrayBuffer()
  }
  await together(warmUp, atOnce, post)
  await warm
  const started = performance.now()
  await together(countOf(context), atOnce, (n) => post(warmUp + n))
  await reached
  return { "per second": countOf(context) / secondsSince(started) }
})

export const webhooks: Row = {
  name: "webhooks",
  title: "Events to a webhook",
  about:
    "Events per second that reach a fast receiver over HTTP, from a store that syncs each commit. The first peer is a loop of 32 `fetch` calls with the same signature that stores nothing. The second is Mailkeep with two dead webhooks beside the live one: one never answers, the other refuses connections.",
  metrics: [{ name: "per second", unit: "events/s", better: "higher" }],
  ours: { name: "mailkeep", run: mailkeep(false) },
  peers: [
    { name: "fetch loop", run: byHand },
    { name: "with dead webhooks", run: mailkeep(true) }
  ],
  goals: [
    { metric: "per second", is: "at least", ratio: 0.5, peer: "fetch loop" },
    { metric: "per second", is: "at most", ratio: 1.5, peer: "with dead webhooks" }
  ]
}
