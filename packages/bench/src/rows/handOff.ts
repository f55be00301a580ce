/**
 * Row: hand-offs over SMTP, beside a pool of nodemailer.
 */
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { Dispatcher, Sending } from "@mailkeep/core"
import { SmtpTransport } from "@mailkeep/smtp"
import { Effect, Fiber } from "effect"
import { createTransport } from "nodemailer"
import type { RoundContext, Row } from "../Row.ts"
import { startSink } from "../smtpSink.ts"
import {
  bySize,
  coreOver,
  message,
  numbers,
  prepareProject,
  project,
  secondsSince,
  senders,
  warmUp
} from "../workload.ts"

const connections = 10
const countOf = ({ size }: RoundContext) => bySize(size, 2000, 10_000)

/** A message with html and its own text, so that both sides compose the same parts. Without a text, Mailkeep would make one from the html. */
const receipt = (n: number) => ({ ...message(n), text: "One more line of the receipt.\n".repeat(20) })

/** Every send is accepted before the clock starts. The dispatcher then runs until no delivery is queued. Returns the seconds that it takes. */
const handOver = Effect.fnUntraced(function* (first: number, count: number) {
  const sending = yield* Sending
  yield* Effect.forEach(
    numbers(count),
    (n) => sending.send(project, receipt(first + n), { idempotencyKey: `key-${first + n}` }),
    { concurrency: senders, discard: true }
  )
  const dispatcher = yield* Dispatcher
  const started = performance.now()
  const running = yield* Effect.forkChild(dispatcher.run)
  while (true) {
    const { queued, sending: underWay } = yield* dispatcher.health
    if (queued + underWay === 0) break
    yield* Effect.sleep("10 millis")
  }
  const seconds = secondsSince(started)
  yield* Fiber.interrupt(running)
  return seconds
})

const ours = (context: RoundContext, port: number) =>
  Effect.gen(function* () {
    yield* prepareProject
    yield* handOver(0, warmUp)
    return { "per second": countOf(context) / (yield* handOver(warmUp, countOf(context))) }
  }).pipe(
    Effect.provide(
      coreOver(
        join(context.folder, "mail.db"),
        { dispatcher: { concurrency: connections * 4 } },
        SmtpTransport.layer({ host: "127.0.0.1", port, tls: "off", pool: { connectionsMax: connections } })
      )
    ),
    Effect.scoped,
    Effect.runPromise
  )

const nodemailer = async (context: RoundContext, port: number) => {
  const pool = createTransport({
    pool: true,
    host: "127.0.0.1",
    port,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: 100
  })
  const sendAll = (count: number) => Promise.all(numbers(count).map((n) => pool.sendMail(receipt(n))))
  await sendAll(warmUp)
  const started = performance.now()
  await sendAll(countOf(context))
  const seconds = secondsSince(started)
  pool.close()
  return { "per second": countOf(context) / seconds }
}

const withSink =
  <A>(use: (context: RoundContext, port: number) => Promise<A>) =>
  async (context: RoundContext): Promise<A> => {
    const sink = await startSink()
    try {
      return await use(context, sink.port)
    } finally {
      sink.stop()
    }
  }

export const handOff: Row = {
  name: "hand-off",
  title: "Hand-off over SMTP",
  about:
    "The dispatcher hands over accepted messages to `smtp-sink` of Postfix over 10 connections, with all of its commits synced to the disk. The peer is a pool of nodemailer with 10 connections, which sends the same messages, with html and text, and writes nothing. It loses the messages that are not sent when the process ends.",
  metrics: [{ name: "per second", unit: "hand-offs/s", better: "higher" }],
  ours: { name: "mailkeep", needs: "smtp-sink", run: withSink(ours) },
  peers: [{ name: "nodemailer", needs: "smtp-sink", run: withSink(nodemailer) }],
  goals: [{ metric: "per second", is: "at least", ratio: 0.85, peer: "nodemailer" }]
}
