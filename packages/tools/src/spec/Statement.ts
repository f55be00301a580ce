/**
 * One statement of the specification of the HTTP API, or one clarification, and its proofs.
 */

/** What shows that a statement holds. A proof counts only when the check of the proofs finds it passed, applied or run. */
export interface Proof {
  /**
   * A `test` is a test of the suite, by its title. `%s` or `$name` in the title matches the tests of each row of `it.each`.
   * A `law` is a law of the conformance kit, by its id. The tests of each adapter run the law.
   * A `faultRun` is a command of `pnpm faults` that CI runs, by the label of its failures.
   * A `lintRule` is a rule of the lint configuration, by its message.
   */
  readonly kind: "test" | "law" | "faultRun" | "lintRule"
  readonly file: string
  readonly title: string
  /** The name of the fault run. */
  readonly command?: string
}

export interface Statement {
  /** Section and number, such as `S3.2`. */
  readonly id: string
  readonly section: string
  /** The statement in the words of Mailkeep. */
  readonly statement: string
  /** The source files that implement the statement. */
  readonly sources: ReadonlyArray<string>
  /** The proofs of the statement. */
  readonly proofs: ReadonlyArray<Proof>
  /** The decision record, where the specification leaves the point open. */
  readonly decision?: string
}
