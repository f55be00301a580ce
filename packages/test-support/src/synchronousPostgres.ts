/**
 * The PostgreSQL store with calls that end at once, as tests with a simulated clock need them: a thread makes each call, and this thread waits for the
 * answer. The simulated time does not pass meanwhile.
 */
import type { MessagePort } from "node:worker_threads"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Stream } from "effect"

/** The calls of a store that a thread makes. `open` opens an empty store. */
type StoreCall = "open" | "close" | "commit" | "claim" | "claimEventDeliveries" | "read" | "sweep" | "sweepMessages"

/** One call, as it goes to the thread. */
export interface StoreRequest {
  /** The number of the store. */
  readonly store: number
  /** What the store does. */
  readonly call: StoreCall
  /** What the call is given. */
  readonly argument: unknown
}

/** The result of a call, as it comes from the thread. */
export type StoreReply =
  | { readonly answer: unknown }
  | { readonly conflict: Pick<Conflict, "at" | "change" | "reason"> }
  | { readonly unavailable: StoreUnavailable["reason"] }
  | { readonly defect: string }

/** The stores of a database, and the thread that makes their calls. */
export interface SynchronousStores {
  /** Opens an empty store. `close` closes it; then its calls fail. */
  readonly open: () => { readonly store: MailStoreShape; readonly close: () => void }
  /** Ends the thread. */
  readonly end: () => Promise<void>
}

const callMillisMax = 60_000

/** What the thread is started with. */
export interface StoreThreadData {
  /** The address of the database. */
  readonly url: string
  /** Carries the requests and the replies. */
  readonly port: MessagePort
  /** The thread sets the number to 1 after it has sent a reply. */
  readonly replied: Int32Array
}

/** Starts the thread for the stores of a database. */
export const startSynchronousStores = (url: string): SynchronousStores => {
  const { port1, port2 } = new MessageChannel()
  const replied = new Int32Array(new SharedArrayBuffer(4))
  const workerData: StoreThreadData = { url, port: port2, replied }
  const worker = new Worker(new URL("synchronousPostgresThread.ts", import.meta.url), {
    workerData,
    transferList: [port2]
  })

  // Neither the thread nor the port keeps the process alive.
  worker.unref()
  port1.unref()
  let opened = 0

  const request = (store: number, call: StoreCall, argument: unknown): StoreReply => {
    Atomics.store(replied, 0, 0)
    port1.postMessage({ store, call, argument } satisfies StoreRequest)
    // The thread may wake this one late, after the call before has ended. The number says whether this call has.
    while (Atomics.load(replied, 0) === 0)
      if (Atomics.wait(replied, 0, 0, callMillisMax) === "timed-out")
        throw new Error(`The store does not answer ${call}.`)
    return receiveMessageOnPort(port1)!.message as StoreReply
  }

  const perform = <A, E>(store: number, call: StoreCall, argument: unknown = null): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const reply = request(store, call, argument)
      if ("answer" in reply) return Effect.succeed(reply.answer as A)
      if ("conflict" in reply) return Effect.fail(new Conflict(reply.conflict) as E)
      if ("unavailable" in reply) return Effect.fail(new StoreUnavailable({ reason: reply.unavailable }) as E)
      return Effect.die(new Error(reply.defect))
    })

  return {
    open: () => {
      const number = opened++
      Effect.runSync(perform(number, "open"))
      return {
        store: {
          capabilities: { durable: true, multiProcess: true },
          commit: (changes) => perform(number, "commit", changes),
          claim: (claim) => perform(number, "claim", claim),
          claimEventDeliveries: (claim) => perform(number, "claimEventDeliveries", claim),
          read: (queries) => perform(number, "read", queries),
          sweep: (sweep) => perform(number, "sweep", sweep),
          sweepMessages: (sweep) => perform(number, "sweepMessages", sweep),
          // Two cores over one store find each other's commits by their own waits.
          commitsOfOtherProcesses: Stream.never
        },
        close: () => Effect.runSync(perform(number, "close"))
      }
    },
    end: async () => {
      await worker.terminate()
      port1.close()
    }
  }
}
