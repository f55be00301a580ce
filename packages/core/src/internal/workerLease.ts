/**
 * A worker's name and lease: claims under it, keeps it alive while something is held, and leaves it behind when what stands under it
 * is no longer known. Source: decisions 0006 and 0035.
 */
import { Duration, Effect } from "effect"
import type { Claim, ClaimKind } from "../domain/Claim.ts"
import type { Delivery } from "../domain/Delivery.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { Crypto } from "../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { ClockReading } from "./clockWatch.ts"
import { defectName } from "./defectName.ts"
import type { NotStored } from "./persisting.ts"
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
   * Works on a claimed row while its worker's name is known to hold something. A row that cannot be worked on, because it makes no sense or
   * because its result was not stored, is left to its lease and holds up no other.
   */
  readonly holding: (row: Held, work: Effect.Effect<unknown, NotStored>) => Effect.Effect<unknown>
  /** Claims from now on are made under another name; what this one still holds is taken up when its lease is over. */
  readonly changeName: Effect.Effect<void>
  /** Renews the leases of the names that hold something, for ever. */
  readonly heartbeat: Effect.Effect<never>
  readonly giveBack: Effect.Effect<void>
}

/** How much further than the monotonic clock the wall clock may go between two claims, for a lease of that length. */
export const clockToleranceMillis = (leaseMillis: number): number => leaseMillis / 3

export interface WorkerLeaseDeps {
  readonly store: MailStoreShape
  readonly crypto: Crypto["Service"]
  readonly readClock: Effect.Effect<ClockReading>
}

export const makeWorkerLease = ({ store, crypto, readClock }: WorkerLeaseDeps, leaseMillis: number): WorkerLease => {
  const newName = () => randomHex(crypto, 8)
  /** Each name with how many deliveries it holds. */
  const held = new Map<string, number>()
  /** When the lease of each name that holds something was last set. */
  const renewed = new Map<string, Pick<ClockReading, "now" | "monotonicMillis">>()
  const formerNames: Array<string> = []
  let name = newName()

  const changeName = Effect.sync(() => {
    formerNames.push(name)
    if (formerNames.length > formerNamesMax) formerNames.shift()
    name = newName()
  })

  const renew = (worker: string, { now, monotonicMillis }: ClockReading) =>
    Effect.tap(store.commit([{ _tag: "RenewLease", worker, leaseUntil: now + leaseMillis }]), () =>
      Effect.sync(() => renewed.set(worker, { now, monotonicMillis }))
    )

  /** Whether the lease may look ended to somebody, by either clock. */
  const isLate = (worker: string, { now, monotonicMillis }: ClockReading): boolean => {
    const last = renewed.get(worker)
    if (last === undefined) return true
    return Math.max(now - last.now, monotonicMillis - last.monotonicMillis) > leaseMillis / 2
  }

  /** What this process still works on must not look lapsed to its own next claim, as after a time without the store. */
  const renewLate = (clock: ClockReading) =>
    Effect.forEach(
      [...held.keys()].filter((worker) => isLate(worker, clock)),
      (worker) => Effect.catchTag(renew(worker, clock), "Conflict", () => Effect.void),
      { discard: true }
    )

  const claiming = <A>(
    limit: number,
    takesLapsed: boolean,
    take: (lease: Lease) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>
  ): Effect.Effect<ReadonlyArray<A>, StoreUnavailable> => {
    if (limit <= 0) return Effect.succeed([])
    return Effect.gen(function* () {
      const clock = yield* readClock
      // After a jump of the wall clock every lease looks lapsed: the workers that live get the time to renew theirs.
      if (takesLapsed && clock.sinceJumpMillis < leaseMillis) return []
      yield* renewLate(clock)
      const { now } = clock
      // A claim that failed may have stood: its rows must not wait for a name that lives on.
      const rows = yield* Effect.tapError(
        take({ now, limit, worker: name, leaseUntil: now + leaseMillis }),
        () => changeName
      )
      if (rows.length > 0) renewed.set(name, clock)
      return rows
    })
  }

  const count = (worker: string, by: number) =>
    Effect.sync(() => {
      const sum = (held.get(worker) ?? 0) + by
      if (sum > 0) held.set(worker, sum)
      else {
        held.delete(worker)
        if (worker !== name) renewed.delete(worker)
      }
    })

  const holding: WorkerLease["holding"] = (row, work) => {
    const leave = (why: string) =>
      Effect.andThen(changeName, Effect.logError("A row could not be worked on.", { row: row.id, why }))
    const spared = work.pipe(
      Effect.catch(({ _tag, reason }) => leave(`${_tag}: ${reason}`)),
      Effect.catchDefect((defect) => leave(defectName(defect)))
    )
    return Effect.acquireUseRelease(
      count(row.worker!, 1),
      () => spared,
      () => count(row.worker!, -1)
    )
  }

  const heartbeat = Effect.flatMap(readClock, (clock) =>
    Effect.forEach([...held.keys()], (worker) => Effect.ignoreCause(renew(worker, clock)), { discard: true })
  ).pipe(Effect.delay(Duration.millis(Math.floor(leaseMillis / 3))), Effect.forever)

  const giveBack = Effect.suspend(() =>
    Effect.ignore(store.commit([...formerNames, name].map((worker) => ({ _tag: "EndLease", worker }) as const)))
  )

  return {
    name: () => name,
    claim: (kind, limit) => claiming(limit, kind === "lapsedSending", (lease) => store.claim({ kind, ...lease })),
    claimPushes: (consumer, limit) => claiming(limit, true, (lease) => store.claimPushes({ consumer, ...lease })),
    holding,
    changeName,
    heartbeat,
    giveBack
  }
}
