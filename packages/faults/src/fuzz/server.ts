/**
 * A server to be fed anything: the interface over HTTP with a key, over a SQLite file. On each line of standard input it collects its
 * garbage and tells how large its heap is.
 */
import { createInterface } from "node:readline"
import { ApiKeys, Dispatcher, Domains } from "@mailkeep/core"
import * as NodeMailServer from "@mailkeep/http/node"
import { Effect, Layer, Redacted } from "effect"
import { embeddedMail, project } from "../embeddedMail.ts"
import { fairWeather } from "../RecordingTransport.ts"

const folder = process.argv[2]!
const tell = (line: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))

const serving = Effect.gen(function* () {
  yield* (yield* Domains).add(project, { domain: "example.com", verified: true })
  const { printed } = yield* (yield* ApiKeys).issue(project, { permissions: ["email.send", "email.full_access"] })
  yield* Effect.forkScoped((yield* Dispatcher).run)
  const server = yield* Layer.build(NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100 }))
  const url = yield* Effect.provideContext(NodeMailServer.url, server)
  yield* tell({ url, key: Redacted.value(printed) })
  createInterface({ input: process.stdin }).on("line", () => {
    globalThis.gc!()
    Effect.runSync(tell({ heapOctets: process.memoryUsage().heapUsed }))
  })
  yield* Effect.never
})

await Effect.runPromise(Effect.scoped(serving).pipe(Effect.provide(embeddedMail(folder, fairWeather))))
