/**
 * Why a commit fails: its guard does not hold, or the store is unavailable. The port `MailStore` declares the class `StoreUnavailable`.
 */
import { Data } from "effect"
import type { ChangeTag } from "./Change.ts"
import type { ConflictReason } from "./guard.ts"

/** The reasons of `StoreUnavailable`. */
export const storeUnavailableReasons = [
  "overloaded",
  "locked",
  "full",
  "read_only",
  "closed",
  "contended",
  "unreachable",
  "moving",
  "moved",
  "deleting",
  "newer_schema"
] as const
/** Why a store could not be reached or could not do the work. `StoreUnavailable` explains the reasons. */
export type StoreUnavailableReason = (typeof storeUnavailableReasons)[number]

/** A guard failed, so the store applied no change of the commit. This is normal: another commit can change the facts after they are read. */
export class Conflict extends Data.TaggedError("Conflict")<{
  /** The index of the change in the commit. */
  readonly at: number
  readonly change: ChangeTag
  readonly reason: ConflictReason
}> {
  override get message() {
    return `The guard of change ${this.at} (${this.change}) did not hold: ${this.reason}.`
  }
  /** Retryable: read the facts and decide again. Every service does this by itself. */
  get isRetryable() {
    return true
  }
}
