/**
 * One statement of the interface, or one clarification.
 */

export interface Statement {
  /** Section and number, such as `S3.2`. */
  readonly id: string
  readonly section: string
  /** The statement in the words of Mailkeep. */
  readonly statement: string
  /** The source files that implement the statement. */
  readonly sources: ReadonlyArray<string>
  /** The tests that prove the statement, by file and title. */
  readonly proofs: ReadonlyArray<{ readonly file: string; readonly title: string }>
  /** The decision record, where the interface leaves the point open. */
  readonly decision?: string
}
