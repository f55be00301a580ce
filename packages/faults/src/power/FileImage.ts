/**
 * A file as a power cut leaves it: what was synced, and any part of what was written since.
 */

interface Pending {
  readonly offset: number
  /** `null` for a truncation to `offset`. */
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

/** What of the unsynced writes reached the disk. */
export const fates = ["none", "all", "some", "torn", "reordered"] as const
export type Fate = (typeof fates)[number]

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

  /** The content after a cut; `random` gives numbers within [0, 1). */
  after(fate: Fate, random: () => number): Buffer {
    const content: Buffer = Buffer.from(this.#synced)
    switch (fate) {
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
