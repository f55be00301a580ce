/**
 * Arbitraries for scripts of commits, claims, sweeps and reads.
 */
import type { Claim, EventDeliveryClaim, MessageSweep, Rotation, Sweep } from "@mailkeep/core/adapter"
import { claimKinds, sweepKinds } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import type { Script, Step } from "../Script.ts"
import { aimed } from "./aimed.ts"
import { commit } from "./change.ts"
import { query } from "./query.ts"
import { subscriber, instant, messageId, of, orNull, record, worker } from "./sharedIds.ts"

/** Where a claim begins, and its limit for each project. */
const rotation: fc.Arbitrary<Rotation> = record({
  after: orNull(record({ projectId: of("p1", "p-1", "none"), bulk: fc.boolean() })),
  perProject: of(0, 1, 2, Number.MAX_SAFE_INTEGER),
  underWay: fc.uniqueArray(record({ projectId: of("p1", "p-1", "none"), count: fc.nat(2) }), {
    maxLength: 2,
    selector: ({ projectId }) => projectId
  })
})

/** Claims of deliveries of every kind. */
export const claim: fc.Arbitrary<Claim> = record({
  kind: of(...(Object.keys(claimKinds) as Array<keyof typeof claimKinds>)),
  now: instant,
  limit: fc.integer({ min: 1, max: 3 }),
  worker,
  leaseUntil: instant,
  rotation
})

/** Claims of event deliveries. */
export const claimEventDeliveries: fc.Arbitrary<EventDeliveryClaim> = record({
  subscriber,
  now: instant,
  limit: fc.integer({ min: 1, max: 3 }),
  worker,
  leaseUntil: instant
})

/** Sweeps of every kind of record but messages. */
export const sweep: fc.Arbitrary<Sweep> = record({
  kind: of(...sweepKinds),
  before: instant,
  limit: fc.integer({ min: 1, max: 3 })
})

/** Sweeps of messages. */
export const sweepMessages: fc.Arbitrary<MessageSweep> = record({
  before: instant,
  after: orNull(record({ createdAt: instant, id: messageId })),
  limit: fc.integer({ min: 1, max: 3 })
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: record({ commit }) },
  { weight: 2, arbitrary: record({ claim }) },
  { weight: 1, arbitrary: record({ claimEventDeliveries }) },
  { weight: 1, arbitrary: record({ sweep }) },
  { weight: 1, arbitrary: record({ sweepMessages }) },
  { weight: 5, arbitrary: record({ read: fc.array(query, { minLength: 1, maxLength: 4 }) }) }
)

/** Three of four commits are aimed, so that most changes are applied and some are refused. */
export const script: fc.Arbitrary<Script> = fc
  .array(record({ step, isAimed: of(true, true, true, false) }), { minLength: 1, maxLength: 150, size: "max" })
  .map(aimed)
