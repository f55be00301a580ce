import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { ContactRecord } from "../../../src/domain/contact/Contact.ts"
import type { ResourceOf } from "../../../src/domain/store/Resource.ts"
import {
  exportedColumns,
  exportedRow,
  fromCell,
  readColumns,
  readRow,
  toCell
} from "../../../src/domain/contact/ContactFile.ts"
import { contact as contactRecord } from "../../decide/fixtures.ts"

describe("toCell and fromCell", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+44 20", "'+44 20"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", "'\r=1"],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠SUM(A1)", "'＠SUM(A1)"],
    ["'＝1", "''＝1"],
    ["'=1", "''=1"],
    ["''@x", "'''@x"],
    ["'tis", "'tis"],
    ["a=1", "a=1"],
    ["", ""]
  ])("writes %j as the cell %j, and reads the same text back", (text, cell) => {
    expect(toCell(text)).toBe(cell)
    expect(fromCell(cell)).toBe(text)
  })

  it("writes no cell that begins a formula, and reads the same text back", () => {
    const text = fc.string({
      unit: fc.constantFrom("'", "=", "+", "-", "@", "＝", "＠", "\t", "\r", "\n", "a", '"', ",")
    })
    fc.assert(
      fc.property(text, (one) => {
        expect(toCell(one)).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/)
        expect(fromCell(toCell(one))).toBe(one)
      })
    )
  })
})

const property = (n: number, key: string, type: "string" | "number"): ResourceOf<"property"> => ({
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

/** A contact that has only an address. */
const contact = (change: Partial<ContactRecord>): ContactRecord => ({
  ...contactRecord({ email: "a@example.org", userId: null, firstName: "", lastName: "", phoneNumber: null }),
  createdAt: 1,
  updatedAt: 1,
  ...change
})

/** The import request of an exported contact. */
const exportedAndRead = (one: ContactRecord, properties: ReadonlyArray<ResourceOf<"property">>) => {
  const columns = Result.getOrThrow(readColumns(exportedColumns(properties), properties))
  return Result.getOrThrow(readRow(columns, exportedRow(one, properties))).input
}

describe("exportedRow and readRow", () => {
  it("escapes exported texts that begin like formulas, and leaves numbers unchanged", () => {
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

  it.each([
    ["user_id", { email: "a@example.org" }, null],
    ["first_name", { email: "a@example.org", firstName: "" }, undefined]
  ])("reads an empty cell of the column %s", (column, input, userId) => {
    const columns = Result.getOrThrow(readColumns(["email", column], []))
    expect(Result.getOrThrow(readRow(columns, ["a@example.org", ""]))).toEqual({
      input,
      userId,
      emailStatus: undefined
    })
  })

  it.each<[string, number | string]>([
    ["12", 12],
    [" 12.50 ", 12.5],
    ["-3", -3],
    ["+3", 3],
    [".5", 0.5],
    ["5.", 5],
    ["1e3", 1000],
    ["0x1F", "0x1F"],
    ["0b11", "0b11"],
    ["0o17", "0o17"],
    ["1e400", "1e400"],
    ["Infinity", "Infinity"],
    ["１２", "１２"],
    ["1,5", "1,5"],
    [" ", " "]
  ])("reads the cell %j of a number as %j, and a text is refused by the property", (cell, value) => {
    const columns = Result.getOrThrow(readColumns(["email", "balance"], [property(1, "balance", "number")]))
    const { input } = Result.getOrThrow(readRow(columns, ["a@example.org", cell]))
    expect(input.properties).toEqual({ balance: value })
  })

  it("reads an exported contact back for any texts and property keys", () => {
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

describe("readColumns", () => {
  it("reports too many columns as one issue", () => {
    const read = readColumns(
      Array.from({ length: 100_000 }, () => ""),
      []
    )
    expect(Result.isFailure(read) && read.failure).toEqual([
      { path: ["columns"], code: "too_many_items", message: "must name at most 2000 columns" }
    ])
  })

  it.each(["email;first_name", "email\tfirst_name", "E-Mail|Name", ";"])(
    "names the separator of the file as the one problem of the row %j",
    (cell) => {
      const read = readColumns([cell], [])
      expect(Result.isFailure(read) && read.failure).toEqual([
        {
          path: ["columns", 0],
          code: "undefined_property",
          message: "has semicolons, tabs or bars: separate the columns of the file by commas"
        }
      ])
    }
  )

  it("takes a semicolon in the property key of a single column as a part of the property key", () => {
    const read = readColumns(["a;b"], [property(1, "a;b", "string")])
    expect(Result.isFailure(read) && read.failure.map(({ message }) => message)).toEqual(["must name a column email"])
  })

  it("lists the columns that a file may have when one is unknown", () => {
    const read = readColumns(["email", "name"], [])
    expect(Result.isFailure(read) && read.failure.map(({ message }) => message)).toEqual([
      "is not email, user_id, first_name, last_name, phone_number, email_status or a defined custom property"
    ])
  })
})
