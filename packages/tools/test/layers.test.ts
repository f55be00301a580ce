/**
 * Tests the layer rules: the layers themselves, the check of every file, import cycles, and what is generated from the rules.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { importCycles, importGraph } from "../src/importCycles.ts"
import { importsOf } from "../src/importsOf.ts"
import { complaints } from "../src/layerRules.ts"
import { adapters, layerNames, layerOf, layerOfEntry, rulesOf } from "../src/layers.ts"
import { architecturePage } from "../src/layerTable.ts"
import { lintConfig } from "../src/lintConfig.ts"
import { untestedDecisions, unproven } from "../src/requiredTests.ts"
import { read, root } from "../src/workspace.ts"

const withHeader = (source: string) => `/** Something. */\n${source}`

describe("layers", () => {
  it("gives a file and an entry of a package the layer with the longest matching name", () => {
    expect(layerOf("packages/core/src/domain/value/Id.ts")).toBe("core/domain")
    expect(layerOf("packages/core/src/index.ts")).toBe("core")
    expect(layerOf("packages/core/src/adapter.ts")).toBe("core/adapter")
    expect(layerOf("packages/http/src/server/requestMiddleware.ts")).toBe("http/server")
    expect(layerOf("packages/http/src/node.ts")).toBe("http/node")
    expect(layerOf("packages/nowhere/src/a.ts")).toBeUndefined()
    expect(layerOfEntry("@mailkeep/core")).toBe("core")
    expect(layerOfEntry("@mailkeep/core/node/csv")).toBe("core/node")
    expect(layerOfEntry("@mailkeep/core/adapter/evaluation")).toBe("core/adapter")
    expect(layerOfEntry("mailkeep")).toBe("mailkeep")
    expect(layerOfEntry("@mailkeep/cli")).toBe("cli")
  })

  it("names only layers that exist, and never a layer that imports the naming layer", () => {
    const graph = new Map(layerNames.map((layer) => [layer as string, rulesOf(layer).imports]))
    for (const imports of graph.values()) for (const name of imports) expect(graph.has(name)).toBe(true)
    expect(importCycles(graph)).toEqual([])
  })

  it("lets an adapter import the ports, the rules for options and nothing else of the repository", () => {
    expect(adapters).toEqual(["memory", "sqlite", "postgres", "smtp", "webhooks"])
    for (const adapter of adapters) expect(rulesOf(adapter).imports).toEqual(["core/adapter", "core/options"])
  })
})

describe("importsOf", () => {
  it("finds every import of a source", () => {
    const source = `import a from "one"\nimport type {\n  b\n} from "two"\nexport * from "three"\nimport "four"\nawait import("five")`
    expect(importsOf(source)).toEqual(["one", "two", "three", "four", "five"])
  })

  it("finds no import in a comment", () => {
    const example = '/**\n * ```ts\n * import { a } from "one"\n * await store.commit([])\n * ```\n */'
    expect(importsOf(`export const x = 1\n\n${example}\nexport const y = 2\n// import "two"\n`)).toEqual([])
    expect(complaints("packages/core/src/port/A.ts", withHeader(`export const x = 1\n\n${example}\n`))).toEqual([])
  })

  it("finds no import in the example of a doc comment", () => {
    const source = `/** A port. */\nexport interface A {}\n/**\n * @example\n * import { a } from "@mailkeep/core"\n */\nexport class B {}`
    expect(importsOf(source)).toEqual([])
  })
})

describe("complaints", () => {
  it.each([
    [
      "packages/core/src/domain/A.ts",
      'import { x } from "../service/message/Sending.ts"',
      "core/domain may not import core/service"
    ],
    [
      "packages/core/src/decide/message/a.ts",
      'import { x } from "../../port/MailStore.ts"',
      "core/decide may not import core/port"
    ],
    ["packages/core/src/domain/A.ts", 'import { Effect } from "effect"', "may not use effect's Effect"],
    ["packages/core/src/port/A.ts", 'import { x } from "node:fs"', "may not import node:fs"],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/core"', "sqlite may not import core"],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/core/binding"', "sqlite may not import core/binding"],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/memory"', "sqlite may not import memory"],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/conformance"', "sqlite may not import conformance"],
    ["packages/conformance/src/a.ts", 'import { x } from "@mailkeep/core"', "conformance may not import core"],
    ["packages/http/src/api/A.ts", 'import { x } from "../server/views.ts"', "http/api may not import http/server"],
    ["packages/http/src/api/A.ts", 'import { x } from "@mailkeep/core/internal/x"', "which is in no layer"],
    ["packages/http/src/api/A.ts", 'import { x } from "mailkeep"', "http/api may not import mailkeep"],
    ["packages/http/src/server/a.ts", 'import { x } from "node:http"', "needs to run without Node"],
    [
      "packages/http/src/server/a.ts",
      'import * as X from "@effect/platform-node/NodeStream"',
      "needs to run without Node"
    ],
    ["packages/http/src/server/a.ts", 'import { x } from "../node/limits.ts"', "http/server may not import http/node"],
    ["packages/cli/src/a.ts", 'import { x } from "@effect/platform-node"', "by its path"],
    ["packages/core/src/service/A.ts", 'import { FileSystem } from "effect"', "not marked stable"],
    ["packages/core/src/service/A.ts", 'import { HttpRouter } from "effect/http"', 'The core uses "effect" alone'],
    ["packages/core/src/service/A.ts", "yield* deps.store\n  .commit(changes)", "calls commit of a store"],
    ["packages/core/src/service/A.ts", "yield* (yield* MailStore).commit(changes)", "calls commit of a store"],
    ["packages/core/src/domain/A.ts", "export const a = new Date()", "may not use new Date()"],
    ["packages/core/src/decide/a.ts", "export const a = String(Date())", "may not use Date()"],
    ["packages/sqlite/src/a.ts", "export const a = globalThis.Date.now()", "may not use globalThis.Date"],
    ["packages/core/src/domain/A.ts", 'export const a = globalThis.fetch("")', "may not use globalThis.fetch"],
    ["packages/core/src/service/A.ts", "export const a = globalThis.Math.random()", "may not use globalThis.Math"],
    ["packages/core/src/domain/utils.ts", "export const a = 1", "does not describe its content"],
    ["packages/core/src/domain/A.ts", "\n".repeat(500), "500 is the maximum"]
  ])("reports a complaint about %s when it contains %j", (file, source, complaint) => {
    expect(complaints(file, withHeader(source)).join("\n")).toContain(complaint)
  })

  it.each([
    ["packages/core/src/internal/store/commit.ts", "yield* store.commit(changes)"],
    ["packages/core/src/service/message/A.ts", "yield* commit(load, decide, policy)"],
    [
      "packages/core/src/domain/A.ts",
      "export const a = new Date(now)\nexport const b = (a: unknown) => a instanceof Date"
    ],
    ["packages/core/src/domain/A.ts", "export const isoDate = () => toDate()"],
    ["packages/http/src/client/a.ts", "export const a = globalThis.fetch"],
    ["packages/sqlite/src/a.ts", 'import { x } from "@mailkeep/core/adapter/evaluation"']
  ])("reports nothing about %s when it contains %j", (file, source) => {
    expect(complaints(file, withHeader(source))).toEqual([])
  })

  it("reports a file when it does not begin with a comment", () => {
    expect(complaints("packages/core/src/domain/A.ts", "export const a = 1")).toHaveLength(1)
  })
})

describe("importCycles", () => {
  it("reports the files of each cycle, also when a cycle has only imports of types", () => {
    const graph = importGraph({
      "a/one.ts": 'import type { B } from "./two.ts"',
      "a/two.ts": 'export { c } from "./sub/three.ts"',
      "a/sub/three.ts": 'import { a } from "../one.ts"\nimport { d } from "../four.ts"',
      "a/four.ts": 'import { e } from "effect"',
      "a/five.ts": 'import { f } from "./five.ts"'
    })
    expect(importCycles(graph)).toEqual([["a/five.ts"], ["a/one.ts", "a/sub/three.ts", "a/two.ts"]])
  })
})

describe("required tests", () => {
  it("reports an adapter when no test runs the laws of its port", () => {
    const binding = 'import { conforms } from "@mailkeep/conformance/vitest"'
    expect(unproven("sqlite", [`${binding}\nconforms("sqlite", storeLaws, { place })`])).toEqual([])
    expect(unproven("sqlite", [binding, 'conforms("sqlite")'])).toHaveLength(1)
    expect(unproven("sqlite", [])).toHaveLength(1)
  })

  it("reports a decision without a test file of the same name in the same folder", () => {
    const sources = [
      "packages/core/src/decide/message/acceptSend.ts",
      "packages/core/src/decide/store/resource.ts",
      "packages/core/src/decide/store/Decision.ts"
    ]
    expect(
      untestedDecisions(sources, [
        "packages/core/test/decide/message/acceptSend.test.ts",
        "packages/core/test/decide/resource.test.ts"
      ])
    ).toEqual([
      "packages/core/src/decide/store/resource.ts: has no test of its own; add packages/core/test/decide/store/resource.test.ts"
    ])
  })
})

describe("what is generated from the layers", () => {
  it("is current in the lint configuration and in the architecture page", () => {
    expect(lintConfig()).toBe(read(".oxlintrc.json"))
    expect(architecturePage()).toBe(read("docs/architecture.md"))
  })

  const forbidden: ReadonlyArray<readonly [file: string, line: string]> = [
    ["packages/core/src/domain/value/a.ts", 'import { a } from "../../service/b.ts"'],
    ["packages/core/src/domain/value/b.ts", 'import { a } from "../../adapter.ts"'],
    ["packages/core/src/domain/value/c.ts", 'import { Effect } from "effect"'],
    ["packages/core/src/domain/value/d.ts", "export const a = Date.now()"],
    ["packages/core/src/domain/value/e.ts", "export const a = Promise.resolve(1)"],
    ["packages/core/src/domain/value/f.ts", 'import { a } from "@mailkeep/core/node/csv"'],
    ["packages/core/src/domain/value/g.ts", 'import { a } from "@mailkeep/core"'],
    ["packages/core/src/decide/message/a.ts", 'import { a } from "../../port/b.ts"'],
    ["packages/core/src/service/message/a.ts", 'import { a } from "node:fs"'],
    ["packages/core/src/service/message/b.ts", 'import { a } from "effect/http"'],
    ["packages/core/src/service/message/c.ts", "export const a = Math.random()"],
    ["packages/core/src/index.ts", 'import { a } from "./internal/a.ts"'],
    ["packages/sqlite/src/internal/a.ts", 'import { a } from "@mailkeep/core"'],
    ["packages/sqlite/src/internal/b.ts", 'import { a } from "@mailkeep/core/binding"'],
    ["packages/sqlite/src/internal/c.ts", 'import { a } from "@mailkeep/memory"'],
    ["packages/sqlite/src/internal/d.ts", "export const a = Date.now()"],
    ["packages/http/src/api/a.ts", 'import { a } from "../server/b.ts"'],
    ["packages/http/src/server/handlers/a.ts", 'import { a } from "../../node/b.ts"'],
    ["packages/http/src/server/b.ts", 'import { a } from "../node.ts"'],
    ["packages/cli/src/commands/a.ts", 'import { a } from "@mailkeep/test-support/apiDocument"']
  ]
  const allowed: typeof forbidden = [
    ["packages/core/src/service/message/d.ts", 'import { a } from "../../internal/b.ts"'],
    ["packages/core/src/adapter.ts", 'export { a } from "./port/b.ts"'],
    ["packages/sqlite/src/internal/e.ts", 'import { a } from "@mailkeep/core/adapter/evaluation"'],
    ["packages/http/src/node/a.ts", 'import { a } from "../server/b.ts"'],
    ["packages/http/src/node/b.ts", 'import { a } from "node:http"'],
    ["packages/cli/src/commands/b.ts", 'import { a } from "@mailkeep/http/node"']
  ]

  it("makes the linter refuse what a layer may not use, and nothing else", () => {
    const folder = mkdtempSync(join(tmpdir(), "mailkeep-lint-"))
    try {
      writeFileSync(join(folder, ".oxlintrc.json"), lintConfig())
      for (const [file, line] of [...forbidden, ...allowed]) {
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), `${line}\n`)
      }
      const oxlint = join(root, "node_modules/oxlint/bin/oxlint")
      const { stdout } = spawnSync(process.execPath, [oxlint, "--format=json"], { cwd: folder, encoding: "utf8" })
      const { diagnostics } = JSON.parse(stdout) as {
        readonly diagnostics: ReadonlyArray<{ readonly code: string; readonly filename: string }>
      }
      const refused = diagnostics.filter(({ code }) => code.includes("no-restricted-")).map(({ filename }) => filename)
      expect([...new Set(refused)].toSorted()).toEqual(forbidden.map(([file]) => file).toSorted())
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("keeps the rules of the lint configuration that are written by hand", () => {
    const { overrides } = JSON.parse(lintConfig()) as { readonly overrides: ReadonlyArray<{ readonly rules: object }> }
    expect(overrides.some(({ rules }) => "no-unmodified-loop-condition" in rules)).toBe(true)
    expect(overrides.length).toBeGreaterThan(layerNames.length)
  })
})
