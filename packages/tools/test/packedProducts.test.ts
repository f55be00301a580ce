/**
 * Tests of the check of the packed packages: its options, which product gets which example, what is installed, and its complaints.
 * `node packages/tools/src/packedProducts.ts` installs the packages and runs the examples.
 */
import { describe, expect, it } from "vitest"
import { undeclaredPackages } from "../src/bundle.ts"
import type { Example } from "../src/examplesInText.ts"
import { firstMailComplaint, firstMailPrints, firstMailProgram } from "../src/packed/firstMail.ts"
import { packageOfFile } from "../src/packed/installedPackages.ts"
import {
  allRuns,
  groupExamples,
  importedPackages,
  otherPackages,
  readCatalog,
  readOptions,
  tableOf
} from "../src/packed/packedPlan.ts"
import { installComplaints, productFiles, sortErrors } from "../src/packed/product.ts"
import { budgetComplaints, countModules } from "../src/packed/startBudget.ts"
import { read } from "../src/workspace.ts"

const example = (file: string, ...code: ReadonlyArray<string>): Example => ({
  file,
  line: 10,
  code: code.join("\n"),
  prints: undefined,
  notRunBecause: undefined
})

describe("readOptions", () => {
  it("runs npm on the Node of the process without options", () => {
    expect(readOptions([], "22.19")).toEqual({
      tarballs: undefined,
      record: false,
      runs: [{ manager: "npm", runtime: "node", nodeVersion: undefined }]
    })
  })

  it("reads the folder, the manager, the version of Node and the runtime", () => {
    expect(readOptions(["--tarballs", "a", "--manager", "pnpm", "--node", "22.19.0", "--record"], "22.19")).toEqual({
      tarballs: "a",
      record: true,
      runs: [{ manager: "pnpm", runtime: "node", nodeVersion: "22.19.0" }]
    })
    expect(readOptions(["--runtime", "bun"], "22.19").runs).toEqual([
      { manager: "npm", runtime: "bun", nodeVersion: undefined }
    ])
  })

  it("runs both managers, the oldest Node, Bun and Deno with --all", () => {
    expect(readOptions(["--all"], "22.19").runs).toEqual(allRuns("22.19"))
    expect(allRuns("22.19").map(({ manager, runtime, nodeVersion }) => [manager, runtime, nodeVersion])).toEqual([
      ["npm", "node", undefined],
      ["pnpm", "node", undefined],
      ["npm", "node", "22.19.0"],
      ["npm", "bun", undefined],
      ["npm", "deno", undefined]
    ])
  })

  it.each([
    [["--manager", "yarn"], '--manager must be npm or pnpm, and not "yarn".'],
    [["--runtime", "node"], '--runtime must be bun or deno, and not "node".'],
    [["--node", "22"], '--node must be a whole version such as 22.19.0, and not "22".'],
    [["--node", "22.19.0", "--runtime", "bun"], "Use --node or --runtime, not both."],
    [["--all", "--runtime", "bun"], "--all has its own managers and runtimes."]
  ])("refuses the options %j", (args, message) => {
    expect(() => readOptions(args, "22.19")).toThrow(message)
  })
})

describe("budgetComplaints", () => {
  const budget = { openMail: 100, serve: 40 }

  it("complains about each start that loads more modules than its budget", () => {
    expect(budgetComplaints({ openMail: 100, serve: 40 }, budget)).toEqual([])
    expect(budgetComplaints({ openMail: 90, serve: 41 }, budget)).toEqual([
      "serve loads 41 modules until the first mail is accepted, and its budget is 40."
    ])
  })

  it("counts each module of a package once", () => {
    const loaded = "file:///a/node_modules/x/a.js\nfile:///a/start.js\nfile:///a/node_modules/x/a.js\n"
    expect(countModules(loaded)).toBe(1)
  })
})

describe("groupExamples", () => {
  const published = new Map([
    ["packages/core", "@mailkeep/core"],
    ["packages/http", "@mailkeep/http"],
    ["packages/mailkeep", "mailkeep"]
  ])

  it("gives an example to the product without Effect unless it imports Effect or a package for Effect", () => {
    const plain = example("docs/a.md", 'import { openMail } from "mailkeep"', 'import Database from "better-sqlite3"')
    const client = example("packages/http/README.md", 'import { connectMail } from "@mailkeep/http/client"')
    const core = example("README.md", 'import { Sending } from "@mailkeep/core"')
    const effect = example("docs/b.md", 'import { openMail } from "mailkeep"', 'import { Effect } from "effect"')
    expect(groupExamples([plain, client, core, effect], published)).toEqual({
      withoutEffect: [plain, client],
      withEffect: [core, effect],
      leftOut: []
    })
  })

  it("leaves out an example of a private package, and one that imports a private package", () => {
    const ofPrivate = example("packages/bench/README.md", 'import { openMail } from "mailkeep"')
    const ofProduct = example("examples/shop/README.md", 'import { openMail } from "mailkeep"')
    const importsPrivate = example("docs/a.md", 'import { x } from "@mailkeep/test-support"')
    const all = [ofPrivate, ofProduct, importsPrivate]
    expect(groupExamples(all, published).leftOut).toEqual(all)
  })
})

describe("otherPackages", () => {
  const catalog = readCatalog(
    'packages:\n  - a\n\ncatalog:\n  "@types/node": 24.1.0\n  "@types/pg": 8.2.0\n  effect: 4.1.0\n  pg: 8.1.0\n\nallowBuilds:\n  node: true\n'
  )

  it("reads the versions of the catalog and nothing else", () => {
    expect([...catalog]).toEqual([
      ["@types/node", "24.1.0"],
      ["@types/pg", "8.2.0"],
      ["effect", "4.1.0"],
      ["pg", "8.1.0"]
    ])
    expect(readCatalog(read("pnpm-workspace.yaml")).get("typescript-api")).toMatch(/^npm:typescript@/)
  })

  it("adds the types of each imported package and of Node", () => {
    const examples = [example("a.md", 'import pg from "pg"', 'import { readFileSync } from "node:fs"')]
    expect(otherPackages(examples, catalog)).toEqual({ "@types/node": "24.1.0", "@types/pg": "8.2.0", pg: "8.1.0" })
  })

  it("throws when the catalog names no version", () => {
    expect(() => otherPackages([example("a.md", 'import a from "absent/b"')], catalog)).toThrow(
      "An example imports absent, and the catalog names no version of it."
    )
    expect(importedPackages('import a from "@scope/b/c"\nimport d from "e/f"')).toEqual(["@scope/b", "e"])
  })
})

describe("productFiles", () => {
  const tarballs = new Map([
    ["mailkeep", "/t/mailkeep.tgz"],
    ["@mailkeep/core", "/t/core.tgz"]
  ])
  const overrides = { mailkeep: "file:/t/mailkeep.tgz", "@mailkeep/core": "file:/t/core.tgz" }
  const filesOf = (manager: "npm" | "pnpm") =>
    Object.fromEntries(
      Object.entries(productFiles({ manager, packages: ["mailkeep"], others: { pg: "8.1.0" }, tarballs })).map(
        ([file, text]) => [file, JSON.parse(text) as unknown]
      )
    )
  const manifest = {
    name: "product",
    private: true,
    type: "module",
    dependencies: { mailkeep: "file:/t/mailkeep.tgz", pg: "8.1.0" }
  }

  it("replaces the versions of the packed packages by their files for npm", () => {
    expect(filesOf("npm")).toEqual({ "package.json": { ...manifest, overrides } })
  })

  it("replaces the versions of the packed packages by their files for pnpm", () => {
    expect(filesOf("pnpm")).toEqual({ "package.json": manifest, "pnpm-workspace.yaml": { overrides } })
  })
})

describe("installComplaints", () => {
  const complaintsIn = (...lines: ReadonlyArray<string>) =>
    installComplaints(lines.join("\n"), new Set(["mailkeep", "@scope/needed"]))

  it("keeps the warnings that name a needed package, and those without a name", () => {
    const kept = [
      "npm warn EBADENGINE   package: '@scope/needed@1.0.0',",
      "npm warn deprecated mailkeep@0.1.0: old",
      "npm warn ERESOLVE overriding peer dependency"
    ]
    expect(complaintsIn("npm warn EBADENGINE Unsupported engine {", ...kept, "added 3 packages in 2s")).toEqual(kept)
  })

  it("leaves out the warnings that name only other packages", () => {
    expect(
      complaintsIn("npm warn EBADENGINE   package: 'nopt@10.0.1',", "npm warn deprecated glob@7.1.0: old")
    ).toEqual([])
  })
})

describe("sortErrors", () => {
  it("complains about an example and about a needed package, and counts the errors of other packages", () => {
    const errors = [
      "0.ts(3,1): error TS1: wrong",
      "node_modules/.pnpm/effect@4.1.0/node_modules/effect/dist/a.d.ts(1,2): error TS2: wrong",
      "node_modules/drizzle-orm/b.d.ts(1,2): error TS3: wrong",
      "node_modules/drizzle-orm/c.d.ts(1,2): error TS3: wrong",
      "entries.ts(1,1): error TS4: wrong"
    ]
    const { complaints, foreign } = sortErrors(errors, [example("a.md", "x")], new Set(["mailkeep", "effect"]))
    expect(complaints).toEqual([
      "a.md:12: error TS1: wrong",
      `declarations: ${errors[1]}`,
      "declarations: entries.ts(1,1): error TS4: wrong"
    ])
    expect([...foreign]).toEqual([["drizzle-orm", 2]])
  })

  it("names the package of a file below the innermost node_modules", () => {
    expect(packageOfFile("node_modules/.pnpm/x/node_modules/@a/b/c.d.ts")).toBe("@a/b")
    expect(packageOfFile("entries.ts")).toBeUndefined()
  })
})

describe("the small product", () => {
  it("opens the store that it is made for", () => {
    expect(firstMailProgram("memory")).toContain("store: memory(),")
    expect(firstMailProgram("SQLite")).toContain('store: sqlite("first.db"),')
  })

  it("gives a sentence with the store and the runtime when it fails or prints another text", () => {
    const complaintOf = (output: string, problem?: string) =>
      firstMailComplaint("bun 1.4.5", "SQLite", { output, problem })
    expect(complaintOf(firstMailPrints)).toEqual([])
    expect(complaintOf("", "ends with the exit code 1")).toEqual([
      "The SQLite store does not work in bun 1.4.5: the small product ends with the exit code 1"
    ])
    expect(complaintOf("ada queued\n")).toEqual([expect.stringContaining('prints "ada queued".')])
  })
})

describe("tableOf", () => {
  it("writes one line for each product, in aligned columns", () => {
    const result = { manager: "pnpm", runtime: "node 24.1.0", packages: 31, megabytes: 99.4, compiled: 65 } as const
    expect(tableOf([{ ...result, ran: 60, complaints: ["a"] }])).toBe(
      [
        "manager  runtime      packages  MB  examples compiled  run  complaints",
        "pnpm     node 24.1.0  31        99  65                 60   1"
      ].join("\n")
    )
  })
})

describe("undeclaredPackages", () => {
  it("names each imported package that the manifest does not have", () => {
    const manifest = {
      name: "mailkeep",
      version: "0.1.0",
      dependencies: { "@mailkeep/core": "^0.1.0" },
      peerDependencies: { effect: "^4.1.0" }
    }
    const imports = ["node:fs", "effect/Effect", "@mailkeep/core/node", "@oxc-project/runtime/a", "effects", "effects"]
    expect(undeclaredPackages({ folder: "packages/mailkeep", manifest }, imports)).toEqual([
      "@oxc-project/runtime/a",
      "effects"
    ])
  })
})
