import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { UnsyncedOutcome } from "../src/power/FileImage.ts"
import { FileImage } from "../src/power/FileImage.ts"

type Call = { readonly offset: number; readonly text: string } | { readonly length: number } | "sync"

const record = (calls: ReadonlyArray<Call>): FileImage => {
  const image = new FileImage()
  for (const call of calls) {
    if (call === "sync") image.sync()
    else if ("length" in call) image.truncate(call.length)
    else image.write(call.offset, Buffer.from(call.text))
  }
  return image
}

/** The bytes of a file after these calls, one byte at a time. */
const bytesAfter = (calls: ReadonlyArray<Call>): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  for (const call of calls) {
    if (call === "sync") continue
    const end = "length" in call ? call.length : call.offset + call.text.length
    while (bytes.length < end) bytes.push(0)
    if ("length" in call) bytes.length = call.length
    else for (const [n, byte] of [...Buffer.from(call.text)].entries()) bytes[call.offset + n] = byte
  }
  return bytes
}

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ offset: fc.nat(20), text: fc.stringMatching(/^[a-z]{1,8}$/) }),
  fc.record({ length: fc.nat(20) }),
  fc.constant("sync" as const)
)

it("has every write after a power cut that all writes survive", () => {
  fc.assert(
    fc.property(fc.array(call), (calls) => {
      expect([...record(calls).after("all", () => 0)]).toEqual(bytesAfter(calls))
    })
  )
})

it("has every synced write and no other after a power cut that no unsynced write survives", () => {
  fc.assert(
    fc.property(fc.array(call), (calls) => {
      const synced = calls.slice(0, calls.lastIndexOf("sync") + 1)
      expect([...record(calls).after("none", () => 0)]).toEqual(bytesAfter(synced))
    })
  )
})

it("keeps a part of the unsynced writes: the first, any of them, or some sectors of each", () => {
  const image = record([{ offset: 0, text: "ab" }, "sync", { offset: 2, text: "cd" }, { offset: 4, text: "ef" }])
  const after = (outcome: UnsyncedOutcome, ...numbers: ReadonlyArray<number>) => {
    const random = numbers.values()
    return image.after(outcome, () => random.next().value!).toString()
  }
  expect(after("some", 0.4)).toBe("abcd")
  expect(after("reordered", 0.9, 0.1)).toBe("ab\0\0ef")
  expect(after("torn", 0.9, 0.1)).toBe("abcd")
})
