/**
 * Checks what an event sink returns. A sink that is written without types may return a value of another form. The work would then end without a
 * result, and the event would be sent again and again.
 */
import { Effect, Option } from "effect"
import type { EventDeliveryResult } from "../../decide/event/finishEventDelivery.ts"
import type { SinkOutcome } from "../../domain/event/EventDelivery.ts"
import { shownText } from "../../domain/value/shownText.ts"
import type { EventSinkShape, SinkRequest } from "../../port/EventSink.ts"
import { EventSink } from "../../port/EventSink.ts"
import { makeDefectLog } from "../observability/failureLog.ts"

const noReply = (error: string): EventDeliveryResult => ({ _tag: "NoReply", error })

const toSeconds = (value: unknown): number | null => (typeof value === "number" && !Number.isNaN(value) ? value : null)

const toResult = (outcome: SinkOutcome | undefined | null): EventDeliveryResult => {
  if (outcome?._tag !== "Accepted" && outcome?._tag !== "Refused") return noReply("no_outcome")
  const status = Number.isSafeInteger(outcome.status) ? outcome.status : null
  if (outcome._tag === "Accepted") return { _tag: "Accepted", status }
  const { retryAfterSeconds, wantsNoMoreEvents } = outcome
  return {
    _tag: "Refused",
    status,
    retryAfterSeconds: toSeconds(retryAfterSeconds),
    wantsNoMoreEvents: wantsNoMoreEvents === true
  }
}

const reasonOf = (reason: unknown): string => (typeof reason === "string" ? shownText(reason) : "sink_failed")

/** An event sink whose failures and defects are results, so `send` never fails. It logs the defects. */
export interface CheckedSink {
  /** Sends once. */
  readonly send: (request: SinkRequest) => Effect.Effect<EventDeliveryResult>
}

/** The event sink of the adapter with the checks after each request. */
const checkedSink = (sink: EventSinkShape): CheckedSink => {
  const logDefects = makeDefectLog("A defect of the event sink ended a request.")
  return {
    send: (request) =>
      Effect.suspend(() => sink.send(request)).pipe(
        logDefects,
        Effect.map(toResult),
        Effect.catch(({ reason }) => Effect.succeed(noReply(reasonOf(reason)))),
        Effect.catchDefect(() => Effect.succeed(noReply("sink_failed")))
      )
  }
}

/** The event sink of the program with the checks; `null` without one. */
export const providedSink: Effect.Effect<CheckedSink | null> = Effect.map(
  Effect.serviceOption(EventSink),
  Option.match({ onNone: () => null, onSome: checkedSink })
)
