/**
 * The repository's checks can fail.
 */
import { describe, expect, it } from "vitest"
import { brokenProofs, brokenStatements, coveragePage, settledPage } from "../src/coveragePage.ts"
import { adapters, complaints, importsOf, roomOf, unproven } from "../src/rooms.ts"
import { withFiles } from "../src/includedCode.ts"
import { brokenInvariantRow, brokenInvariantRows, invariantPage } from "../src/invariantPage.ts"
import { invariants } from "../src/spec/invariants.ts"
import { settlements } from "../src/spec/settlements.ts"
import { statements } from "../src/spec/statements.ts"
import { read } from "../src/workspace.ts"

const headed = (source: string) => `/** Something. */\n${source}`

describe("the rooms", () => {
  it("are found by path", () => {
    expect(roomOf("packages/core/src/domain/Id.ts")).toBe("core/domain")
    expect(roomOf("packages/core/src/index.ts")).toBe("core")
    expect(roomOf("packages/http/src/server/edge.ts")).toBe("http/server")
    expect(roomOf("packages/nowhere/src/a.ts")).toBeUndefined()
  })

  it("see every import", () => {
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
    ["packages/http/src/api/A.ts", 'import { x } from "@mailkeep/core/internal/x"', "which is no room"],
    ["packages/http/src/server/a.ts", 'import { x } from "node:http"', "which needs Node"],
    ["packages/http/src/server/a.ts", 'import * as X from "@effect/platform-node/NodeStream"', "which needs Node"],
    ["packages/http/src/server/a.ts", 'import { x } from "../node/limits.ts"', "http/server may not import http/node"],
    ["packages/cli/src/a.ts", 'import { x } from "@effect/platform-node"', "by its path"],
    ["packages/core/src/service/A.ts", 'import { FileSystem } from "effect"', "not marked stable"],
    ["packages/core/src/service/A.ts", 'import { HttpRouter } from "effect/http"', 'core uses "effect" alone'],
    ["packages/core/src/domain/utils.ts", "export const a = 1", "named for nothing"],
    ["packages/core/src/domain/A.ts", "\n".repeat(500), "500 is the ceiling"]
  ])("%s with %j is complained of", (file, source, complaint) => {
    expect(complaints(file, headed(source)).join("\n")).toContain(complaint)
  })

  it("want every adapter held to the laws of its port", () => {
    expect(adapters).toEqual(["webhooks", "memory", "sqlite", "smtp"])
    const binding = 'import { conforms } from "@mailkeep/conformance/vitest"'
    expect(unproven("sqlite", [`${binding}\nconforms("sqlite", storeLaws, { place })`])).toEqual([])
    expect(unproven("sqlite", [binding, 'conforms("sqlite")'])).toHaveLength(1)
    expect(unproven("sqlite", [])).toHaveLength(1)
  })

  it("want every file to open with what it does", () => {
    expect(complaints("packages/core/src/domain/A.ts", "export const a = 1")).toHaveLength(1)
  })
})

describe("the invariants", () => {
  it("all are held by something that exists, or say what they wait for", () => {
    expect(brokenInvariantRows()).toEqual([])
    expect(invariantPage()).toContain(`${invariants.length} invariants`)
  })

  it("are complained of otherwise", () => {
    const row = { id: "I0", area: "a", says: "s", heldBy: [] }
    expect(brokenInvariantRow(row)).toHaveLength(1)
    expect(brokenInvariantRow({ ...row, waitsFor: "something" })).toEqual([])
    const file = "packages/tools/test/checks.test.ts"
    expect(brokenInvariantRow({ ...row, heldBy: [{ file, title: ["no such", "law"].join(" ") }] })).toHaveLength(1)
  })
})

describe("a page that shows a file", () => {
  it("shows it as it is now", () => {
    const page = withFiles("docs/adapters/write-a-store.md")
    expect(page).toContain(read("packages/conformance/test/example/MapStore.ts"))
    expect(page).toBe(read("docs/adapters/write-a-store.md"))
  })

  it("shows a whole store in under 250 lines", () => {
    expect(read("packages/conformance/test/example/MapStore.ts").split("\n").length).toBeLessThanOrEqual(250)
  })
})

describe("the statements of the interface, and what was settled beyond it", () => {
  it("all have a test that exists or a decision", () => {
    expect(brokenStatements()).toEqual([])
    expect(coveragePage()).toContain(`${statements.length} statements`)
    expect(settledPage()).toContain(`${settlements.length} statements`)
    for (const page of [coveragePage(), settledPage()]) expect(page).not.toContain("|  |\n")
  })

  it("are complained of without", () => {
    const statement = { id: "S0.1", section: "s", says: "s", lives: [], heldBy: [] }
    expect(brokenProofs(statement)).toHaveLength(1)
    expect(brokenProofs({ ...statement, decision: "9999-nothing" })).toHaveLength(1)
    const file = "packages/tools/test/checks.test.ts"
    expect(brokenProofs({ ...statement, heldBy: [{ file, title: ["no such", "test"].join(" ") }] })).toHaveLength(1)
    expect(brokenProofs({ ...statement, heldBy: [{ file, title: "are complained of without" }] })).toEqual([])
    expect(brokenProofs({ ...statement, lives: ["packages/none.ts"], decision: "0001-core-decides" })).toHaveLength(1)
    expect(brokenStatements([...statements, statements[0]!])).toHaveLength(1)
  })
})
