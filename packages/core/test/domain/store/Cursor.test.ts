import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCursor, writeCursor } from "../../../src/domain/store/Cursor.ts"

const sign = (text: string) => createHmac("sha256", "key").update(text).digest("base64url")
const equal = (a: string, b: string) => a === b
const scope = { projectId: "prj_a", listing: "deliveries", filters: { status: "failed" } }
const position = ["1795245520295", "del_00000000010000000000000000", "jürgen@example.org"]

describe("readCursor and writeCursor", () => {
  const cursor = writeCursor(sign, scope, position)

  it("reads the position of a cursor for the same listing", () => {
    expect(readCursor(sign, equal, scope, cursor)).toEqual(position)
    expect(cursor.length).toBeLessThan(1024)
    expect(encodeURIComponent(cursor)).toBe(cursor)
  })

  it("refuses a cursor of another project, listing, filters or key", () => {
    for (const other of [{ projectId: "prj_b" }, { listing: "suppressions" }, { filters: {} }])
      expect(readCursor(sign, equal, { ...scope, ...other }, cursor)).toBeUndefined()
    expect(readCursor((text) => `${sign(text).slice(1)}x`, equal, scope, cursor)).toBeUndefined()
  })

  it("refuses an altered cursor", () => {
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(cursor[at] !== character)
        const altered = cursor.slice(0, at) + character + cursor.slice(at + 1)
        expect(readCursor(sign, equal, scope, altered)).toBeUndefined()
      })
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCursor(sign, equal, scope, text)).toBeUndefined()
      })
    )
  })
})
