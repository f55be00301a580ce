/**
 * Tests the finders of mutants. The run of the laws against all mutants is a command: `pnpm mutants`.
 */
import { describe, expect, it } from "vitest"
import { mutantsOf, mutated } from "../src/mutation/Mutant.ts"
import { sourceEdits } from "../src/mutation/sourceEdits.ts"
import { readMutantOptions } from "../src/mutation/mutantOptions.ts"
import { explained } from "../src/mutation/equivalentMutants.ts"
import { listMutants } from "../src/mutation/subjects.ts"

/** The operators and the changed text of all mutants of a source. */
const changesOf = (source: string, sql: Parameters<typeof sourceEdits>[2] = null) =>
  mutantsOf("a.ts", source, sourceEdits("a.ts", source, sql)).map(
    (mutant) => [mutant.operator, mutated(source, mutant)] as const
  )

const textsOf = (source: string, sql: Parameters<typeof sourceEdits>[2] = null) =>
  changesOf(source, sql).map(([, text]) => text)

describe("sourceEdits", () => {
  it("changes the bound and the direction of a comparison, and removes it", () => {
    expect(textsOf("f(a < b)").toSorted()).toEqual(["f(a <= b)", "f(a > b)", "f(true)", "{}"])
  })

  it("leaves out each side of a condition", () => {
    expect(textsOf("const x = a && b")).toEqual(
      expect.arrayContaining(["const x = (a)", "const x = (b)", "const x = ((a) || (b))"])
    )
  })

  it("removes a statement, an element of a list and a field of a record", () => {
    expect(textsOf("f([a, b])")).toEqual(expect.arrayContaining(["{}", "f([b])", "f([a])"]))
    expect(textsOf("const x = { a: 2, b: 3 }").toSorted()).toEqual(["const x = { a: 2 }", "const x = { b: 3 }"])
  })

  it("changes no type and no import", () => {
    expect(textsOf('import { a } from "x"\ntype B = "Stale" | 1\nexport type { C } from "y"')).toEqual([])
  })
})

describe("sqlEdits", () => {
  const sql = 'const q = "SELECT id FROM t WHERE project_id = ? AND due_at <= ? ORDER BY due_at, name LIMIT ?"'
  const changes = textsOf(sql, "sqlite")

  it.each([
    ["removes the condition on the project", "(project_id = ? OR 1)"],
    ["ignores case", "project_id = ? COLLATE NOCASE"],
    ["changes a bound", "due_at < ?"],
    ["orders numbers as texts", "ORDER BY CAST(due_at AS TEXT), name"],
    ["orders texts without case", "ORDER BY due_at, name COLLATE NOCASE"],
    ["removes a term of the order", "ORDER BY due_at LIMIT"],
    ["reverses the order", "ORDER BY due_at DESC, name"],
    ["changes the limit", "LIMIT ? + 1"]
  ])("finds a mutant that %s", (_, part) => {
    expect(changes.some((text) => text.includes(part))).toBe(true)
  })

  it("changes no text without SQL", () => {
    expect(textsOf('const q = "ORDER of LIMIT"', "sqlite")).toEqual([])
  })

  it("does not cut an expression that is inserted in a text", () => {
    const inserted = "const q = `UPDATE ${table.name} SET a = ? WHERE ${where} = ? AND b = ?`"
    expect(textsOf(inserted, "sqlite").filter((text) => !text.includes("${table.name}"))).toEqual([])
  })
})

describe("sqlEdits of PostgreSQL", () => {
  const sql =
    "const q = `SELECT d.id FROM ${schema}.deliveries AS d WHERE (d.project_id, d.id) = (r.project, r.id) AND d.due_at <= $1 AND one.${column} = ${parameter(x)} ORDER BY d.due_at, d.id LIMIT $2 FOR UPDATE SKIP LOCKED`"
  const changes = textsOf(sql, "postgres")

  it.each([
    ["removes the project from a comparison of rows", "(d.id) = (r.id)"],
    ["removes a comparison of rows", "((d.project_id, d.id) = (r.project, r.id) OR true)"],
    ["removes the condition on an inserted column", "(one.${column} = ${parameter(x)} OR true)"],
    ["ignores case", "one.${column} COLLATE public.without_case = ${parameter(x)}"],
    ["changes a bound", "d.due_at < $1"],
    ["removes a term of the order", "ORDER BY d.due_at LIMIT"],
    ["changes the limit", "LIMIT $2 + 1"],
    ["removes a lock", "LIMIT $2`"]
  ])("finds a mutant that %s", (_, part) => {
    expect(changes.some((text) => text.includes(part))).toBe(true)
  })

  it("compares a column of a table without case and in the order of a language", () => {
    const table = 'const q = `CREATE TABLE a (\n  user_id text COLLATE "C" NOT NULL\n)`'
    expect(textsOf(table, "postgres")).toEqual([
      table.replace(' COLLATE "C"', ""),
      table.replace('"C"', "public.without_case")
    ])
  })
})

describe("listMutants", () => {
  it("gives each mutant of a store a key of its own, and the same list each time", () => {
    const mutants = listMutants("memory")
    expect(mutants.length).toBeGreaterThan(300)
    expect(new Set(mutants.map(({ key }) => key)).size).toBe(mutants.length)
    expect(listMutants("memory")).toEqual(mutants)
  })

  it("contains each mutant that has an explanation", () => {
    const keys = new Set(
      (["memory", "reference", "sqlite", "postgres"] as const).flatMap(listMutants).map(({ key }) => key)
    )
    expect(explained.map(({ key }) => key).filter((key) => !keys.has(key))).toEqual([])
  })
})

describe("readMutantOptions", () => {
  it("reads a sample, the number of jobs and the numbers of mutants", () => {
    expect(readMutantOptions(["--sample", "40", "--jobs", "3", "--only", "7,12"])).toMatchObject({
      sample: 40,
      jobs: 3,
      only: [7, 12]
    })
    expect(readMutantOptions([]).sample).toBeUndefined()
  })

  it.each([
    ["sample", "ten"],
    ["sample", "0"],
    ["sample", "1.5"],
    ["jobs", "0"],
    ["only", "x"]
  ])("refuses --%s %s, which would choose no mutant", (option, value) => {
    expect(() => readMutantOptions([`--${option}`, value])).toThrow(
      `--${option} must be a whole number from 1, and not "${value}".`
    )
  })
})
