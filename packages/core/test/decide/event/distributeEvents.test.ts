import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Subscriber } from "../../../src/decide/event/distributeEvents.ts"
import { distributeEvents } from "../../../src/decide/event/distributeEvents.ts"
import type { EventKind } from "../../../src/domain/event/MailEvent.ts"
import { eventKinds } from "../../../src/domain/event/MailEvent.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import { advanceBlock } from "../../../src/domain/value/Id.ts"
import { eventDelivery, eventRecord, ids, now, subscription, webhook } from "../fixtures.ts"

/** Which event goes to which subscriber, and which events are marked as distributed. */
const planOf = (changes: ReadonlyArray<Change>) => ({
  distributed: changes.flatMap((change) => (change._tag === "DistributeEvent" ? [change.id] : [])),
  sent: changes.flatMap((change) =>
    change._tag === "InsertEventDelivery" ? [[change.eventDelivery.eventId, change.eventDelivery.subscriber]] : []
  )
})

const distribute = (events: ReadonlyArray<ReturnType<typeof eventRecord>>, subscribers: ReadonlyArray<Subscriber>) =>
  distributeEvents({
    now,
    events: events.map((event, n) => ({ event, ids: advanceBlock(ids, n * 100) })),
    subscribers
  })

describe("distributeEvents", () => {
  it.each<[string, ReadonlyArray<Subscriber>, ReadonlyArray<string>]>([
    ["a webhook of this kind", [webhook()], ["whk_1"]],
    ["a webhook of another kind", [webhook({}, { events: ["email.bounced"] })], []],
    ["a disabled webhook", [webhook({}, { status: "disabled" })], []],
    ["a webhook that is failing", [webhook({}, { failingSince: now - 1 })], ["whk_1"]],
    ["a webhook that was created after the event", [webhook({ createdAt: now + 1 })], ["whk_1"]],
    ["a subscription of this kind", [subscription()], ["sub_1"]],
    ["a subscription of another kind", [subscription({}, { events: ["domain.failed"] })], []],
    ["two subscribers", [webhook(), subscription()], ["whk_1", "sub_1"]],
    ["no subscriber", [], []]
  ])("sends an event to the right subscribers when there is %s", (_, subscribers, receivers) => {
    const { changes, answer } = distribute([eventRecord()], subscribers)
    expect(answer).toEqual({ distributed: 1, eventDeliveries: receivers.length })
    expect(planOf(changes)).toEqual({ distributed: ["evt_1"], sent: receivers.map((id) => ["evt_1", id]) })
  })

  it("makes event deliveries that are due at once and have no attempt", () => {
    const { changes } = distribute([eventRecord()], [webhook()])
    expect(changes).toContainEqual({
      _tag: "InsertEventDelivery",
      eventDelivery: { ...eventDelivery({ worker: null, fencingToken: 0 }), id: expect.stringMatching(/^evd_/) }
    })
  })

  it("distributes each event once and sends it once to each subscriber of its kind, under different ids", () => {
    const kinds = fc.uniqueArray(fc.constantFrom(...eventKinds))
    const events = fc
      .array(fc.constantFrom<EventKind>("email.delivered", "email.bounced", "email.failed"), { maxLength: 5 })
      .map((all) => all.map((kind, n) => eventRecord({ id: `evt_${n}`, kind } as never)))
    const subscribers = fc
      .array(fc.record({ kinds, enabled: fc.boolean() }), { maxLength: 5 })
      .map((all) =>
        all.map(({ kinds, enabled }, n) =>
          webhook({ id: `whk_${n}` }, { events: kinds, status: enabled ? "enabled" : "disabled" })
        )
      )
    fc.assert(
      fc.property(events, subscribers, (events, subscribers) => {
        const { changes, answer } = distribute(events, subscribers)
        const { distributed, sent } = planOf(changes)
        expect(answer.distributed).toBe(events.length)
        expect(distributed).toEqual(events.map(({ id }) => id))
        expect(sent).toEqual(
          events.flatMap(({ id, kind }) =>
            subscribers
              .filter(({ content }) => content.status === "enabled" && content.events.includes(kind))
              .map((subscriber) => [id, subscriber.id])
          )
        )
        const deliveryIds = changes.flatMap((change) =>
          change._tag === "InsertEventDelivery" ? [change.eventDelivery.id] : []
        )
        expect(new Set(deliveryIds).size).toBe(deliveryIds.length)
      })
    )
  })
})
