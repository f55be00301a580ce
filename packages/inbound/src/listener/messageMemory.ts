/**
 * Bounds the memory of the messages that are being received, and collects one message in it.
 */
import { makeKeyedBudget } from "@mailkeep/core/binding"

/** The bytes that messages use, of one listener, without the first 16 KiB of each. */
export interface MessageMemory {
  /** Takes bytes for a message of the address. Returns `false` and takes none if they are not left. */
  readonly take: (address: string, bytes: number) => boolean
  readonly release: (address: string, bytes: number) => void
  /** The bytes that are taken. */
  readonly bytes: () => number
}

/** Makes the memory of a listener, which keeps so many bytes of a message. One address gets at most half, or one message if that is more. */
export const makeMessageMemory = (bufferedBytesMax: number, keptBytesMax: number): MessageMemory => {
  const budget = makeKeyedBudget(bufferedBytesMax, Math.max(bufferedBytesMax / 2, keptBytesMax))
  return {
    take: (address, bytes) => {
      const isLeft = budget.fits(address, bytes)
      if (isLeft) budget.add(address, bytes)
      return isLeft
    },
    release: (address, bytes) => budget.add(address, -bytes),
    bytes: budget.total
  }
}

/**
 * The sizes of the blocks of a message, in bytes. The last size repeats. A short message takes little, and a long one few blocks. The first block is not
 * counted, so that a short message is never refused because others are long. The number of connections bounds these blocks.
 */
const blockSizes = [16_384, 65_536, 262_144, 1_048_576]

/**
 * The content of a message that is being received. It copies what it gets, so that a message that arrives byte by byte takes no more
 * memory than another.
 */
export interface MessageCollector {
  /** Adds content, and discards what is not to be kept. Returns `false` if the memory does not allow it; the message is then useless. */
  readonly add: (content: Uint8Array) => boolean
  /** The bytes that are kept. */
  readonly bytes: () => number
  /** Returns the kept content, and forgets it. */
  readonly content: () => Uint8Array
  /** Returns the memory. */
  readonly release: () => void
}

/** Makes a collector that keeps the first `keptBytesMax` bytes of a message. */
export const makeMessageCollector = (
  memory: MessageMemory,
  address: string,
  keptBytesMax: number
): MessageCollector => {
  let blocks: Array<Uint8Array> = []
  let room = 0
  let bytes = 0
  let taken = 0

  const addBlock = (): boolean => {
    const size = Math.min(blockSizes[Math.min(blocks.length, blockSizes.length - 1)]!, keptBytesMax - bytes)
    const counted = blocks.length === 0 ? 0 : size
    if (!memory.take(address, counted)) return false
    taken += counted
    blocks.push(new Uint8Array(size))
    room = size
    return true
  }

  const release = () => {
    memory.release(address, taken)
    blocks = []
    taken = 0
    room = 0
  }

  return {
    add: (content) => {
      const end = Math.min(content.length, keptBytesMax - bytes)
      for (let from = 0; from < end;) {
        if (room === 0 && !addBlock()) return false
        const part = content.subarray(from, Math.min(end, from + room))
        const block = blocks.at(-1)!
        block.set(part, block.length - room)
        room -= part.length
        bytes += part.length
        from += part.length
      }
      return true
    },
    bytes: () => bytes,
    content: () => {
      const whole = blocks.length === 1 ? blocks[0]!.subarray(0, bytes) : Buffer.concat(blocks, bytes)
      blocks = []
      room = 0
      return whole
    },
    release
  }
}
