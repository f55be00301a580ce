/**
 * The content of a file after a power cut: every synced write, and any part of the later writes.
 */

interface Pending {
  readonly offset: number
  /** The written bytes, or `null` for a truncation to `offset`. */
  readonly octets: Buffer | null
}

const sectorOctets = 512

const grown = (content: Buffer, length: number): Buffer => {
  if (content.length >= length) return content
  const larger = Buffer.alloc(length)
  content.copy(larger)
  return larger
}

const applied = (content: Buffer, { offset, octets }: Pending): Buffer => {
  if (octets === null) return content.subarray(0, offset)
  const larger = grown(content, offset + octets.length)
  octets.copy(larger, offset)
  return larger
}

/** Which of the unsynced writes reached the disk. */
export const unsyncedOutcomes = ["none", "all", "some", "torn", "reordered"] as const
export type UnsyncedOutcome = (typeof unsyncedOutcomes)[number]

/** Records the writes and syncs of one file. */
export class FileImage {
  #synced = Buffer.alloc(0)
  #pending: Array<Pending> = []

  write(offset: number, octets: Buffer): void {
    this.#pending.push({ offset, octets })
  }

  truncate(length: number): void {
    this.#pending.push({ offset: length, octets: null })
  }

  sync(): void {
    this.#synced = this.#pending.reduce<Buffer>(applied, this.#synced) as Buffer<ArrayBuffer>
    this.#pending = []
  }

  /** Returns the content after a power cut. `random` returns numbers in [0, 1). */
  after(outcome: UnsyncedOutcome, random: () => number): Buffer {
    const content: Buffer = Buffer.from(this.#synced)
    switch (outcome) {
      case "none":
        return content
      case "all":
        return this.#pending.reduce(applied, content)
      case "some": {
        const first = this.#pending.slice(0, Math.floor(random() * (this.#pending.length + 1)))
        return first.reduce(applied, content)
      }
      case "reordered":
        return this.#pending.filter(() => random() < 0.5).reduce(applied, content)
      case "torn":
        return this.#pending.reduce((content, { offset, octets }) => {
          if (octets === null) return random() < 0.5 ? applied(content, { offset, octets }) : content
          const sectors = Math.floor(random() * (Math.ceil(octets.length / sectorOctets) + 1))
          return applied(content, { offset, octets: octets.subarray(0, sectors * sectorOctets) })
        }, content)
    }
  }
}
