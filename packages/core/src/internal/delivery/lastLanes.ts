/**
 * Remembers which lane was served last in this process, so that the next claim begins with the lane after it. Source: decision 0043.
 */
import type { ClaimKind } from "../../domain/store/Claim.ts"
import type { Lane } from "../../domain/store/Rotation.ts"

/** The lane that was served last, for each kind of claim. */
export interface LastLanes {
  readonly of: (kind: ClaimKind) => Lane | null
  /** Records what a claim took, in its order. */
  readonly record: (kind: ClaimKind, taken: ReadonlyArray<Lane>) => void
}

export const makeLastLanes = (): LastLanes => {
  const lanes = new Map<ClaimKind, Lane>()
  return {
    of: (kind) => lanes.get(kind) ?? null,
    record: (kind, taken) => {
      const last = taken.at(-1)
      if (last !== undefined) lanes.set(kind, { projectId: last.projectId, bulk: last.bulk })
    }
  }
}
