/**
 * Which messages a sweep deletes, and what it counts of their deliveries. Reference implementations for every store. Source: decision 0042.
 */
import type { Delivery } from "../delivery/Delivery.ts"
import type { Message } from "../message/Message.ts"
import type { Counter, CounterName } from "../plan/Plan.ts"
import type { ProjectId } from "../access/Project.ts"
import type { MessageSweep } from "./Claim.ts"
import type { Position } from "./Paging.ts"
import type { UsageAudit } from "./QueryAnswer.ts"

/** The fields of a delivery with the instants at which something happened to it. */
export const deliveryInstants = [
  "createdAt",
  "scheduledAt",
  "queuedAt",
  "chargedAt",
  "canceledAt",
  "acceptedAt",
  "deliveredAt",
  "bouncedAt",
  "complainedAt",
  "failedAt",
  "suppressedAt"
] as const satisfies ReadonlyArray<keyof Delivery>

/** Whether the delivery has ended, and everything that happened to it was before the instant. */
export const hasEndedBefore = (delivery: Delivery, before: number): boolean =>
  delivery.dueAt === null &&
  deliveryInstants.every((field) => {
    const at = delivery[field]
    return at === null || at < before
  })

/** Which messages a sweep deletes, and where the next sweep continues. The sweep has `examined` the answer to the query `MessagesBefore`. */
export const evaluateMessageSweep = (
  examined: ReadonlyArray<Message>,
  deliveriesOf: (message: Message) => ReadonlyArray<Delivery>,
  { before, limit }: MessageSweep
): { readonly ended: ReadonlyArray<Message>; readonly next: Position | null } => ({
  ended: examined.filter((message) => deliveriesOf(message).every((delivery) => hasEndedBefore(delivery, before))),
  next: nextSweptPosition(examined, limit)
})

/** The position after which the next sweep continues, if this sweep examined as many messages as its limit allows. */
export const nextSweptPosition = (examined: ReadonlyArray<Position>, limit: number): Position | null => {
  const last = examined.length < limit ? undefined : examined.at(-1)
  return last === undefined ? null : { createdAt: last.createdAt, id: last.id }
}

const deletedDailyPrefix = "deletedDaily:"

/** An addition to a counter that a sweep writes. */
export interface SweptCount {
  readonly projectId: ProjectId
  readonly name: CounterName
  readonly by: number
}

/**
 * What a sweep of messages adds to the counters in the same write, for the deliveries that it deletes. The usage audit thus stays true.
 * Each counter occurs at most once.
 */
export const sweptCounts = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<SweptCount> => {
  const counts = new Map<string, SweptCount>()
  const add = (projectId: ProjectId, name: CounterName) => {
    const key = `${name} ${projectId}`
    counts.set(key, { projectId, name, by: (counts.get(key)?.by ?? 0) + 1 })
  }
  for (const { projectId, chargedAt, countedDay } of deliveries) {
    if (chargedAt !== null) add(projectId, "deletedCharged")
    if (countedDay !== null) add(projectId, `${deletedDailyPrefix}${countedDay}`)
  }
  return [...counts.values()]
}

/** Adds the counters of deleted deliveries of a project to the numbers that its records give. */
export const withDeletedCounts = (
  counters: ReadonlyArray<Pick<Counter, "name" | "value">>,
  { charged, counted }: Pick<UsageAudit, "charged" | "counted">
): Pick<UsageAudit, "charged" | "counted"> => {
  const byDay = new Map(counted.map(({ day, deliveries }) => [day, deliveries]))
  for (const { name, value } of counters)
    if (name.startsWith(deletedDailyPrefix)) {
      const day = name.slice(deletedDailyPrefix.length)
      byDay.set(day, (byDay.get(day) ?? 0) + value)
    }
  return {
    charged: charged + (counters.find(({ name }) => name === "deletedCharged")?.value ?? 0),
    counted: [...byDay].map(([day, deliveries]) => ({ day, deliveries })).toSorted((a, b) => (a.day < b.day ? -1 : 1))
  }
}
