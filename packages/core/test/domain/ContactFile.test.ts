import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Contact, DefinitionOf } from "../../src/index.ts"
import { exportedColumns, exportedRow, fromCell, readColumns, readRow, toCell } from "../../src/index.ts"

describe("a cell", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+44 20", "'+44 20"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", "'\r=1"],
    ["'=1", "''=1"],
    ["''@x", "'''@x"],
    ["'tis", "'tis"],
    ["a=1", "a=1"],
    ["", ""]
  ])("marks %j as %j when it begins like a formula, and takes the mark off again", (text, cell) => {
    expect(toCell(text)).toBe(cell)
    expect(fromCell(cell)).toBe(text)
  })

  it("is never a formula, and is read as the text that was written", () => {
    const text = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "\n", "a", '"', ",") })
    fc.assert(
      fc.property(text, (one) => {
        expect(toCell(one)).not.toMatch(/^[=+\-@\t\r\n]/)
        expect(fromCell(toCell(one))).toBe(one)
      })
    )
  })
})

const property = (n: number, key: string, type: "string" | "number"): DefinitionOf<"property"> => ({
  id: `prop_${n}`,
  projectId: "p",
  kind: "property",
  parent: "",
  name: key.toLowerCase(),
  content: { key, type, fallbackValue: null },
  createdAt: 1,
  updatedAt: 1,
  revision: 1
})

const contact = (change: Partial<Contact>): Contact => ({
  id: "con_1",
  projectId: "p",
  email: "a@example.org",
  address: "a@example.org",
  userId: null,
  firstName: "",
  lastName: "",
  phoneNumber: null,
  emailStatus: "subscribed",
  source: "manual",
  properties: {},
  listIds: [],
  createdAt: 1,
  updatedAt: 1,
  revision: 1,
  ...change
})

/** What an import of an exported contact asks for. */
const exportedAndRead = (one: Contact, properties: ReadonlyArray<DefinitionOf<"property">>) => {
  const columns = Result.getOrThrow(readColumns(exportedColumns(properties), properties))
  return Result.getOrThrow(readRow(columns, exportedRow(one, properties))).request
}

describe("an exported row", () => {
  it("marks texts that begin like formulas, and leaves numbers as they are", () => {
    const defined = [property(1, "=cmd", "string"), property(2, "balance", "number")]
    const one = contact({ firstName: "=1+1", phoneNumber: "+44", properties: { prop_1: "@x", prop_2: -5 } })
    expect(exportedColumns(defined).slice(-2)).toEqual(["'=cmd", "balance"])
    expect(exportedRow(one, defined)).toEqual(expect.arrayContaining(["'=1+1", "'+44", "'@x", "-5"]))
    expect(exportedAndRead(one, defined)).toMatchObject({
      firstName: "=1+1",
      phoneNumber: "+44",
      properties: { "=cmd": "@x", balance: -5 }
    })
  })

  it("is read as what was written, whatever the texts and the keys are", () => {
    const text = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "a", " ", "É"), maxLength: 6 })
    const key = fc.oneof(
      text.filter((one) => one !== ""),
      fc.constantFrom("email", "ID", "properties.x", "__proto__")
    )
    fc.assert(
      fc.property(
        text,
        text,
        fc.uniqueArray(
          fc.tuple(
            key,
            text.filter((one) => one !== "")
          ),
          {
            maxLength: 4,
            selector: ([key]) => key.toLowerCase()
          }
        ),
        (firstName, lastName, values) => {
          const defined = values.map(([key], n) => property(n, key, "string"))
          const properties = Object.fromEntries(values.map(([, value], n) => [`prop_${n}`, value]))
          const read = exportedAndRead(contact({ firstName, lastName, properties }), defined)
          expect([read.firstName, read.lastName]).toEqual([firstName, lastName])
          expect(Object.entries(read.properties ?? {})).toEqual(values)
        }
      )
    )
  })
})
