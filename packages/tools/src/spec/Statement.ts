/**
 * One statement of the interface.
 */

export interface Statement {
  /** `S3.2`: section and place. */
  readonly id: string
  readonly section: string
  /** In our own words. */
  readonly says: string
  /** The sources that keep it. */
  readonly lives: ReadonlyArray<string>
  /** The tests that hold it, by file and title. */
  readonly heldBy: ReadonlyArray<{ readonly file: string; readonly title: string }>
  /** The decision record, where the interface leaves the point open. */
  readonly decision?: string
}
