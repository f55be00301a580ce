/**
 * Keeps connections to the relay open between hand-offs: a bounded number, for a bounded time. A connection whose hand-off did not end cleanly is
 * closed.
 */
import { TransportUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Clock, Effect, Semaphore } from "effect"
import type { RelayConnection } from "./RelayConnection.ts"
import type { RelayRefused } from "./replies.ts"
import type { SmtpSettings } from "./smtpSettings.ts"

/** A connection for one hand-off. */
export interface PooledConnection {
  readonly connection: RelayConnection
  /** Whether an earlier hand-off used the connection, so that the relay may have closed it in the meantime. */
  readonly isReused: boolean
  /** Keeps the connection for another hand-off. Without this call it is closed. */
  readonly keep: () => void
}

/** The pool of one relay. */
export interface ConnectionPool {
  /** Runs the effect with a connection that nothing else uses. With `fresh`, opens a new one. Waits while all connections are in use. */
  readonly use: <A, E>(
    hand: (pooled: PooledConnection) => Effect.Effect<A, E>,
    options: { readonly fresh: boolean }
  ) => Effect.Effect<A, E | RelayRefused | TransportUnavailable>
}

interface Idle {
  readonly connection: RelayConnection
  readonly openedAt: number
}

interface PoolState {
  readonly options: SmtpSettings["pool"]
  /** The connections that wait for a hand-off. The last one was used last. */
  readonly idle: Array<Idle>
  readonly all: Set<RelayConnection>
  isClosed: boolean
}

const forget = ({ idle, all }: PoolState, connection: RelayConnection): void => {
  all.delete(connection)
  const at = idle.findIndex((one) => one.connection === connection)
  if (at !== -1) idle.splice(at, 1)
}

/** Returns the idle connection that was used last, and closes those that are too old. */
const takeIdle = (state: PoolState, now: number): Idle | undefined => {
  for (let one = state.idle.pop(); one !== undefined; one = state.idle.pop()) {
    if (one.connection.ended) continue
    if (now - one.openedAt < state.options.ageMillisMax) return one
    one.connection.quit()
  }
  return undefined
}

const closeIdle = ({ idle }: PoolState): void => {
  for (const { connection } of idle.splice(0)) connection.quit()
}

const putBack = (state: PoolState, { connection, openedAt }: Idle, isKept: boolean, now: number): void => {
  const { handOffsMax, ageMillisMax, idleMillisMax } = state.options
  if (!isKept || connection.ended) return connection.destroy()
  if (state.isClosed || connection.handOffs >= handOffsMax || now - openedAt >= ageMillisMax) return connection.quit()
  connection.idleFor(idleMillisMax)
  state.idle.push({ connection, openedAt })
}

/** Opens a connection, and gives it to `register` before it connects. */
type OpenConnection = (
  register: (connection: RelayConnection) => void
) => Effect.Effect<RelayConnection, RelayRefused | TransportUnavailable>

/** Makes a pool. The end of the scope closes all of its connections, also those that are being opened. */
export const makeConnectionPool = (
  open: OpenConnection,
  options: SmtpSettings["pool"]
): Effect.Effect<ConnectionPool, never, Scope.Scope> =>
  Effect.gen(function* () {
    const state: PoolState = { options, idle: [], all: new Set(), isClosed: false }
    const permits = yield* Semaphore.make(options.connectionsMax)
    const register = (connection: RelayConnection): void => {
      state.all.add(connection)
      connection.onEnd(() => forget(state, connection))
    }
    const opened = Effect.gen(function* () {
      // A connection that is open but not used would make one more than the pool may have.
      closeIdle(state)
      const connection = yield* open(register)
      return { connection, openedAt: yield* Clock.currentTimeMillis }
    })

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        state.isClosed = true
        closeIdle(state)
        for (const connection of state.all) connection.destroy()
      })
    )

    const use: ConnectionPool["use"] = (hand, { fresh }) =>
      permits.withPermits(1)(
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            if (state.isClosed) return yield* new TransportUnavailable({ reason: "The transport is closed." })
            const reused = fresh ? undefined : takeIdle(state, yield* Clock.currentTimeMillis)
            const taken = reused ?? (yield* restore(opened))
            let isKept = false
            taken.connection.handOffs++
            const pooled = {
              connection: taken.connection,
              isReused: reused !== undefined,
              keep: () => void (isKept = true)
            }
            const exit = yield* Effect.exit(restore(hand(pooled)))
            putBack(state, taken, isKept, yield* Clock.currentTimeMillis)
            return yield* exit
          })
        )
      )
    return { use }
  })
