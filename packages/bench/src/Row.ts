/**
 * One row of the measurements: what is measured of Mailkeep, and the peers beside it.
 */

/** A program of the system that a side needs. A side is skipped with a message when it is missing. */
export type Tool = "redis-server" | "postgres" | "smtp-sink"

/** A disk sync takes as long as on this machine, 2 ms longer as in a data center, or 20 ms longer as on a hard disk. */
export const disks = ["as-is", "2ms", "20ms"] as const
/** The speed of a disk sync. */
export type Disk = (typeof disks)[number]

/** The disks of a row that names none. */
export const usualDisks: ReadonlyArray<Disk> = ["as-is", "2ms"]

/** How many records a row uses: `small` for a run of minutes, `full` for the sizes of a large product. */
export const sizes = ["small", "full"] as const
/** The number of records. */
export type Size = (typeof sizes)[number]

/** What a side gets for one round. */
export interface RoundContext {
  readonly size: Size
  /** A new folder for this round. */
  readonly folder: string
  /** The folder of the row, which `prepare` has filled. It is the same in all rounds. */
  readonly rowFolder: string
}

/** Measured values by the name of their metric. */
export type Figures = Readonly<Record<string, number>>

/** One program that does the work of the row. Each round runs in a process of its own. */
export interface Side {
  readonly name: string
  readonly needs?: Tool
  /** The sizes with which the side runs. Default: all. */
  readonly sizes?: ReadonlyArray<Size>
  readonly run: (context: RoundContext) => Promise<Figures>
}

/** A measured value. */
export interface Metric {
  readonly name: string
  readonly unit: string
  readonly better: "higher" | "lower"
}

/** What Mailkeep must reach: a value, or a ratio to a peer (Mailkeep divided by the peer). */
export type Goal = { readonly metric: string; readonly is: "at least" | "at most" } & (
  | { readonly value: number }
  | { readonly ratio: number; readonly peer: string }
)

/** A row of the table. */
export interface Row {
  /** The name on the command line. */
  readonly name: string
  readonly title: string
  /** What is compared, and how durable each side is, for a reader who does not know the code. */
  readonly about: string
  /** The first metric is the one of the plot. */
  readonly metrics: readonly [Metric, ...Array<Metric>]
  readonly ours: Side
  readonly peers: ReadonlyArray<Side>
  readonly goals: ReadonlyArray<Goal>
  /** The disks on which the row is measured. Default: `usualDisks`. */
  readonly disks?: ReadonlyArray<Disk>
  /** The most rounds that make sense. Default: no bound. */
  readonly roundsMax?: number
  /** A row whose sides are the same work with other numbers of records: its plot is a line for each metric over these numbers. */
  readonly curve?: { readonly records: string; readonly countOf: (side: string, size: Size) => number }
  /** Fills the folder of the row before the first round. */
  readonly prepare?: (context: { readonly size: Size; readonly rowFolder: string }) => Promise<void>
}
