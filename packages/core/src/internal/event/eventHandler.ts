/**
 * The handlers of events in this process: what is registered, and one call of a handler.
 */
import { Effect, Exit } from "effect"
import type { EventDeliveryResult } from "../../decide/event/finishEventDelivery.ts"
import type { EventKind, MailEvent, MailEventOf } from "../../domain/event/MailEvent.ts"
import { minuteMillis } from "../../domain/value/Instant.ts"
import { isPromiseLike } from "../../port/promised.ts"
import type { LoggedFailure } from "../observability/failureLog.ts"

/**
 * Handles an event with an effect, a promise or a plain function. When the effect fails, the promise rejects or the function throws, the
 * attempt has failed. The handler then gets the event again later.
 */
export type EventHandler<K extends EventKind = EventKind> = (
  event: MailEventOf<K>
) => Effect.Effect<unknown, unknown> | PromiseLike<unknown> | void

/** A handler of this process, as `subscribe` registers it. */
export interface RegisteredHandler {
  /** The name of the subscription. */
  readonly name: string
  /** The kinds that this handler takes. The stored subscription has others when another process has registered its name since. */
  readonly kinds: ReadonlyArray<EventKind>
  readonly handle: EventHandler
}

export interface HandlerDeps {
  readonly logHandlerFailure: (failure: LoggedFailure) => Effect.Effect<void>
}

/** How long a handler runs before the log names it. */
const longMillis = minuteMillis

/** Checks the returned value at run time, because a handler may be plain JavaScript without types. */
const runHandler = (handle: EventHandler, event: MailEvent): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const returned = handle(event)
    if (Effect.isEffect(returned)) return returned
    return isPromiseLike(returned) ? Effect.tryPromise({ try: () => returned, catch: (reason) => reason }) : Effect.void
  })

/** One line for each call that takes long: a handler that never ends stops its subscription, and nothing else would show it. */
const warnWhenLong = (fields: Readonly<Record<string, string>>): Effect.Effect<never> =>
  Effect.logWarning(
    "A handler of events has not ended for a minute. Its subscription gets no other event in this process until then.",
    fields
  ).pipe(Effect.delay(longMillis), Effect.andThen(Effect.never))

/** Gives the event to the handler once. Every failure of the handler becomes a result, so this effect never fails. */
export const sendToHandler = (
  { logHandlerFailure }: HandlerDeps,
  subscriptionId: string,
  { name, handle }: RegisteredHandler,
  event: MailEvent
): Effect.Effect<EventDeliveryResult> =>
  Effect.gen(function* () {
    const fields = { subscription: name, subscriptionId, kind: event.kind }
    const exit = yield* Effect.exit(Effect.raceFirst(runHandler(handle, event), warnWhenLong(fields)))
    if (Exit.isSuccess(exit)) return { _tag: "Accepted", status: null }
    yield* logHandlerFailure({ subject: subscriptionId, fields, cause: exit.cause })
    return { _tag: "NoReply", error: "handler_failed" }
  })
