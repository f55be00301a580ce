/**
 * A bucket and the decision about it, for tests of rate limiters.
 */
import type { BucketRef, RateDecision } from "../../src/adapter.ts"

export const bucket: BucketRef = { scope: "project", id: "prj_a", limit: { requests: 2, windowMillis: 1000 } }

export const decision: RateDecision = {
  allowed: true,
  scope: "project",
  limit: bucket.limit,
  remaining: 1,
  resetSeconds: 1,
  retryAfterSeconds: 0
}
