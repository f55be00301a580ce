import { describe, expect, it } from "vitest"
import { makeStatementNames } from "../src/internal/statementNames.ts"

const used = (names: ReturnType<typeof makeStatementNames>, sql: string, times: number) =>
  Array.from({ length: times }, () => names.nameOf(sql)).at(-1)

describe("makeStatementNames", () => {
  it("names a statement from its fifth use on", () => {
    const names = makeStatementNames()
    expect(used(names, "SELECT 1", 4)).toBeUndefined()
    const name = names.nameOf("SELECT 1")
    expect(name).toMatch(/^mailkeep_[\da-f]{32}$/)
    expect(names.nameOf("SELECT 1")).toBe(name)
    expect(names.nameOf("SELECT 2")).toBeUndefined()
  })

  it("gives a text the same name in each store, and another text another name", () => {
    const [one, other] = [makeStatementNames(), makeStatementNames()]
    expect(used(one, "SELECT 1", 5)).toBe(used(other, "SELECT 1", 5))
    expect(used(one, "SELECT 2", 5)).not.toBe(used(one, "SELECT 1", 5))
  })

  it("names at most 256 statements", () => {
    const names = makeStatementNames()
    const given = new Set(Array.from({ length: 300 }, (_, n) => used(names, `SELECT ${n}`, 5)))
    given.delete(undefined)
    expect(given.size).toBe(256)
    expect(names.nameOf("SELECT 0")).toBeDefined()
    expect(names.nameOf("SELECT 299")).toBeUndefined()
  })

  it("names no statement of more than 16 KiB", () => {
    expect(used(makeStatementNames(), `SELECT '${"x".repeat(16_384)}'`, 10)).toBeUndefined()
  })

  it("forgets the uses of statements that are rare", () => {
    const names = makeStatementNames()
    used(names, "SELECT 'rare'", 4)
    for (let n = 0; n < 2000; n++) names.nameOf(`SELECT ${n}`)
    expect(names.nameOf("SELECT 'rare'")).toBeUndefined()
  })

  it("gives no more names after stop", () => {
    const names = makeStatementNames()
    used(names, "SELECT 1", 5)
    names.stop()
    expect(used(names, "SELECT 1", 10)).toBeUndefined()
  })
})
