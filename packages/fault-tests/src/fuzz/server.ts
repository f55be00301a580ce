/**
 * The server of the HTTP fuzz test: the HTTP interface with an API key, over a SQLite file. For each line of standard input it
 * collects garbage and prints the size of its heap.
 */
import { createInterface } from "node:readline"
import { ApiKeys, Dispatcher, DnsResolver, Domains } from "@mailkeep/core"
import { DnsFailure } from "@mailkeep/core/adapter"
import * as NodeMailServer from "@mailkeep/http/node"
import { Effect, Layer, Logger, Redacted } from "effect"
import { embeddedMail, project } from "../embeddedMail.ts"
import { noRelayFaults } from "../RecordingTransport.ts"

const folder = process.argv[2]!
const print = (line: unknown) => Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))

const serve = Effect.gen(function* () {
  yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
  const { secret } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send", "email.full_access"] })
  yield* Effect.forkScoped((yield* Dispatcher).run)
  const server = yield* Layer.build(NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100 }))
  const url = yield* Effect.provideContext(NodeMailServer.url, server)
  yield* print({ url, key: Redacted.value(secret) })
  createInterface({ input: process.stdin }).on("line", () => {
    globalThis.gc!()
    Effect.runSync(print({ heapBytes: process.memoryUsage().heapUsed }))
  })
  return yield* Effect.never
})

/** No domain of the test has a DNS record. */
const noRecord = Effect.fail(new DnsFailure({ definite: true, code: "nxdomain" }))
const emptyDns = Layer.succeed(DnsResolver, { texts: () => noRecord, exchanges: () => noRecord })

// Standard output carries only the lines of the test.
const logsToStderr = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

await Effect.runPromise(
  Effect.scoped(serve).pipe(
    Effect.provide(embeddedMail(folder, noRelayFaults).pipe(Layer.provide(emptyDns))),
    Effect.provide(logsToStderr)
  )
)
