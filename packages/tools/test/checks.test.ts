/**
 * Tests the generated pages: each row has what it needs, and each kind of mistake is reported.
 */
import { describe, expect, it } from "vitest"
import { brokenProofs, brokenStatements, coveragePage, clarificationPage } from "../src/coveragePage.ts"
import { withFiles } from "../src/includedCode.ts"
import { brokenInvariantRow, brokenInvariantRows, invariantPage } from "../src/invariantPage.ts"
import { invariants } from "../src/spec/invariants.ts"
import { clarifications } from "../src/spec/clarifications.ts"
import { testIn } from "../src/spec/proofs.ts"
import { statements } from "../src/spec/statements.ts"
import { read } from "../src/workspace.ts"

describe("invariantPage", () => {
  it("has a proof in a file that exists, or a stated gap, for every invariant", () => {
    expect(brokenInvariantRows()).toEqual([])
    expect(invariantPage()).toContain(`${invariants.length} invariants`)
  })

  it("reports an invariant when it has neither a proof nor a stated gap, or when the file of its proof does not exist", () => {
    const row = { id: "I0", area: "a", statement: "s", proofs: [] }
    expect(brokenInvariantRow(row)).toHaveLength(1)
    expect(brokenInvariantRow({ ...row, waitsFor: "something" })).toEqual([])
    expect(brokenInvariantRow({ ...row, proofs: [testIn("tools/test/none")("does")] })).toHaveLength(1)
  })
})

describe("withFiles", () => {
  it("replaces the code block with the current content of the file", () => {
    const page = withFiles("docs/adapters/write-a-store.md")
    expect(page).toContain(read("packages/conformance/test/example/MapStore.ts"))
    expect(page).toBe(read("docs/adapters/write-a-store.md"))
  })

  it.each(["MapStore", "mapState", "mapAnswers"])(
    "shows a complete store, of which %s has at most 300 lines",
    (file) => {
      const text = read(`packages/conformance/test/example/${file}.ts`)
      expect(text.split("\n").length).toBeLessThanOrEqual(300)
      expect(read("docs/adapters/write-a-store.md")).toContain(text)
    }
  )
})

describe("coveragePage", () => {
  it("has a proof in a file that exists, or a decision, for every statement", () => {
    expect(brokenStatements()).toEqual([])
    expect(coveragePage()).toContain(`${statements.length} statements`)
    expect(clarificationPage()).toContain(`${clarifications.length} statements`)
    for (const page of [coveragePage(), clarificationPage()]) expect(page).not.toContain("|  |\n")
  })

  it("reports a statement when a test file, decision or source file does not exist", () => {
    const statement = { id: "S0.1", section: "s", statement: "s", sources: [], proofs: [] }
    expect(brokenProofs(statement)).toHaveLength(1)
    expect(brokenProofs({ ...statement, decision: "9999-nothing" })).toHaveLength(1)
    expect(brokenProofs({ ...statement, proofs: [testIn("tools/test/none")("does")] })).toHaveLength(1)
    expect(brokenProofs({ ...statement, proofs: [testIn("tools/test/checks")("does")] })).toEqual([])
    expect(brokenProofs({ ...statement, sources: ["packages/none.ts"], decision: "0001-core-decides" })).toHaveLength(1)
    expect(brokenStatements([...statements, statements[0]!])).toHaveLength(1)
  })
})
