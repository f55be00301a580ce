/**
 * Arbitraries for scripts of commits, claims, sweeps and reads.
 */
import type { Claim, EventDeliveryClaim, Sweep } from "@mailkeep/core/domain"
import { claimKinds, sweepKinds } from "@mailkeep/core/domain"
import * as fc from "fast-check"
import type { Script } from "../Script.ts"
import { commit } from "./change.ts"
import { query } from "./query.ts"
import { subscriber, instant, of, record, worker } from "./sharedIds.ts"

export const claim: fc.Arbitrary<Claim> = record({
  kind: of(...(Object.keys(claimKinds) as Array<keyof typeof claimKinds>)),
  now: instant,
  limit: fc.integer({ min: 1, max: 3 }),
  worker,
  leaseUntil: instant
})

export const claimEventDeliveries: fc.Arbitrary<EventDeliveryClaim> = record({
  subscriber,
  now: instant,
  limit: fc.integer({ min: 1, max: 3 }),
  worker,
  leaseUntil: instant
})

export const sweep: fc.Arbitrary<Sweep> = record({
  kind: of(...sweepKinds),
  before: instant,
  limit: fc.integer({ min: 1, max: 3 })
})

export const script: fc.Arbitrary<Script> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: record({ commit }) },
    { weight: 2, arbitrary: record({ claim }) },
    { weight: 1, arbitrary: record({ claimEventDeliveries }) },
    { weight: 1, arbitrary: record({ sweep }) },
    { weight: 4, arbitrary: record({ read: fc.array(query, { minLength: 1, maxLength: 3 }) }) }
  ),
  { minLength: 1, maxLength: 150, size: "max" }
)
