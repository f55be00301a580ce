/**
 * Hand-offs per second to `smtp-sink` of Postfix: the dispatcher with SQLite and full durability. Beside it, a bare pool of nodemailer sends the
 * same messages to the same sink and writes nothing. Both use the same number of connections and no encryption.
 *
 * `MESSAGES` and `CONNECTIONS` set other numbers. With `DKIM=1` both sign each message.
 */
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Dispatcher, Domains, MailCore, PlanSource, Sending } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { SmtpTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Fiber, Layer } from "effect"
import { createTransport } from "nodemailer"
import { machine, median } from "./machine.ts"
import { startSink } from "./smtpSink.ts"

const messages = Number(process.env["MESSAGES"] ?? 3000)
const connections = Number(process.env["CONNECTIONS"] ?? 10)
const rounds = 5
const project = "prj_bench"

const body = (i: number) => ({
  from: "hello@example.com",
  to: `r${i}@example.org`,
  subject: `Your receipt ${i}`,
  html: `<p>Thank you for order <b>${i}</b>.</p>${"<p>One more line of the receipt.</p>".repeat(40)}`,
  text: `Thank you for order ${i}.\n${"One more line of the receipt.\n".repeat(40)}`
})

/** Every send is accepted before the clock starts. The dispatcher then runs until no delivery is queued. */
const mailkeep = (filename: string, port: number): Promise<number> =>
  Effect.gen(function* () {
    yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
    const sending = yield* Sending
    yield* Effect.forEach(
      Array.from({ length: messages }, (_, i) => i),
      (i) => sending.send(project, body(i), { idempotencyKey: `key-${i}` }),
      { concurrency: 64, discard: true }
    )
    const dispatcher = yield* Dispatcher
    const started = performance.now()
    const running = yield* Effect.forkChild(dispatcher.run)
    while (true) {
      const { queued, sending: underWay } = yield* dispatcher.health
      if (queued + underWay === 0) break
      yield* Effect.sleep("20 millis")
    }
    const seconds = (performance.now() - started) / 1000
    yield* Fiber.interrupt(running)
    return messages / seconds
  }).pipe(
    Effect.provide(
      MailCore.layerWith({ dispatcher: { concurrency: Number(process.env["CONCURRENCY"] ?? connections * 4) } }).pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            SqliteMailStore.layer({ filename }),
            SmtpTransport.layer({ host: "127.0.0.1", port, tls: "off", pool: { connectionsMax: connections } }),
            PlanSource.layerFixed({}),
            NodeCrypto.layer
          )
        )
      )
    ),
    Effect.scoped,
    Effect.runPromise
  )

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const dkim = {
  domainName: "example.com",
  keySelector: "bench",
  privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
}

/** The same messages through nodemailer's own pool. */
const nodemailer = async (port: number): Promise<number> => {
  const pool = createTransport({
    pool: true,
    host: "127.0.0.1",
    port,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: 100,
    ...(process.env["DKIM"] === "1" ? { dkim } : {})
  })
  const started = performance.now()
  await Promise.all(Array.from({ length: messages }, (_, i) => pool.sendMail(body(i))))
  const seconds = (performance.now() - started) / 1000
  pool.close()
  return messages / seconds
}

console.log(machine())
const sink = await startSink()
try {
  const ours: Array<number> = []
  const theirs: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), "mailkeep-bench-"))
    ours.push(await mailkeep(join(folder, "mail.db"), sink.port))
    rmSync(folder, { recursive: true })
    theirs.push(await nodemailer(sink.port))
  }
  const ratio = median(ours.map((rate, i) => rate / theirs[i]!))
  console.log(
    `mailkeep, ${connections} connections:    ${Math.round(median(ours))} hand-offs per second (median of ${rounds})`
  )
  console.log(`nodemailer's pool:           ${Math.round(median(theirs))}`)
  console.log(`ratio:                       ${ratio.toFixed(2)}`)
} finally {
  sink.process.kill()
}
