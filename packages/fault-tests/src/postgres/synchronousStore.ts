/**
 * The PostgreSQL store with calls that end at once, as the simulation needs them: a thread makes each call, and this thread waits for the answer. The
 * simulated time does not pass meanwhile.
 */
import type { MessagePort } from "node:worker_threads"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect, Stream } from "effect"

/** The calls of a store that a thread makes. `open` opens an empty store and closes the one before. */
type StoreCall = "open" | "commit" | "claim" | "claimEventDeliveries" | "read" | "sweep"

export interface StoreRequest {
  readonly call: StoreCall
  readonly argument: unknown
}

export type StoreReply =
  | { readonly answer: unknown }
  | { readonly conflict: Pick<Conflict, "at" | "change" | "reason"> }
  | { readonly unavailable: StoreUnavailable["reason"] }
  | { readonly defect: string }

export interface SynchronousStores {
  /** Opens a new, empty store. The store before is closed. */
  readonly open: () => MailStoreShape
  readonly close: () => Promise<void>
}

const callMillisMax = 60_000

/** What the thread is started with. */
export interface StoreThreadData {
  readonly url: string
  readonly port: MessagePort
  /** The thread sets the number to 1 after it has sent a reply. */
  readonly replied: Int32Array
}

/** Starts the thread for the stores of a database. */
export const startSynchronousStores = (url: string): SynchronousStores => {
  const { port1, port2 } = new MessageChannel()
  const replied = new Int32Array(new SharedArrayBuffer(4))
  const workerData: StoreThreadData = { url, port: port2, replied }
  const worker = new Worker(new URL("storeThread.ts", import.meta.url), { workerData, transferList: [port2] })

  const request = (call: StoreCall, argument: unknown): StoreReply => {
    Atomics.store(replied, 0, 0)
    port1.postMessage({ call, argument } satisfies StoreRequest)
    if (Atomics.wait(replied, 0, 0, callMillisMax) === "timed-out")
      throw new Error(`The store does not answer ${call}.`)
    return receiveMessageOnPort(port1)!.message as StoreReply
  }

  const perform = <A, E>(call: StoreCall, argument: unknown): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const reply = request(call, argument)
      if ("answer" in reply) return Effect.succeed(reply.answer as A)
      if ("conflict" in reply) return Effect.fail(new Conflict(reply.conflict) as E)
      if ("unavailable" in reply) return Effect.fail(new StoreUnavailable({ reason: reply.unavailable }) as E)
      return Effect.die(new Error(reply.defect))
    })

  return {
    open: () => {
      Effect.runSync(perform("open", null))
      return {
        capabilities: { durable: true, multiProcess: true },
        commit: (changes) => perform("commit", changes),
        claim: (claim) => perform("claim", claim),
        claimEventDeliveries: (claim) => perform("claimEventDeliveries", claim),
        read: (queries) => perform("read", queries),
        sweep: (sweep) => perform("sweep", sweep),
        // The simulated processes find each other's commits by their own waits.
        commitsOfOtherProcesses: Stream.never
      }
    },
    close: async () => {
      await worker.terminate()
      port1.close()
    }
  }
}
