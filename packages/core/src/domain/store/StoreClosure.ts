/**
 * Why a store takes no writes while its records move into another store, and after that. Source: decision 0078.
 */
import type { Instant } from "../value/Instant.ts"
import type { Lease } from "./Lease.ts"
import type { StoredRecord } from "./StoredRecord.ts"

/** The setting of a store whose records were moved. Its value is the location of the store that replaces the store. */
export const movedToSetting = "moved_to"

/** The leases of moves begin with this text. No worker has such an id. */
const movePrefix = "move:"

/** The lease in the source of a move that is under way. A move that was killed stops to renew the lease. */
export const moveSourceLease = `${movePrefix}source`

/** The lease in the target of a move that has not ended. The lease has no end, so that nobody opens an incomplete store. */
export const moveTargetLease = `${movePrefix}target`

/** The end of a lease that ends only by `EndLease`. It is the last instant of ECMAScript. */
export const endlessLease: Instant = 8_640_000_000_000_000

/** There are at most two leases of moves. */
export const moveLeasesMax = 2

/** Why a store takes no writes. */
export type StoreClosure =
  /** A move reads the store. */
  | { readonly reason: "moving" }
  /** A move into the store has not ended. */
  | { readonly reason: "incomplete" }
  /** The records were moved to another location. */
  | { readonly reason: "moved"; readonly to: string }

/** What a store says about its closure. */
export interface ClosureFacts {
  readonly movedTo: string | null
  readonly leases: ReadonlyArray<Lease>
  readonly now: Instant
}

/** Why a store takes no writes now; `null` if the store is open. */
export const closureOf = ({ movedTo, leases, now }: ClosureFacts): StoreClosure | null => {
  if (movedTo !== null) return { reason: "moved", to: movedTo }
  const has = (name: string) => leases.some(({ worker, leaseUntil }) => worker === name && leaseUntil > now)
  if (has(moveTargetLease)) return { reason: "incomplete" }
  return has(moveSourceLease) ? { reason: "moving" } : null
}

/** Whether a record says something about a move. Such a record belongs to its store and is not moved. */
export const isRecordOfMove = ({ kind, record }: StoredRecord): boolean =>
  kind === "Setting" ? record.name === movedToSetting : kind === "Lease" && record.worker.startsWith(movePrefix)
