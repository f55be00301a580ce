/**
 * The content of a file after a power cut: every synced write, and any part of the later writes.
 */

interface Pending {
  readonly offset: number
  /** The written bytes, or `null` for a truncation to `offset`. */
  readonly bytes: Buffer | null
}

const sectorBytes = 512

/** The content after the writes, in their order. Copies the content once, because a run without syncs has thousands of writes. */
const withWrites = (content: Buffer, writes: ReadonlyArray<Pending>): Buffer => {
  const ends = writes.map(({ offset, bytes }) => offset + (bytes?.length ?? 0))
  const written = Buffer.alloc(ends.reduce((max, end) => Math.max(max, end), content.length))
  content.copy(written)
  let { length } = content
  for (const { offset, bytes } of writes) {
    if (bytes === null) {
      // A later write beyond this length leaves zeros between them.
      written.fill(0, offset, length)
      length = offset
    } else {
      bytes.copy(written, offset)
      length = Math.max(length, offset + bytes.length)
    }
  }
  return written.subarray(0, length)
}

/** The write without the sectors that did not reach the disk. */
const torn = (write: Pending, random: () => number): ReadonlyArray<Pending> => {
  const { offset, bytes } = write
  if (bytes === null) return random() < 0.5 ? [write] : []
  const sectors = Math.floor(random() * (Math.ceil(bytes.length / sectorBytes) + 1))
  return [{ offset, bytes: bytes.subarray(0, sectors * sectorBytes) }]
}

/** Which of the unsynced writes reached the disk. */
export const unsyncedOutcomes = ["none", "all", "some", "torn", "reordered"] as const
export type UnsyncedOutcome = (typeof unsyncedOutcomes)[number]

/** Records the writes and syncs of one file. */
export class FileImage {
  #synced: Buffer = Buffer.alloc(0)
  #pending: Array<Pending> = []

  write(offset: number, bytes: Buffer): void {
    this.#pending.push({ offset, bytes })
  }

  truncate(length: number): void {
    this.#pending.push({ offset: length, bytes: null })
  }

  sync(): void {
    this.#synced = withWrites(this.#synced, this.#pending)
    this.#pending = []
  }

  /** Returns the content after a power cut. `random` returns numbers in [0, 1). */
  after(outcome: UnsyncedOutcome, random: () => number): Buffer {
    return withWrites(this.#synced, this.#kept(outcome, random))
  }

  #kept(outcome: UnsyncedOutcome, random: () => number): ReadonlyArray<Pending> {
    switch (outcome) {
      case "none":
        return []
      case "all":
        return this.#pending
      case "some":
        return this.#pending.slice(0, Math.floor(random() * (this.#pending.length + 1)))
      case "reordered":
        return this.#pending.filter(() => random() < 0.5)
      case "torn":
        return this.#pending.flatMap((write) => torn(write, random))
    }
  }
}
