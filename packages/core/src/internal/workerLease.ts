/**
 * A worker's name and lease: claims under it, keeps it alive while something is held, and leaves it behind when what stands under it
 * is no longer known.
 */
import { Clock, Duration, Effect } from "effect"
import type { Claim, ClaimKind } from "../domain/Claim.ts"
import type { Delivery } from "../domain/Delivery.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { Crypto } from "../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { defectName } from "./defectName.ts"
import { randomHex } from "./randomHex.ts"

/** How many former names are remembered, to end their leases on shutdown. */
const formerNamesMax = 64

/** What a claim stamped. */
interface Held {
  readonly id: string
  readonly worker: string | null
}

type Lease = Omit<Claim, "kind">

export interface WorkerLease {
  readonly name: () => string
  readonly claim: (kind: ClaimKind, limit: number) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>
  readonly claimPushes: (consumer: string, limit: number) => Effect.Effect<ReadonlyArray<EventPush>, StoreUnavailable>
  /**
   * Works on a claimed row while its worker's name is known to hold something. One that cannot be worked on, such as a row that
   * makes no sense, holds up no other.
   */
  readonly holding: (row: Held, work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  /** Claims from now on are made under another name; what this one still holds is taken up when its lease is over. */
  readonly changeName: Effect.Effect<void>
  /** Renews the leases of the names that hold something, for ever. */
  readonly heartbeat: Effect.Effect<never>
  readonly giveBack: Effect.Effect<void>
}

export const makeWorkerLease = (store: MailStoreShape, crypto: Crypto["Service"], leaseMillis: number): WorkerLease => {
  const newName = () => randomHex(crypto, 8)
  /** Each name with how many deliveries it holds. */
  const held = new Map<string, number>()
  const formerNames: Array<string> = []
  let name = newName()

  const changeName = Effect.sync(() => {
    formerNames.push(name)
    if (formerNames.length > formerNamesMax) formerNames.shift()
    name = newName()
  })

  const claiming = <A>(
    limit: number,
    take: (lease: Lease) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>
  ): Effect.Effect<ReadonlyArray<A>, StoreUnavailable> =>
    limit <= 0
      ? Effect.succeed([])
      : Effect.flatMap(Clock.currentTimeMillis, (now) =>
          // A claim that failed may have stood: its rows must not wait for a name that lives on.
          Effect.tapError(take({ now, limit, worker: name, leaseUntil: now + leaseMillis }), () => changeName)
        )

  const count = (worker: string, by: number) =>
    Effect.sync(() => {
      const sum = (held.get(worker) ?? 0) + by
      if (sum > 0) held.set(worker, sum)
      else held.delete(worker)
    })

  const holding: WorkerLease["holding"] = (row, work) => {
    const spared = Effect.catchDefect(work, (defect) =>
      Effect.andThen(
        changeName,
        Effect.logError("A row could not be worked on.", { row: row.id, defect: defectName(defect) })
      )
    )
    return Effect.acquireUseRelease(
      count(row.worker!, 1),
      () => spared,
      () => count(row.worker!, -1)
    )
  }

  const renew = (worker: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      store.commit([{ _tag: "RenewLease", worker, leaseUntil: now + leaseMillis }])
    ).pipe(Effect.ignoreCause)

  const heartbeat = Effect.suspend(() => Effect.forEach([...held.keys()], renew, { discard: true })).pipe(
    Effect.delay(Duration.millis(Math.floor(leaseMillis / 3))),
    Effect.forever
  )

  const giveBack = Effect.suspend(() =>
    Effect.ignore(store.commit([...formerNames, name].map((worker) => ({ _tag: "EndLease", worker }) as const)))
  )

  return {
    name: () => name,
    claim: (kind, limit) => claiming(limit, (lease) => store.claim({ kind, ...lease })),
    claimPushes: (consumer, limit) => claiming(limit, (lease) => store.claimPushes({ consumer, ...lease })),
    holding,
    changeName,
    heartbeat,
    giveBack
  }
}
