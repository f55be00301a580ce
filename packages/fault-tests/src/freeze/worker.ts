/**
 * A product with a short lease and steady load, which the freeze loop freezes. It sends and dispatches until it is terminated.
 */
import { Dispatcher, Domains } from "@mailkeep/core"
import { Cause, Effect, Exit } from "effect"
import { embeddedMail, project, send, sendBody } from "../embeddedMail.ts"

export interface FrozenWorkerOptions {
  readonly folder: string
  /** Prefix of its idempotency keys and recipients. */
  readonly name: string
  readonly leaseMillis: number
}

const { folder, name, leaseMillis } = JSON.parse(process.argv[2]!) as FrozenWorkerOptions

const slowRelay = { deferred: 0, rejected: 0, lostBefore: 0, lostAfter: 0, delayMillisMax: 40 }
const sendEveryMillis = 4

const sendSteadily = Effect.gen(function* () {
  for (let n = 0; ; n++) {
    yield* send(`${name}-${n}`, sendBody({ to: `${name}n${n}@example.org` }))
    yield* Effect.sleep(sendEveryMillis)
  }
})

const work = Effect.gen(function* () {
  yield* Effect.ignore((yield* Domains).create(project, { domain: "example.com", verified: true }))
  return yield* Effect.all([(yield* Dispatcher).run, sendSteadily], { concurrency: 2, discard: true })
})

const options = {
  dispatcher: { leaseMillis, sleepMillisMax: 200 },
  // The ratio of wait and lease is the same as in the defaults.
  handOff: {
    retry: {
      lifetimeMillis: 3_600_000,
      ambiguousWaitMillis: 20 * leaseMillis,
      ambiguousRetriesMax: 2,
      workerDeathsMax: 1000
    }
  }
}

const stopping = new AbortController()
process.once("SIGTERM", () => stopping.abort())
const exit = await Effect.runPromiseExit(Effect.provide(work, embeddedMail(folder, slowRelay, options)), {
  signal: stopping.signal
})
if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
  process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
  process.exitCode = 1
}
