/**
 * What an applied commit adds to the metrics. A metric thus counts facts that are stored, each once and in the process that stored it.
 * Source: decision 0046.
 */
import type { AttemptOutcome } from "../delivery/Delivery.ts"
import type { DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import type { Change, ChangeOf } from "../store/Change.ts"
import { secondMillis } from "../value/Instant.ts"
import type { LabelsOf, Measurement } from "./metricTable.ts"
import { reachedStatuses } from "./metricTable.ts"

type ReachedStatus = LabelsOf<"mailkeep_deliveries_total">["status"]

const reached: ReadonlySet<DeliveryStatus> = new Set(reachedStatuses)

const reachedStatus = (status: DeliveryStatus): ReadonlyArray<Measurement> =>
  reached.has(status)
    ? [{ name: "mailkeep_deliveries_total", labels: { status: status as ReachedStatus }, value: 1 }]
    : []

/** The outcomes by an answer of the relay. The time of the others is that of a deadline, a shutdown or a dead worker. */
const answeredOutcomes: ReadonlySet<AttemptOutcome> = new Set(["accepted", "delivered", "deferred", "rejected"])

const endedAttempt = ({ from, next }: ChangeOf<"TransitionAttempt">): ReadonlyArray<Measurement> => {
  const { phase, outcome, durationMillis } = next
  if (from === "ended" || phase !== "ended" || outcome === null) return []
  const ended: Measurement = { name: "mailkeep_hand_offs_total", labels: { outcome }, value: 1 }
  return durationMillis === null || !answeredOutcomes.has(outcome)
    ? [ended]
    : [ended, { name: "mailkeep_hand_off_seconds", labels: {}, value: durationMillis / secondMillis }]
}

/** The wait of a delivery in the queue ends with its first attempt. Both are in the same commit. */
const firstAttempt = (
  { attempt }: ChangeOf<"InsertAttempt">,
  changes: ReadonlyArray<Change>
): ReadonlyArray<Measurement> => {
  if (attempt.number !== 1) return []
  const delivery = changes.find((one) => one._tag === "TransitionDelivery" && one.id === attempt.deliveryId)
  const queuedAt = delivery?._tag === "TransitionDelivery" ? delivery.next.queuedAt : null
  if (queuedAt === null) return []
  const value = Math.max(0, attempt.startedAt - queuedAt) / secondMillis
  return [{ name: "mailkeep_queue_seconds", labels: {}, value }]
}

const measurementsOfChange = (change: Change, changes: ReadonlyArray<Change>): ReadonlyArray<Measurement> => {
  switch (change._tag) {
    case "InsertMessage":
      return [{ name: "mailkeep_sends_total", labels: { source: change.message.source }, value: 1 }]
    case "InsertDelivery":
      return reachedStatus(change.delivery.status)
    case "TransitionDelivery":
      return change.next.status === change.from ? [] : reachedStatus(change.next.status)
    case "TransitionAttempt":
      return endedAttempt(change)
    case "InsertAttempt":
      return firstAttempt(change, changes)
    default:
      return []
  }
}

/** Returns what the changes of one applied commit add to the metrics. */
export const measurementsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<Measurement> => {
  const measurements: Array<Measurement> = []
  for (const change of changes) for (const one of measurementsOfChange(change, changes)) measurements.push(one)
  return measurements
}
