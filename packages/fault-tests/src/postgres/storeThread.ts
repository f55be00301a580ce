/**
 * The thread that makes the calls of `synchronousStore.ts`.
 */
import { workerData } from "node:worker_threads"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import { PostgresMailStore } from "@mailkeep/postgres"
import { Cause, Effect, Exit, Scope } from "effect"
import type { StoreReply, StoreRequest, StoreThreadData } from "./synchronousStore.ts"

const { url, port, replied } = workerData as StoreThreadData

let scope = Scope.makeUnsafe()
let store: MailStoreShape | undefined

let opened = 0

/** Each store has tables of its own. */
const open = async (): Promise<void> => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  scope = Scope.makeUnsafe()
  const schema = `simulated_${opened++}`
  store = await Effect.runPromise(Scope.provide(PostgresMailStore.make({ connectionString: url, schema }), scope))
}

const replyOf = (exit: Exit.Exit<unknown, unknown>): StoreReply => {
  if (Exit.isSuccess(exit)) return { answer: exit.value }
  const failure = Cause.squash(exit.cause)
  if (failure instanceof Conflict) {
    const { at, change, reason } = failure
    return { conflict: { at, change, reason } }
  }
  return failure instanceof StoreUnavailable ? { unavailable: failure.reason } : { defect: String(failure) }
}

const answer = ({ call, argument }: StoreRequest): Promise<Exit.Exit<unknown, unknown>> => {
  if (call === "open") return Effect.runPromiseExit(Effect.tryPromise(open))
  const perform = store![call] as (argument: unknown) => Effect.Effect<unknown, unknown>
  return Effect.runPromiseExit(perform(argument))
}

const reply = async (request: StoreRequest): Promise<void> => {
  port.postMessage(replyOf(await answer(request)))
  Atomics.store(replied, 0, 1)
  Atomics.notify(replied, 0)
}

port.on("message", (request: StoreRequest) => void reply(request))
