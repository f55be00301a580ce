/**
 * Tests of the memory of messages.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeMessageCollector, makeMessageMemory } from "../../src/listener/messageMemory.ts"

const mib = 1024 * 1024

/** Up to 40,000 bytes: several blocks. */
const part = fc
  .tuple(fc.nat(40_000), fc.nat(255))
  .map(([length, first]) => new Uint8Array(length).map((_, at) => first + at))

describe("makeMessageMemory", () => {
  it("gives one address at most half of the memory", () => {
    const memory = makeMessageMemory(100, 10)
    expect(memory.take("192.0.2.1", 50)).toBe(true)
    expect(memory.take("192.0.2.1", 1)).toBe(false)
    expect(memory.take("192.0.2.2", 50)).toBe(true)
    expect(memory.take("192.0.2.3", 1)).toBe(false)
    memory.release("192.0.2.1", 50)
    expect(memory.take("192.0.2.3", 50)).toBe(true)
    expect(memory.bytes()).toBe(100)
  })

  it("gives one address memory for one message, even if that is more than half", () => {
    const memory = makeMessageMemory(100, 80)
    expect(memory.take("192.0.2.1", 80)).toBe(true)
    expect(memory.take("192.0.2.1", 1)).toBe(false)
  })
})

describe("makeMessageCollector", () => {
  it("returns what was added, in order, and then returns the memory", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const memory = makeMessageMemory(4 * mib, mib)
        memory.take("192.0.2.2", 1)
        const collector = makeMessageCollector(memory, "192.0.2.1", mib)
        const whole = Buffer.concat(parts)
        expect(parts.every(collector.add)).toBe(true)
        expect(collector.bytes()).toBe(whole.length)
        expect(memory.bytes()).toBeGreaterThanOrEqual(whole.length - 16_384)
        expect(Buffer.from(collector.content()).equals(whole)).toBe(true)
        collector.release()
        collector.release()
        expect(memory.bytes()).toBe(1)
      }),
      { numRuns: 20 }
    )
  })

  it("takes no more memory for a message that arrives byte by byte", () => {
    const memory = makeMessageMemory(4 * mib, mib)
    const collector = makeMessageCollector(memory, "192.0.2.1", mib)
    for (let byte = 0; byte < 100_000; byte++) collector.add(new Uint8Array(1))
    expect(memory.bytes()).toBeLessThan(400_000)
    expect(collector.content()).toHaveLength(100_000)
  })

  it("takes at most the size of a message", () => {
    const memory = makeMessageMemory(4 * mib, mib)
    const collector = makeMessageCollector(memory, "192.0.2.1", 20_000)
    expect(collector.add(new Uint8Array(20_000))).toBe(true)
    expect(memory.bytes()).toBe(20_000 - 16_384)
  })

  it("keeps the first bytes of a larger message, and discards the rest", () => {
    const memory = makeMessageMemory(4 * mib, mib)
    const collector = makeMessageCollector(memory, "192.0.2.1", 5)
    expect(["abc", "def", "ghi"].map((text) => collector.add(Buffer.from(text)))).toEqual([true, true, true])
    expect(collector.bytes()).toBe(5)
    expect(Buffer.from(collector.content()).toString()).toBe("abcde")
  })

  it("refuses content for which no memory is left", () => {
    const memory = makeMessageMemory(40_000, 20_000)
    const collector = makeMessageCollector(memory, "192.0.2.1", 20_000)
    expect(memory.take("192.0.2.2", 20_001)).toBe(false)
    expect(memory.take("192.0.2.2", 20_000)).toBe(true)
    expect(memory.take("192.0.2.3", 20_000)).toBe(true)
    expect(collector.add(new Uint8Array(16_385))).toBe(false)
  })

  it("takes a message of 16 KiB although the messages of others use all the memory", () => {
    const memory = makeMessageMemory(20_000, 10_000)
    expect(memory.take("192.0.2.2", 10_000)).toBe(true)
    expect(memory.take("192.0.2.3", 10_000)).toBe(true)
    const collector = makeMessageCollector(memory, "192.0.2.1", mib)
    expect(collector.add(new Uint8Array(16_384))).toBe(true)
    expect(collector.content()).toHaveLength(16_384)
    collector.release()
    expect(memory.bytes()).toBe(20_000)
  })
})
