/**
 * Cancels and reschedules messages before they are due. Source: decision 0008.
 */
import { Effect } from "effect"
import { cancelMessage, rescheduleMessage } from "../../decide/message/scheduledMessage.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import { parseScheduledAt } from "../../domain/message/SendingWindow.ts"
import { recipientsMax } from "../../domain/message/SendRequest.ts"
import { dailyCounter } from "../../domain/plan/Plan.ts"
import type { TimeInput } from "../../domain/value/Instant.ts"
import { utcDayOf } from "../../domain/value/Instant.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import type { PlanSource } from "../../port/PlanSource.ts"
import { clockFacts } from "../store/clockFacts.ts"
import type { Commit } from "../store/commit.ts"
import { validated, validCaller, validIds } from "../validated.ts"

export interface ScheduledMessagesDeps {
  readonly store: MailStoreShape
  readonly commit: Commit
  readonly ids: IdSource["Service"]
  readonly plans: PlanSource["Service"]
  /** Wakes the dispatcher after a commit for the project. */
  readonly thenWake: (projectId: ProjectId) => <A, E>(commit: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** The queries for a message and its deliveries. */
export const messageReads = (projectId: ProjectId, messageId: string) =>
  [
    { _tag: "Message", projectId, id: messageId },
    { _tag: "DeliveriesOfMessage", projectId, messageId }
  ] as const

/** Makes the methods of `Sending` that are about scheduled messages. */
export const makeScheduledMessages = ({ store, commit, ids, plans, thenWake }: ScheduledMessagesDeps) => {
  const cancel = Effect.fn("Sending.cancel")(function* (caller: Caller, messageId: string) {
    const { projectId, domainScope } = yield* validCaller(caller)
    yield* validIds({ messageId })
    const clock = yield* clockFacts(ids, recipientsMax)
    const load = Effect.map(store.read(messageReads(projectId, messageId)), ([message, deliveries]) => ({
      ...clock,
      message,
      deliveries
    }))
    return yield* commit(load, (facts) => cancelMessage({ messageId, domainScope }, facts), "bounded")
  })

  const reschedule = Effect.fn("Sending.reschedule")(function* (caller: Caller, messageId: string, newTime: TimeInput) {
    const { projectId, domainScope } = yield* validCaller(caller)
    yield* validIds({ messageId })
    const scheduledAt = yield* validated(parseScheduledAt, newTime)
    const clock = yield* clockFacts(ids, recipientsMax)
    const day = dailyCounter(utcDayOf(scheduledAt))
    const load = Effect.zipWith(
      plans.planOf(projectId),
      store.read([...messageReads(projectId, messageId), { _tag: "Counters", projectId, names: [day] }]),
      (plan, [message, deliveries, used]) => ({ ...clock, plan, message, deliveries, usedThatDay: used[0]! })
    )
    return yield* commit(
      load,
      (facts) => rescheduleMessage({ messageId, domainScope, scheduledAt }, facts),
      "bounded"
    ).pipe(thenWake(projectId))
  })

  return { cancel, reschedule }
}
