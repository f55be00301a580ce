/**
 * The process of an HTTP server under load. `mailkeep`: the HTTP interface without a dispatcher; `mailkeep-dispatching`: with one; `fastify`: written
 * by hand. Sends its address and API key to the parent process, and answers the message `settled` when no delivery is queued.
 */
import { setTimeout as wait } from "node:timers/promises"
import { ApiKeys, Dispatcher, MailCore } from "@mailkeep/core"
import * as NodeMailServer from "@mailkeep/http/node"
import { Effect, Layer, Redacted } from "effect"
import { coreOver, prepareProject, project } from "../workload.ts"
import { startFastify } from "./fastifyServer.ts"

const [kind, filename] = process.argv.slice(2) as [string, string]

const serve = (dispatches: boolean) =>
  Effect.gen(function* () {
    yield* prepareProject
    const { secret } = yield* (yield* ApiKeys).create(project, { name: "bench", permissions: ["email.send"] })
    const dispatcher = yield* Dispatcher
    if (dispatches) yield* Effect.forkScoped(MailCore.run)
    const url = yield* NodeMailServer.url
    const isSettled = Effect.map(dispatcher.health, ({ queued, sending }) => queued + sending === 0)
    const untilSettled = Effect.gen(function* () {
      while (!(yield* isSettled)) yield* Effect.sleep("10 millis")
    })
    const services = yield* Effect.context<never>()
    process.on("message", async () => {
      await Effect.runPromiseWith(services)(untilSettled)
      process.send!("settled")
    })
    process.send!({ url, secret: Redacted.value(secret) })
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provide(
      NodeMailServer.layerNode({ host: "127.0.0.1", port: 0 }).pipe(Layer.provideMerge(coreOver(filename)))
    ),
    Effect.runPromise
  )

process.once("disconnect", () => process.exit())
if (kind === "fastify") {
  const url = await startFastify(filename)
  process.on("message", async () => {
    await wait(0)
    process.send!("settled")
  })
  process.send!({ url, secret: "none" })
} else await serve(kind === "mailkeep-dispatching")
