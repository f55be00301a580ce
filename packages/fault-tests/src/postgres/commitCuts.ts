/**
 * Cuts the connections at each message of each call, in both directions: a message to the server or to the client does not arrive. The product repeats
 * the call with the same key. At the end every call has happened exactly once.
 */
import { Dispatcher, Domains, formatInstant, Sending, StoreUnavailable } from "@mailkeep/core"
import type { Cut, DatabaseProxy } from "@mailkeep/test-support/postgresProxy"
import { Clock, Effect, Exit, Schedule } from "effect"
import { embeddedMailOver, filesIn, project, send, sendBody } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { appender } from "../Lines.ts"
import { noRelayFaults, recordingTransport } from "../RecordingTransport.ts"
import type { WorkerReport } from "../workerReports.ts"
import { databaseStore } from "./databaseStore.ts"
import { finalCheck } from "./finalCheck.ts"
import { startDatabase } from "./serverFaults.ts"

const directions = ["toServer", "toClient"] as const satisfies ReadonlyArray<Cut["direction"]>

/** No call needs as many messages. */
const messagesMax = 1000

/** Repeats a call that failed because its connection was cut. */
const untilAnswered = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(call, {
    while: (failure) => failure instanceof StoreUnavailable,
    schedule: Schedule.spaced("20 millis"),
    times: 500
  })

/** A call that is cut, and what must exist before it. */
interface CutCall {
  /** Returns the id of the message that it sends, or an empty text. `key` is new for each cut. */
  readonly before: (key: string) => Effect.Effect<string, unknown, Sending>
  readonly call: (key: string, messageId: string) => Effect.Effect<unknown, unknown, Sending | Dispatcher>
}

const callsOf = (report: (line: WorkerReport) => void): Readonly<Record<string, CutCall>> => {
  const sendOne = (key: string, body: ReturnType<typeof sendBody>) =>
    Effect.gen(function* () {
      report({ kind: "trySend", key, body })
      const { messageId, deliveryIds } = yield* send(key, body)
      report({ kind: "sent", key, messageId, deliveryIds })
      return messageId
    })
  const later = Effect.map(Clock.currentTimeMillis, (now) => formatInstant(now + 3_600_000))
  const toTwo = (key: string) => sendBody({ to: [`${key}a@example.org`, `${key}b@example.org`] })
  return {
    send: { before: () => Effect.succeed(""), call: (key: string) => sendOne(key, toTwo(key)) },
    cancel: {
      before: (key: string) => Effect.flatMap(later, (scheduledAt) => sendOne(key, sendBody({ scheduledAt }))),
      call: (_key: string, messageId: string) =>
        Effect.flatMap(Sending, (sending) => sending.cancel(project, messageId)).pipe(
          // A repeated call finds that the call without an answer has canceled the message.
          Effect.catchTag("MessageNotScheduled", () => Effect.void),
          Effect.andThen(Effect.sync(() => report({ kind: "canceled", messageId })))
        )
    },
    "hand-off": {
      before: (key: string) => sendOne(key, toTwo(key)),
      call: () => Effect.flatMap(Dispatcher, ({ tick }) => tick)
    }
  }
}

const cutCalls = (proxy: DatabaseProxy, report: (line: WorkerReport) => void) =>
  Effect.gen(function* () {
    const counts: Record<string, number> = {}
    const failures: Array<string> = []
    yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
    for (const [name, { before, call }] of Object.entries(callsOf(report)))
      for (const direction of directions) {
        let cuts = 0
        for (let message = 1; message <= messagesMax; message++) {
          const key = `${name}-${direction}-${message}`
          const existing = yield* untilAnswered(before(key))
          proxy.arm({ direction, message })
          const exit = yield* Effect.exit(call(key, existing))
          const wasCut = proxy.hasCut()
          proxy.arm(null)
          if (!wasCut) break
          cuts++
          if (Exit.isFailure(exit)) {
            const isExpected = exit.cause.reasons.every(
              (reason) => reason._tag === "Fail" && reason.error instanceof StoreUnavailable
            )
            if (!isExpected) failures.push(`${key}: ${String(exit.cause.reasons.map(String))}`)
            yield* untilAnswered(call(key, existing))
          }
        }
        counts[`cuts of a ${name} at a message ${direction === "toServer" ? "to the server" : "to the client"}`] = cuts
        if (cuts === 0) failures.push(`${name}: no message ${direction}`)
      }
    return { counts, failures }
  })

/** Runs the cuts. */
export const commitCuts = async (): Promise<FaultRun> => {
  await using cleanUp = new AsyncDisposableStack()
  const { folder, proxy, url } = await startDatabase(cleanUp)
  const files = filesIn(folder)
  const mail = embeddedMailOver(folder, recordingTransport(files.received, noRelayFaults), {}, databaseStore(url))
  const { counts, failures } = await cutCalls(proxy, appender(files.reports)).pipe(
    Effect.provide(mail),
    Effect.scoped,
    Effect.runPromise
  )
  return await finalCheck(folder, url, counts, failures)
}
