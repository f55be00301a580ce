/**
 * The lease of a worker.
 */
import type { Instant } from "../value/Instant.ts"

/** Until when the claims of a worker are respected. */
export interface Lease {
  readonly worker: string
  /** When the lease was set, by the clock of that moment. */
  readonly renewedAt: Instant
  readonly leaseUntil: Instant
}
