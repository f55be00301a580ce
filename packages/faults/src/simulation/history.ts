/**
 * Watches every commit that stands, and says at once when one could not have been allowed.
 */
import type { DeliveryRow, Change, DeliveryStatus, MailStoreShape, Query } from "@mailkeep/core"
import { deliveryTable, emittedBy, suppressedFor } from "@mailkeep/core"
import { Effect } from "effect"
import type { Witness } from "./faultyStore.ts"

const rows: ReadonlyArray<DeliveryRow> = deliveryTable

export const readNow = <const Qs extends ReadonlyArray<Query>>(raw: MailStoreShape, queries: Qs) =>
  Effect.runSync(raw.read(queries))

/** The suppression that names an address and holds it now. */
export const suppressionOf = (raw: MailStoreShape, projectId: string, search: string, now: number) => {
  const walk = { _tag: "SuppressionPage", projectId, search, now, after: null, limit: 100, examine: 10_000 } as const
  const [{ items }] = readNow(raw, [walk])
  return items.find(({ address }) => address === search) ?? null
}

export class History {
  readonly problems: Array<string> = []
  readonly projectOf = new Map<string, string>()
  /** Addresses that were ever suppressed, and those known to be dead, as `project/address`. */
  readonly suppressed = new Set<string>()
  readonly dead = new Set<string>()
  /** The webhooks that stand, by project; and by webhook the events that came while it stood. */
  readonly webhooks = new Map<string, ReadonlyArray<string>>()
  readonly owed = new Map<string, Array<string>>()
  commits = 0
  moves = 0
  readonly #raw: MailStoreShape

  constructor(raw: MailStoreShape) {
    this.#raw = raw
  }

  /** `now` is the clock of the process that commits. */
  witness(now: () => number): Witness {
    return (changes) => {
      const seen = changes.flatMap((change) => this.#judged(change, changes, now()))
      return () => {
        this.commits++
        this.problems.push(...seen)
        for (const change of changes) this.#noted(change)
      }
    }
  }

  #noted(change: Change): void {
    if (change._tag === "InsertDelivery") this.projectOf.set(change.delivery.id, change.delivery.projectId)
    if (change._tag === "MoveDelivery") this.moves++
    if (change._tag === "PutDefinition" && change.definition.kind === "webhook" && change.replaces === null) {
      const { projectId, id } = change.definition
      this.webhooks.set(projectId, [...(this.webhooks.get(projectId) ?? []), id])
    }
    if (change._tag === "AppendEvent")
      for (const webhook of this.webhooks.get(change.event.projectId) ?? [])
        this.owed.set(webhook, [...(this.owed.get(webhook) ?? []), change.event.id])
    if (change._tag !== "PutSuppression") return
    const { projectId, address, reasons } = change.suppression
    if (Object.keys(reasons).length > 0) this.suppressed.add(`${projectId}/${address}`)
    if (reasons.hard_bounce !== undefined) this.dead.add(`${projectId}/${address}`)
  }

  #standing(id: string) {
    const projectId = this.projectOf.get(id) ?? ""
    const [delivery] = readNow(this.#raw, [{ _tag: "Delivery", projectId, id }])
    return delivery
  }

  #judged(change: Change, changes: ReadonlyArray<Change>, now: number): ReadonlyArray<string> {
    if (change._tag === "MoveDelivery") return this.#judgedMove(change, changes)
    if (change._tag === "MoveAttempt" && change.next.phase === "dot") return this.#judgedDot(change.deliveryId, now)
    return []
  }

  #judgedMove(
    { id, from, next }: Extract<Change, { _tag: "MoveDelivery" }>,
    changes: ReadonlyArray<Change>
  ): ReadonlyArray<string> {
    const before = this.#standing(id)
    if (before === null) return []
    const possible = rows.filter((row) => row.from === from && row.to === (next.status as DeliveryStatus))
    const told = changes.filter(
      (one) => one._tag === "AppendEvent" && "deliveryId" in one.event.data && one.event.data.deliveryId === id
    ).length
    const grown = next.sequence - before.sequence
    return [
      ...(possible.length === 0 ? [`${id} went from ${from} to ${next.status}, which the table does not know`] : []),
      ...(told !== grown || !possible.some((row) => (emittedBy(row, before.sequence) === undefined ? 0 : 1) === told)
        ? [`${id} went from ${from} to ${next.status} with ${told} events`]
        : []),
      // By the clock as it was when that was decided: it may have been set back since.
      ...(from === "scheduled" && next.status === "queued" && next.queuedAt! < before.scheduledAt!
        ? [`${id} was released ${before.scheduledAt! - next.queuedAt!} ms before its time`]
        : [])
    ]
  }

  #judgedDot(id: string, now: number): ReadonlyArray<string> {
    const delivery = this.#standing(id)
    if (delivery === null) return [`${id} does not exist and gets its final dot`]
    const { projectId, address } = delivery
    const reason = suppressedFor(suppressionOf(this.#raw, projectId, address, now), now)
    return reason === null ? [] : [`${id} gets its final dot although its address is suppressed: ${reason}`]
  }
}
