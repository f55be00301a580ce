/**
 * Measures how dead webhooks slow down a live one: the time until 5,000 events have reached the live webhook, alone and with two dead
 * webhooks. One of them never answers, the other refuses connections. Uses real HTTP on this machine, and SQLite that syncs every commit.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Contacts, EventSender, MailCore, PlanSource, Webhooks } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { WebhookSink } from "@mailkeep/webhooks"
import { Deferred, Effect, Layer } from "effect"
import { machine, median } from "./machine.ts"

const events = 5000
const rounds = Number(process.env["ROUNDS"] ?? 5)
const project = "prj_bench"

const listening = async (onRequest: () => void, answers: boolean) => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      onRequest()
      if (answers) response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => (server.closeAllConnections(), server.close())
  }
}

/** Events per second that reach the live webhook. */
const round = async (hasDeadWebhooks: boolean): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-bench-"))
  const reached = Deferred.makeUnsafe<void>()
  let received = 0
  const live = await listening(() => ++received === events && Deferred.doneUnsafe(reached, Effect.void), true)
  const silent = await listening(() => {}, false)
  const core = MailCore.layerWith({ webhooks: { allowLoopback: true } }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        SqliteMailStore.layer({ filename: join(folder, "mail.db") }),
        StubTransport.layer({ keep: 0 }),
        PlanSource.layerFixed({}),
        NodeCrypto.layer,
        WebhookSink.layer({ allowLoopback: true })
      )
    )
  )
  const perSecond = await Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const urls = hasDeadWebhooks ? [live.url, silent.url, "http://127.0.0.1:1/"] : [live.url]
    for (const url of urls) yield* webhooks.create(project, { url, events: ["contact.created"] })
    const contacts = yield* Contacts
    yield* Effect.forEach(
      Array.from({ length: events }, (_, n) => n),
      (n) => contacts.create(project, { email: `c${n}@example.org` }),
      { concurrency: 200, discard: true }
    )
    const begun = performance.now()
    yield* Effect.forkScoped((yield* EventSender).run)
    yield* Deferred.await(reached)
    return events / ((performance.now() - begun) / 1000)
  }).pipe(Effect.provide(core), Effect.scoped, Effect.runPromise)
  live.close()
  silent.close()
  rmSync(folder, { recursive: true })
  return perSecond
}

const alone: Array<number> = []
const withDead: Array<number> = []
for (let n = 0; n < rounds; n++) {
  alone.push(await round(false))
  withDead.push(await round(true))
}
console.log(machine())
console.log(`alone                     ${Math.round(median(alone))} events/s`)
console.log(`with two dead webhooks    ${Math.round(median(withDead))} events/s`)
console.log(`ratio                     ${(median(withDead) / median(alone)).toFixed(2)}`)
