/**
 * Collects the chunks of a body in few blocks, so that a body in chunks of one byte takes no more memory than its bytes. Frees blocks as
 * soon as they are not needed. The garbage collector would free the blocks of a few bodies of 10 MB too late.
 */

/** The size of the first block. Each further block is as large as all blocks before it, up to the maximum. */
const blockBytesMin = 16 * 1024
const blockBytesMax = 1024 * 1024

export interface BodyBytes {
  readonly append: (chunk: Uint8Array) => void
  /** Bytes of memory in use: at most twice the appended bytes, or one block. */
  readonly capacity: () => number
  /** The whole body, in one block. */
  readonly bytes: () => Uint8Array
  /** Frees the memory. The result of `bytes` is empty afterwards, unless the body was one chunk. */
  readonly clear: () => void
}

export const makeBodyBytes = (): BodyBytes => {
  let blocks: Array<Uint8Array> = []
  /** The blocks that this module allocates. The first chunk belongs to the connection. */
  const own = new Set<ArrayBuffer>()
  let capacity = 0
  let length = 0
  /** Free bytes at the end of the last block. */
  let free = 0

  const add = (block: Uint8Array) => {
    blocks.push(block)
    capacity += block.length
  }

  const makeBlock = (bytes: number): Uint8Array => {
    const buffer = new ArrayBuffer(bytes)
    own.add(buffer)
    return new Uint8Array(buffer)
  }

  const append = (chunk: Uint8Array) => {
    length += chunk.length
    // Most bodies are one chunk, which needs no copy.
    if (blocks.length === 0) return add(chunk)
    for (let rest = chunk; rest.length > 0;) {
      if (free === 0) {
        free = Math.min(blockBytesMax, Math.max(blockBytesMin, capacity))
        add(makeBlock(free))
      }
      const block = blocks.at(-1)!
      const part = rest.subarray(0, free)
      block.set(part, block.length - free)
      free -= part.length
      rest = rest.subarray(part.length)
    }
  }

  const clear = () => {
    // Transferring a buffer frees its memory at once.
    for (const buffer of own) buffer.transfer(0)
    own.clear()
    blocks = []
    capacity = length = free = 0
  }

  const bytes = (): Uint8Array => {
    const [only] = blocks
    if (blocks.length === 1 && only !== undefined) return only
    const buffer = new ArrayBuffer(length)
    const whole = new Uint8Array(buffer)
    let at = 0
    for (const block of blocks) {
      whole.set(block.subarray(0, length - at), at)
      at += block.length
      // Frees each block after its copy, so that the body never takes twice its memory.
      if (own.delete(block.buffer as ArrayBuffer)) (block.buffer as ArrayBuffer).transfer(0)
    }
    clear()
    own.add(buffer)
    add(whole)
    length = whole.length
    return whole
  }

  return { append, capacity: () => capacity, bytes, clear }
}
