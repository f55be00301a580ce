/**
 * Tests the binding to `node:test` in a Node process.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(import.meta.dirname, ".node-test-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (options: string) => {
  const file = join(folder, "laws.test.ts")
  writeFileSync(
    file,
    `import { storeLaws } from "../../src/index.ts"
import { conforms } from "../../src/nodeTest.ts"
import { layer } from "../example/MapStore.ts"
conforms("the Map", storeLaws, { place: layer, runs: 5 }, ${options})
`
  )
  const { NODE_OPTIONS: _, ...env } = process.env
  const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", file], {
    encoding: "utf8",
    env
  })
  return { status, stdout }
}

describe("the laws under node:test", () => {
  it("registers a test for each law, and a diagnostic for a law that does not apply", () => {
    const { status, stdout } = run(`{ only: ["commit/all-or-nothing", "durability/kept-after-reopening"] }`)
    expect(stdout).toContain("# pass 2")
    expect(stdout).toContain("not applicable: needs durable: true")
    expect(status).toBe(0)
  })

  it("fails on an unknown law", () => {
    const { status, stdout } = run(`{ only: ["commit/none-at-all"] }`)
    expect(stdout).toContain("there is no law commit/none-at-all")
    expect(status).toBe(1)
  })
})
