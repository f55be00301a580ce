/**
 * Mutants for the laws of fair claims and of a clock that was set back.
 */
import { compareIds, longestDueFirst } from "@mailkeep/core/adapter"
import type { Mutation } from "./mutating.ts"
import { answering, asking, changing, claiming } from "./mutating.ts"

export const fairnessMutants: Readonly<Record<string, Mutation>> = {
  "claim/round-robin-over-projects": claiming(
    (claim) => claim,
    (rows) => rows.toSorted(longestDueFirst)
  ),
  "claim/round-robin-of-many-projects": claiming((claim) => ({
    ...claim,
    rotation: { ...claim.rotation, perProject: claim.rotation.after === null ? claim.rotation.perProject : 0 }
  })),
  "claim/round-robin-over-lanes": changing("InsertDelivery", (change) => [
    { ...change, delivery: { ...change.delivery, bulk: false } }
  ]),
  "claim/continues-after-the-last-lane": claiming((claim) => ({
    ...claim,
    rotation: {
      ...claim.rotation,
      after: claim.rotation.after === null ? null : { ...claim.rotation.after, bulk: true }
    }
  })),
  "claim/limit-of-each-project": claiming((claim) => ({ ...claim, rotation: { ...claim.rotation, underWay: [] } })),
  "claim/rest-of-one-lane": claiming((claim) => ({
    ...claim,
    rotation: { ...claim.rotation, perProject: Math.min(2, claim.rotation.perProject) }
  })),
  "claim/skips-what-cannot-be-claimed": claiming((claim) => ({ ...claim, now: claim.now + 1 })),
  "claim/round-robin-of-every-kind": claiming(
    (claim) => claim,
    (rows, { kind }) => (kind === "dueQueued" ? rows : rows.toSorted(longestDueFirst))
  ),
  "claim/passes-over-other-kinds": claiming((claim) => ({ ...claim, kind: "dueScheduled" })),
  "claim/round-robin-in-long-lanes": claiming((claim) => ({ ...claim, rotation: { ...claim.rotation, after: null } })),
  "claim/passes-over-full-projects": claiming((claim) => ({
    ...claim,
    rotation: { ...claim.rotation, underWay: claim.rotation.underWay.slice(0, 7) }
  })),
  "claim/ties-in-long-lanes": claiming(
    (claim) => claim,
    (rows) => rows.toSorted((a, b) => a.dueAt! - b.dueAt! || Number(a.bulk) - Number(b.bulk) || compareIds(b, a))
  ),
  "claim/projects-differ-by-case": claiming((claim) => ({
    ...claim,
    rotation: {
      ...claim.rotation,
      // Counts what is under way also for the project whose id begins with the capital letter.
      underWay: claim.rotation.underWay.flatMap((one) => [
        one,
        { ...one, projectId: one.projectId.replace(/^./, (letter) => letter.toUpperCase()) }
      ])
    }
  })),

  "claim/due-before-its-wait-began": changing("InsertDelivery", (change) => [
    { ...change, delivery: { ...change.delivery, dueSetAt: null } }
  ]),
  "claim/round-robin-when-set-back": changing("InsertDelivery", (change) => [
    { ...change, delivery: { ...change.delivery, dueSetAt: change.delivery.dueAt } }
  ]),
  "time/leases-set-after": asking("LeasesSetAfter", (query) => ({ ...query, now: query.now - 1 })),
  "claim/lease-is-set-at-now": answering("LeasesSetAfter", (leases) =>
    leases.map((lease) => ({ ...lease, renewedAt: lease.leaseUntil }))
  )
}
