/**
 * The thread that makes the calls of `synchronousPostgres.ts`.
 */
import { workerData } from "node:worker_threads"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import { PostgresMailStore } from "@mailkeep/postgres"
import { Cause, Effect, Exit, Scope } from "effect"
import type { EmptySchema } from "./postgresSchemas.ts"
import { emptySchemas } from "./postgresSchemas.ts"
import type { StoreReply, StoreRequest, StoreThreadData } from "./synchronousPostgres.ts"

const { url, port, replied } = workerData as StoreThreadData

interface OpenStore {
  readonly scope: Scope.Closeable
  readonly schema: EmptySchema
  readonly store: MailStoreShape
}

const stores = new Map<number, OpenStore>()

const schemas = emptySchemas({
  database: () => Promise.resolve(url),
  prefix: "synchronous_",
  migrate: (connectionString, schema) => Effect.runPromise(PostgresMailStore.migrate({ connectionString, schema }))
})

const open = async (number: number): Promise<void> => {
  const scope = Scope.makeUnsafe()
  const schema = await schemas.take()
  const store = await Effect.runPromise(Scope.provide(PostgresMailStore.make(schema), scope))
  stores.set(number, { scope, schema, store })
}

/** A closed store stays known, because its calls fail by themselves. */
const close = async (number: number): Promise<void> => {
  const { scope, schema } = stores.get(number)!
  await Effect.runPromise(Scope.close(scope, Exit.void))
  schemas.release(schema)
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

const answer = ({ store, call, argument }: StoreRequest): Promise<Exit.Exit<unknown, unknown>> => {
  if (call === "open") return Effect.runPromiseExit(Effect.tryPromise(() => open(store)))
  if (call === "close") return Effect.runPromiseExit(Effect.tryPromise(() => close(store)))
  const perform = stores.get(store)!.store[call] as (argument: unknown) => Effect.Effect<unknown, unknown>
  return Effect.runPromiseExit(perform(argument))
}

const reply = async (request: StoreRequest): Promise<void> => {
  port.postMessage(replyOf(await answer(request)))
  Atomics.store(replied, 0, 1)
  Atomics.notify(replied, 0)
}

port.on("message", (request: StoreRequest) => void reply(request))
