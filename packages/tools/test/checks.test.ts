/**
 * Tests that the repository's checks pass on this repository and report each kind of mistake.
 */
import { describe, expect, it } from "vitest"
import { brokenProofs, brokenStatements, coveragePage, clarificationPage } from "../src/coveragePage.ts"
import { adapters, complaints, importsOf, layerOf, unproven } from "../src/layerRules.ts"
import { withFiles } from "../src/includedCode.ts"
import { brokenInvariantRow, brokenInvariantRows, invariantPage } from "../src/invariantPage.ts"
import { invariants } from "../src/spec/invariants.ts"
import { clarifications } from "../src/spec/clarifications.ts"
import { statements } from "../src/spec/statements.ts"
import { read } from "../src/workspace.ts"

const withHeader = (source: string) => `/** Something. */\n${source}`

describe("layerRules", () => {
  it("finds the layer of a file by its path", () => {
    expect(layerOf("packages/core/src/domain/Id.ts")).toBe("core/domain")
    expect(layerOf("packages/core/src/index.ts")).toBe("core")
    expect(layerOf("packages/http/src/server/requestMiddleware.ts")).toBe("http/server")
    expect(layerOf("packages/nowhere/src/a.ts")).toBeUndefined()
  })

  it("finds every import of a source", () => {
    const source = `import a from "one"\nimport type {\n  b\n} from "two"\nexport * from "three"\nimport "four"\nawait import("five")`
    expect(importsOf(source)).toEqual(["one", "two", "three", "four", "five"])
  })

  it.each([
    [
      "packages/core/src/domain/A.ts",
      'import { x } from "../service/Sending.ts"',
      "core/domain may not import core/service"
    ],
    [
      "packages/core/src/decide/a.ts",
      'import { x } from "../port/MailStore.ts"',
      "core/decide may not import core/port"
    ],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/core"', "sqlite may not import core"],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/memory"', "sqlite may not import memory"],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/conformance"', "sqlite may not import conformance"],
    ["packages/conformance/src/a.ts", 'import { x } from "@mailkeep/core"', "conformance may not import core"],
    ["packages/http/src/api/A.ts", 'import { x } from "../server/views.ts"', "http/api may not import http/server"],
    ["packages/http/src/api/A.ts", 'import { x } from "@mailkeep/core/internal/x"', "which is no layer"],
    ["packages/http/src/server/a.ts", 'import { x } from "node:http"', "which needs Node"],
    ["packages/http/src/server/a.ts", 'import * as X from "@effect/platform-node/NodeStream"', "which needs Node"],
    ["packages/http/src/server/a.ts", 'import { x } from "../node/limits.ts"', "http/server may not import http/node"],
    ["packages/cli/src/a.ts", 'import { x } from "@effect/platform-node"', "by its path"],
    ["packages/core/src/service/A.ts", 'import { FileSystem } from "effect"', "not marked stable"],
    ["packages/core/src/service/A.ts", 'import { HttpRouter } from "effect/http"', 'core uses "effect" alone'],
    ["packages/core/src/domain/utils.ts", "export const a = 1", "does not describe its content"],
    ["packages/core/src/domain/A.ts", "\n".repeat(500), "500 is the maximum"]
  ])("reports a complaint about %s when it contains %j", (file, source, complaint) => {
    expect(complaints(file, withHeader(source)).join("\n")).toContain(complaint)
  })

  it("reports an adapter when no test runs the laws of its port", () => {
    expect(adapters).toEqual(["webhooks", "memory", "sqlite", "smtp"])
    const binding = 'import { conforms } from "@mailkeep/conformance/vitest"'
    expect(unproven("sqlite", [`${binding}\nconforms("sqlite", storeLaws, { place })`])).toEqual([])
    expect(unproven("sqlite", [binding, 'conforms("sqlite")'])).toHaveLength(1)
    expect(unproven("sqlite", [])).toHaveLength(1)
  })

  it("reports a file when it does not begin with a comment", () => {
    expect(complaints("packages/core/src/domain/A.ts", "export const a = 1")).toHaveLength(1)
  })
})

describe("invariantPage", () => {
  it("has a test that exists, or a stated gap, for every invariant", () => {
    expect(brokenInvariantRows()).toEqual([])
    expect(invariantPage()).toContain(`${invariants.length} invariants`)
  })

  it("reports an invariant when it has neither a test nor a stated gap, or when its test does not exist", () => {
    const row = { id: "I0", area: "a", statement: "s", proofs: [] }
    expect(brokenInvariantRow(row)).toHaveLength(1)
    expect(brokenInvariantRow({ ...row, waitsFor: "something" })).toEqual([])
    const file = "packages/tools/test/checks.test.ts"
    expect(brokenInvariantRow({ ...row, proofs: [{ file, title: ["no such", "law"].join(" ") }] })).toHaveLength(1)
  })
})

describe("withFiles", () => {
  it("replaces the code block with the current content of the file", () => {
    const page = withFiles("docs/adapters/write-a-store.md")
    expect(page).toContain(read("packages/conformance/test/example/MapStore.ts"))
    expect(page).toBe(read("docs/adapters/write-a-store.md"))
  })

  it("shows a complete store in at most 250 lines", () => {
    expect(read("packages/conformance/test/example/MapStore.ts").split("\n").length).toBeLessThanOrEqual(250)
  })
})

describe("coveragePage", () => {
  it("has a test that exists, or a decision, for every statement", () => {
    expect(brokenStatements()).toEqual([])
    expect(coveragePage()).toContain(`${statements.length} statements`)
    expect(clarificationPage()).toContain(`${clarifications.length} statements`)
    for (const page of [coveragePage(), clarificationPage()]) expect(page).not.toContain("|  |\n")
  })

  it("reports a statement when a test, decision or source file does not exist", () => {
    const statement = { id: "S0.1", section: "s", statement: "s", sources: [], proofs: [] }
    expect(brokenProofs(statement)).toHaveLength(1)
    expect(brokenProofs({ ...statement, decision: "9999-nothing" })).toHaveLength(1)
    const file = "packages/tools/test/checks.test.ts"
    expect(brokenProofs({ ...statement, proofs: [{ file, title: ["no such", "test"].join(" ") }] })).toHaveLength(1)
    expect(
      brokenProofs({
        ...statement,
        proofs: [{ file, title: "reports a statement when a test, decision or source file does not exist" }]
      })
    ).toEqual([])
    expect(brokenProofs({ ...statement, sources: ["packages/none.ts"], decision: "0001-core-decides" })).toHaveLength(1)
    expect(brokenStatements([...statements, statements[0]!])).toHaveLength(1)
  })
})
