import { describe, expect, it } from "vitest"
import { attemptOutcomes, deliveryState } from "../../../src/domain/delivery/Delivery.ts"
import { deliveryStatuses } from "../../../src/domain/delivery/DeliveryStatus.ts"
import { measurementsOf } from "../../../src/domain/observability/measurements.ts"
import { reachedStatuses } from "../../../src/domain/observability/metricTable.ts"
import type { Change, ChangeOf } from "../../../src/domain/store/Change.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { attempt, delivery, message, now } from "../../decide/fixtures.ts"

const move = (from: Delivery["status"], next: Partial<Delivery>): Change => ({
  _tag: "TransitionDelivery",
  projectId: "prj_test",
  id: "del_1",
  from,
  fencingToken: 7,
  next: deliveryState(delivery(next))
})

const end = (next: Partial<ChangeOf<"TransitionAttempt">["next"]>, from: "started" | "ended" = "started"): Change => ({
  _tag: "TransitionAttempt",
  projectId: "prj_test",
  deliveryId: "del_1",
  number: 1,
  fencingToken: 7,
  from,
  next: { ...attempt({ phase: "ended", outcome: "accepted", durationMillis: 250 }), ...next }
})

const begin = (number: number): Change => ({
  _tag: "InsertAttempt",
  attempt: attempt({ number, startedAt: now + 1500 })
})
const sending = move("queued", { status: "sending" })

const handOffs = (outcome: string) => ({ name: "mailkeep_hand_offs_total", labels: { outcome }, value: 1 })
const seconds = (value: number) => ({ name: "mailkeep_hand_off_seconds", labels: {}, value })
const reached = (status: string) => ({ name: "mailkeep_deliveries_total", labels: { status }, value: 1 })
const queue = (value: number) => ({ name: "mailkeep_queue_seconds", labels: {}, value })

describe("measurementsOf", () => {
  it.each<[name: string, changes: ReadonlyArray<Change>, expected: ReadonlyArray<unknown>]>([
    ["nothing", [], []],
    [
      "a send to two recipients, one of them suppressed",
      [
        { _tag: "InsertMessage", message: message({ source: "smtp" }) },
        { _tag: "InsertDelivery", delivery: delivery() },
        { _tag: "InsertDelivery", delivery: delivery({ id: "del_2", status: "suppressed", dueAt: null }) }
      ],
      [{ name: "mailkeep_sends_total", labels: { source: "smtp" }, value: 1 }, reached("suppressed")]
    ],
    ["the begin of the first attempt", [begin(1), sending], [queue(1.5)]],
    ["the begin of a later attempt", [begin(2), sending], []],
    [
      "a first attempt before the delivery was queued",
      [begin(1), move("queued", { queuedAt: now + 9000 })],
      [queue(0)]
    ],
    ["a first attempt of an unknown wait", [begin(1), move("queued", { queuedAt: null })], []],
    [
      "an answer of the relay",
      [end({}), move("sending", { status: "accepted" })],
      [handOffs("accepted"), seconds(0.25), reached("accepted")]
    ],
    [
      "a temporary refusal",
      [end({ outcome: "deferred" }), move("sending", { status: "queued" })],
      [handOffs("deferred"), seconds(0.25)]
    ],
    ["an attempt without an answer", [end({ outcome: "no_reply" })], [handOffs("no_reply")]],
    ["an ambiguous attempt", [end({ outcome: "ambiguous" })], [handOffs("ambiguous")]],
    ["an attempt of an unknown duration", [end({ durationMillis: null })], [handOffs("accepted")]],
    ["an attempt that begins to finalize", [end({ phase: "finalizing", outcome: null })], []],
    ["an attempt that had ended before", [end({}, "ended")], []],
    ["a bounce", [move("accepted", { status: "bounced" })], [reached("bounced")]],
    ["a change within a status", [move("bounced", { status: "bounced" })], []],
    ["other changes", [{ _tag: "PutSetting", name: "color", value: "blue" }], []]
  ])("measures %s", (_, changes, expected) => {
    expect(measurementsOf(changes)).toEqual(expected)
  })

  it.each(deliveryStatuses)("counts a delivery that reaches the status %s only if the table has it", (status) => {
    const from = status === "queued" ? "sending" : "queued"
    const expected = (reachedStatuses as ReadonlyArray<string>).includes(status) ? [reached(status)] : []
    expect(measurementsOf([move(from, { status })])).toEqual(expected)
  })

  it.each(attemptOutcomes)("counts an attempt that ends with the outcome %s", (outcome) => {
    expect(measurementsOf([end({ outcome })])[0]).toEqual(handOffs(outcome))
  })
})
