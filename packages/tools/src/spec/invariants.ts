/**
 * The invariants and the laws, tests and fault runs that prove each of them.
 */
import type { Invariant, InvariantArea } from "./Invariant.ts"
import { deliveryInvariants } from "./deliveryInvariants.ts"
import { edgeInvariants } from "./edgeInvariants.ts"
import { lossAndDuplicateInvariants } from "./lossAndDuplicateInvariants.ts"
import { recipientInvariants } from "./recipientInvariants.ts"

const areas: ReadonlyArray<InvariantArea> = [
  ...lossAndDuplicateInvariants,
  ...deliveryInvariants,
  ...recipientInvariants,
  ...edgeInvariants
]

export const invariants: ReadonlyArray<Invariant> = areas
  .flatMap(([area, rows]) => rows.map((row) => [area, row] as const))
  .map(([area, [statement, proofs, waitsFor]], index) => ({
    id: `I${index + 1}`,
    area,
    statement,
    proofs,
    ...(waitsFor === undefined ? {} : { waitsFor })
  }))
