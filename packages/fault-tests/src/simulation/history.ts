/**
 * Observes every applied commit and records a problem when a commit breaks a rule.
 */
import type { DeliveryRow, Change, MailStoreShape, Query } from "@mailkeep/core/adapter"
import type { DeliveryStatus } from "@mailkeep/core"
import { deliveryTable, emittedBy } from "@mailkeep/core/adapter"
import { suppressedFor } from "@mailkeep/core/adapter/evaluation"
import { Effect } from "effect"
import type { Witness } from "./faultyStore.ts"

const rows: ReadonlyArray<DeliveryRow> = deliveryTable

export const readNow = <const Qs extends ReadonlyArray<Query>>(raw: MailStoreShape, queries: Qs) =>
  Effect.runSync(raw.read(queries))

/** The suppression of an address at the given time, or `null`. */
export const suppressionOf = (raw: MailStoreShape, projectId: string, search: string, now: number) => {
  const page = { now, after: null, limit: 100, scanLimit: 10_000 }
  const query = { _tag: "SuppressionPage", projectId, search, addressPart: null, ...page } as const
  const [{ items }] = readNow(raw, [query])
  return items.find(({ address }) => address === search) ?? null
}

/** Follows the commits of one simulation. */
export class History {
  readonly problems: Array<string> = []
  readonly projectOf = new Map<string, string>()
  /** Addresses that were ever suppressed, as `project/address`. */
  readonly suppressed = new Set<string>()
  /** Addresses that had a hard bounce, as `project/address`. */
  readonly hardBounced = new Set<string>()
  /** The existing webhooks, by project. */
  readonly webhooks = new Map<string, ReadonlyArray<string>>()
  /** The events that were appended while a webhook existed, by webhook. */
  readonly expectedEvents = new Map<string, Array<string>>()
  commits = 0
  transitions = 0
  readonly #raw: MailStoreShape

  constructor(raw: MailStoreShape) {
    this.#raw = raw
  }

  /** Returns the witness for one process. `now` is the clock of this process. */
  witness(now: () => number): Witness {
    return (changes) => {
      const problems = changes.flatMap((change) => this.#check(change, changes, now()))
      return () => {
        this.commits++
        this.problems.push(...problems)
        for (const change of changes) this.#record(change)
      }
    }
  }

  #record(change: Change): void {
    if (change._tag === "InsertDelivery") this.projectOf.set(change.delivery.id, change.delivery.projectId)
    if (change._tag === "TransitionDelivery") this.transitions++
    if (change._tag === "PutResource" && change.resource.kind === "webhook" && change.replaces === null) {
      const { projectId, id } = change.resource
      this.webhooks.set(projectId, [...(this.webhooks.get(projectId) ?? []), id])
    }
    if (change._tag === "AppendEvent")
      for (const webhook of this.webhooks.get(change.event.projectId) ?? [])
        this.expectedEvents.set(webhook, [...(this.expectedEvents.get(webhook) ?? []), change.event.id])
    if (change._tag !== "PutSuppression") return
    const { projectId, address, reasons } = change.suppression
    if (Object.keys(reasons).length > 0) this.suppressed.add(`${projectId}/${address}`)
    if (reasons.hard_bounce !== undefined) this.hardBounced.add(`${projectId}/${address}`)
  }

  #existing(id: string) {
    const projectId = this.projectOf.get(id) ?? ""
    const [delivery] = readNow(this.#raw, [{ _tag: "Delivery", projectId, id }])
    return delivery
  }

  #check(change: Change, changes: ReadonlyArray<Change>, now: number): ReadonlyArray<string> {
    if (change._tag === "TransitionDelivery") return this.#checkTransition(change, changes)
    if (change._tag === "TransitionAttempt" && change.next.phase === "finalizing")
      return this.#checkFinalizing(change.deliveryId, now)
    if (change._tag === "InsertAttempt" && change.attempt.phase === "finalizing")
      return this.#checkFinalizing(change.attempt.deliveryId, now)
    return []
  }

  #checkTransition(
    { id, from, next }: Extract<Change, { _tag: "TransitionDelivery" }>,
    changes: ReadonlyArray<Change>
  ): ReadonlyArray<string> {
    const before = this.#existing(id)
    if (before === null) return []
    const matching = rows.filter((row) => row.from === from && row.to === (next.status as DeliveryStatus))
    const emitted = changes.filter(
      (one) => one._tag === "AppendEvent" && "deliveryId" in one.event.data && one.event.data.deliveryId === id
    ).length
    const sequenceGrowth = next.sequence - before.sequence
    return [
      ...(matching.length === 0
        ? [`${id} went from ${from} to ${next.status}, which is not in the transition table`]
        : []),
      ...(emitted !== sequenceGrowth ||
      !matching.some((row) => (emittedBy(row, before.sequence) === undefined ? 0 : 1) === emitted)
        ? [`${id} went from ${from} to ${next.status} with ${emitted} events`]
        : []),
      // Uses `queuedAt`, because the clock may have been set back since the decision.
      ...(from === "scheduled" && next.status === "queued" && next.queuedAt! < before.scheduledAt!
        ? [`${id} was queued ${before.scheduledAt! - next.queuedAt!} ms before its time`]
        : [])
    ]
  }

  #checkFinalizing(id: string, now: number): ReadonlyArray<string> {
    const delivery = this.#existing(id)
    if (delivery === null) return [`${id} does not exist, but its attempt is finalizing`]
    const { projectId, address } = delivery
    const reason = suppressedFor(suppressionOf(this.#raw, projectId, address, now), now)
    return reason === null ? [] : [`${id} is finalizing although its address is suppressed: ${reason}`]
  }
}
