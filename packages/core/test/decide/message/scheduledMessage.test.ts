import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { RescheduleFacts, ScheduledMessageFacts } from "../../../src/decide/message/scheduledMessage.ts"
import { cancelMessage, rescheduleMessage } from "../../../src/decide/message/scheduledMessage.ts"
import { erasedAddress } from "../../../src/domain/contact/addressRedaction.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import type { Change, ChangeOf, ChangeTag } from "../../../src/domain/store/Change.ts"
import { dayMillis, hourMillis } from "../../../src/domain/value/Instant.ts"
import { counterChanges, message, now, project, scheduled } from "../fixtures.ts"

const due = now + hourMillis
const waiting = (id: Delivery["id"], change: Partial<Delivery> = {}) =>
  scheduled({ id, dueAt: due, scheduledAt: due, ...change })
const two = [waiting("del_1"), waiting("del_2")]

const facts = (change: Partial<ScheduledMessageFacts> = {}): ScheduledMessageFacts => ({
  now,
  ids: { time: now, high: 0, low: 0 },
  message: message(),
  deliveries: two,
  ...change
})

const only = <T extends ChangeTag>(changes: ReadonlyArray<Change>, tag: T) =>
  changes.filter((change): change is ChangeOf<T> => change._tag === tag)

const canceling = { messageId: "msg_1", domainScope: null }
const outside = { ...canceling, domainScope: ["other.example"] }

describe("cancelMessage", () => {
  it("cancels every delivery of the message with an event, and returns its counts", () => {
    const { answer, changes } = Result.getOrThrow(cancelMessage(canceling, facts()))
    expect(answer).toEqual({ messageId: "msg_1", canceledAt: now, deliveryIds: ["del_1", "del_2"] })
    expect(only(changes, "TransitionDelivery")).toMatchObject([
      { id: "del_1", from: "scheduled", fencingToken: 7, next: { status: "canceled", canceledAt: now, dueAt: null } },
      { id: "del_2", from: "scheduled", fencingToken: 7, next: { status: "canceled", canceledAt: now, dueAt: null } }
    ])
    expect(only(changes, "AppendEvent").map(({ event }) => event.kind)).toEqual(["email.canceled", "email.canceled"])
    expect(counterChanges(changes)).toEqual({ scheduledRecipients: -2, "daily:2026-11-21": -2 })
  })

  it("cancels the other deliveries after the erasure of a person has canceled one", () => {
    const erased = waiting("del_1", { address: erasedAddress, status: "canceled", canceledAt: now - 5 })
    const { answer, changes } = Result.getOrThrow(cancelMessage(canceling, facts({ deliveries: [erased, two[1]!] })))
    expect(answer).toEqual({ messageId: "msg_1", canceledAt: now, deliveryIds: ["del_1", "del_2"] })
    expect(only(changes, "TransitionDelivery").map(({ id }) => id)).toEqual(["del_2"])
  })

  it("returns the same answer again without a change, when the message is already canceled", () => {
    const canceled = two.map((one) => ({ ...one, status: "canceled" as const, canceledAt: now - 5 }))
    expect(cancelMessage(canceling, facts({ deliveries: canceled }))).toEqual(
      Result.succeed({
        changes: [],
        answer: { messageId: "msg_1", canceledAt: now - 5, deliveryIds: ["del_1", "del_2"] }
      })
    )
  })

  it.each([
    ["a message that does not exist", outside, { message: null, deliveries: [] }, { _tag: "MessageNotFound" }],
    ["a message of a domain outside the scope", outside, {}, { _tag: "SenderOutsideScope", domain: "example.com" }],
    [
      "a message with a delivery that is no longer scheduled",
      canceling,
      { deliveries: [two[0]!, { ...two[1]!, status: "queued" as const }] },
      { _tag: "MessageNotScheduled", deliveryId: "del_2" }
    ],
    [
      "a message of which one delivery was canceled and another was sent",
      canceling,
      {
        deliveries: [
          { ...two[0]!, status: "canceled" as const, canceledAt: now },
          { ...two[1]!, status: "queued" as const }
        ]
      },
      { _tag: "MessageNotScheduled", deliveryId: "del_1" }
    ]
  ])("refuses to cancel %s", (_, command, change, failure) => {
    const refused = cancelMessage(command, facts(change))
    expect(Result.isFailure(refused) && refused.failure).toMatchObject(failure)
  })
})

describe("rescheduleMessage", () => {
  const tomorrow = due + dayMillis
  const reschedule = (
    scheduledAt: number,
    { usedThatDay = 0, plan = noLimits, ...change }: Partial<RescheduleFacts> = {},
    command: typeof canceling | typeof outside = canceling
  ) => rescheduleMessage({ ...command, scheduledAt }, { ...facts(change), plan, usedThatDay })

  it("moves every delivery and its daily count to the new day, and keeps the idempotency record longer", () => {
    const { answer, changes } = Result.getOrThrow(reschedule(tomorrow))
    expect(answer).toEqual({ messageId: "msg_1", scheduledAt: tomorrow, deliveryIds: ["del_1", "del_2"] })
    expect(only(changes, "TransitionDelivery")).toMatchObject(
      two.map(({ id }) => ({
        id,
        from: "scheduled",
        fencingToken: 7,
        next: { status: "scheduled", dueAt: tomorrow, scheduledAt: tomorrow, countedDay: "2026-11-22" }
      }))
    )
    expect(counterChanges(changes)).toEqual({ "daily:2026-11-21": -2, "daily:2026-11-22": 2 })
    expect(only(changes, "ExtendIdempotency")).toEqual([
      { _tag: "ExtendIdempotency", projectId: project, key: "k", expiresAt: tomorrow + 30 * dayMillis }
    ])
  })

  it("keeps no record longer for a message without an idempotency key", () => {
    const changes = Result.getOrThrow(reschedule(tomorrow, { message: message({ idempotencyKey: "" }) })).changes
    expect(only(changes, "TransitionDelivery")).toHaveLength(2)
    expect(only(changes, "ExtendIdempotency")).toEqual([])
  })

  it("changes no counter on the same day, also when the daily limit is reached", () => {
    const changes = Result.getOrThrow(
      reschedule(due + 1, { plan: { ...noLimits, dailySends: 2 }, usedThatDay: 2 })
    ).changes
    expect(counterChanges(changes)).toEqual({})
  })

  it("compares the daily limit of the new day with all deliveries that move there", () => {
    const plan = { ...noLimits, dailySends: 3 }
    expect(Result.isSuccess(reschedule(tomorrow, { plan, usedThatDay: 1 }))).toBe(true)
    const refused = reschedule(tomorrow, { plan, usedThatDay: 2 })
    expect(Result.isFailure(refused) && refused.failure).toMatchObject({ code: "daily_sending_limit_exceeded" })
    const guard = only(Result.getOrThrow(reschedule(tomorrow, { plan, usedThatDay: 1 })).changes, "AddToCounter")
    expect(guard.map(({ name, max }) => [name, max])).toContainEqual(["daily:2026-11-22", 3])
  })

  it.each<[string, number, Partial<ScheduledMessageFacts>, typeof canceling | typeof outside, object]>([
    ["a domain outside the scope, before it checks the time", now, {}, outside, { _tag: "SenderOutsideScope" }],
    [
      "a time that has passed, before it looks for the message",
      now,
      { message: null, deliveries: [] },
      canceling,
      { argument: "input", issues: [{ path: ["scheduledAt"], code: "not_in_future" }] }
    ],
    ["a time too far ahead", now + 30 * dayMillis + 1, {}, canceling, { issues: [{ code: "too_far_ahead" }] }],
    ["an unknown id", due, { message: null, deliveries: [] }, canceling, { _tag: "MessageNotFound" }],
    [
      "a delivery that is no longer scheduled",
      due,
      { deliveries: [{ ...two[0]!, status: "queued" }] },
      canceling,
      { _tag: "MessageNotScheduled", deliveryId: "del_1" }
    ],
    [
      "a time at which the message has expired",
      due,
      { message: message({ expiresAt: due }) },
      canceling,
      { issues: [{ path: ["scheduledAt"], code: "too_far_ahead" }] }
    ]
  ])("refuses to reschedule a message with %s", (_, scheduledAt, change, command, failure) => {
    const refused = reschedule(scheduledAt, change, command)
    expect(Result.isFailure(refused) && refused.failure).toMatchObject(failure)
  })
})
