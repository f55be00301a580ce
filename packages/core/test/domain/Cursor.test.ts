import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCursor, writeCursor } from "../../src/domain/Cursor.ts"
import { idAt, blockFrom } from "../../src/domain/Id.ts"
import { noLogFilters } from "../../src/domain/Paging.ts"

const seal = (text: string) => createHmac("sha256", "key").update(text).digest("base64url")
const equal = (a: string, b: string) => a === b
const filters = { ...noLogFilters, status: "failed" as const }
const place = { createdAt: 1_795_245_520_295, id: idAt(blockFrom(1, new Uint8Array(10)), "del", 7) }

describe("a cursor", () => {
  const cursor = writeCursor(seal, "prj_a", filters, place)

  it("is read back under the same project and filters", () => {
    expect(readCursor(seal, equal, "prj_a", filters, cursor)).toEqual(place)
    expect(cursor.length).toBeLessThan(1024)
    expect(encodeURIComponent(cursor)).toBe(cursor)
  })

  it("is refused under another project, other filters or another key", () => {
    expect(readCursor(seal, equal, "prj_b", filters, cursor)).toBeUndefined()
    expect(readCursor(seal, equal, "prj_a", noLogFilters, cursor)).toBeUndefined()
    expect(readCursor((text) => `${seal(text).slice(1)}x`, equal, "prj_a", filters, cursor)).toBeUndefined()
  })

  it("is refused with anything changed", () => {
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(cursor[at] !== character)
        const altered = cursor.slice(0, at) + character + cursor.slice(at + 1)
        expect(readCursor(seal, equal, "prj_a", filters, altered)).toBeUndefined()
      })
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCursor(seal, equal, "prj_a", filters, text)).toBeUndefined()
      })
    )
  })
})
