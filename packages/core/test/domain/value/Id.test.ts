import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { advanceBlock, blockFrom, idAt, isId } from "../../../src/domain/value/Id.ts"

const random = fc.uint8Array({ minLength: 10, maxLength: 10 })
const time = fc.integer({ min: 0, max: 2 ** 48 - 2 })

describe("ids", () => {
  it("makes ids of a prefix and 26 sortable characters, in order within a block", () => {
    fc.assert(
      fc.property(time, random, fc.nat(1000), (time, bytes, n) => {
        const block = blockFrom(time, bytes)
        const [here, next] = [idAt(block, "del", n), idAt(block, "del", n + 1)]
        expect(isId("del", here)).toBe(true)
        expect(here < next).toBe(true)
      })
    )
  })

  it("continues after the end of a block, also when the random part overflows", () => {
    const last = blockFrom(1, new Uint8Array(10).fill(255))
    expect(idAt(last, "msg", 0) < idAt(last, "msg", 1)).toBe(true)
    fc.assert(
      fc.property(random, fc.nat(500), fc.nat(500), (bytes, a, b) => {
        const block = blockFrom(5, bytes)
        expect(idAt(advanceBlock(block, a), "msg", b)).toBe(idAt(block, "msg", a + b))
      })
    )
  })

  it("sorts ids by time first", () => {
    fc.assert(
      fc.property(time, random, random, (time, a, b) => {
        expect(idAt(blockFrom(time, a), "con", 0) < idAt(blockFrom(time + 1, b), "con", 0)).toBe(true)
      })
    )
  })

  it.each([
    "con_",
    "del_01m7yf9jettrbzpjqxq5qtb3m7",
    "con_01M7YF9JETTRBZPJQXQ5QTB3M7",
    "con_01m7yf9jettrbzpjqxq5qtb3mi"
  ])("refuses %s as the id of a contact", (text) => expect(isId("con", text)).toBe(false))
})
