/**
 * The server of the HTTP fuzz test: the HTTP interface with an API key, over a SQLite file. For each line of standard input it
 * collects garbage and prints the size of its heap.
 */
import { createInterface } from "node:readline"
import { ApiKeys, Dispatcher, Domains } from "@mailkeep/core"
import * as NodeMailServer from "@mailkeep/http/node"
import { Effect, Layer, Redacted } from "effect"
import { embeddedMail, project } from "../embeddedMail.ts"
import { noRelayFaults } from "../RecordingTransport.ts"

const folder = process.argv[2]!
const print = (line: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))

const serve = Effect.gen(function* () {
  yield* (yield* Domains).add(project, { domain: "example.com", verified: true })
  const { printed } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send", "email.full_access"] })
  yield* Effect.forkScoped((yield* Dispatcher).run)
  const server = yield* Layer.build(NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100 }))
  const url = yield* Effect.provideContext(NodeMailServer.url, server)
  yield* print({ url, key: Redacted.value(printed) })
  createInterface({ input: process.stdin }).on("line", () => {
    globalThis.gc!()
    Effect.runSync(print({ heapOctets: process.memoryUsage().heapUsed }))
  })
  yield* Effect.never
})

await Effect.runPromise(Effect.scoped(serve).pipe(Effect.provide(embeddedMail(folder, noRelayFaults))))
