/**
 * One invariant with its proofs, and the shape of the lists of invariants.
 */
import type { Proof } from "./Statement.ts"

export interface Invariant {
  /** The id for citations, such as `I9`. */
  readonly id: string
  readonly area: string
  readonly statement: string
  readonly proofs: ReadonlyArray<Proof>
  /** The untested part, or the feature that a test needs first. */
  readonly waitsFor?: string
}

type Row = readonly [statement: string, proofs: ReadonlyArray<Proof>, waitsFor?: string]

/** The heading of an area and its rows. */
export type InvariantArea = readonly [area: string, rows: ReadonlyArray<Row>]
