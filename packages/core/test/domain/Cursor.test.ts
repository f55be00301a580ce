import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCursor, writeCursor } from "../../src/domain/Cursor.ts"

const seal = (text: string) => createHmac("sha256", "key").update(text).digest("base64url")
const equal = (a: string, b: string) => a === b
const walk = { projectId: "prj_a", listing: "deliveries", filters: { status: "failed" } }
const place = ["1795245520295", "del_00000000010000000000000000", "jürgen@example.org"]

describe("a cursor", () => {
  const cursor = writeCursor(seal, walk, place)

  it("is read back in the same walk", () => {
    expect(readCursor(seal, equal, walk, cursor)).toEqual(place)
    expect(cursor.length).toBeLessThan(1024)
    expect(encodeURIComponent(cursor)).toBe(cursor)
  })

  it("is refused under another project, listing, filters or key", () => {
    for (const other of [{ projectId: "prj_b" }, { listing: "suppressions" }, { filters: {} }])
      expect(readCursor(seal, equal, { ...walk, ...other }, cursor)).toBeUndefined()
    expect(readCursor((text) => `${seal(text).slice(1)}x`, equal, walk, cursor)).toBeUndefined()
  })

  it("is refused with anything changed", () => {
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(cursor[at] !== character)
        const altered = cursor.slice(0, at) + character + cursor.slice(at + 1)
        expect(readCursor(seal, equal, walk, altered)).toBeUndefined()
      })
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCursor(seal, equal, walk, text)).toBeUndefined()
      })
    )
  })
})
