/**
 * The entry with the failures alone.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as failures from "../src/failures.ts"
import * as core from "../src/index.ts"

/** Failures of the process that has the core. A client over HTTP gets none of them. */
const onlyInProcess = new Set(["MasterSecretRefused", "NotStored", "StoreNotOpened", "TransactionRefused"])

describe("the entry of the failures", () => {
  it("exports the same failures as the core, except those of the process", () => {
    const ofCore = Object.entries(core).filter(
      ([name, value]) => typeof value === "function" && value.prototype instanceof Error && !onlyInProcess.has(name)
    )
    expect(ofCore.length).toBeGreaterThan(15)
    expect(Object.fromEntries(Object.entries(failures))).toEqual(Object.fromEntries(ofCore))
  })

  it("loads neither the whole of Effect nor its schemas", () => {
    const entry = fileURLToPath(new URL("../src/failures.ts", import.meta.url))
    const script = `
      import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ resolve: (name, context, next) => { const found = next(name, context); loaded.push(found.url); return found } })
      await import(${JSON.stringify(entry)})
      console.log(JSON.stringify(loaded))
    `
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
    const loaded = JSON.parse(stdout) as ReadonlyArray<string>
    expect(loaded.some((url) => url.endsWith("/effect/dist/Data.js"))).toBe(true)
    expect(loaded.filter((url) => /\/effect\/dist\/(?:index|Schema|Stream|Layer)\.js$/.test(url))).toEqual([])
  })
})
