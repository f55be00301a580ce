/**
 * Tests where compiled code is kept, and that a command keeps it.
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { compileCacheFolder } from "../src/compileCache.ts"

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "mailkeep-home-"))
})
afterEach(() => rmSync(home, { recursive: true }))

const folderOf = () => join(home, ".cache", "mailkeep", "compiled")
const modeOf = (folder: string) => statSync(folder).mode & 0o777

describe("compileCacheFolder", () => {
  it("creates a folder in the home that only its owner may use", () => {
    expect(compileCacheFolder(() => home)).toBe(folderOf())
    expect(modeOf(folderOf())).toBe(0o700)
  })

  it("removes the access of other users to an existing folder", () => {
    mkdirSync(folderOf(), { recursive: true })
    chmodSync(folderOf(), 0o777)
    expect(compileCacheFolder(() => home)).toBe(folderOf())
    expect(modeOf(folderOf())).toBe(0o700)
  })

  it("returns none for a user without a home, and when a file is in the way", () => {
    expect(
      compileCacheFolder(() => {
        throw new Error("no such user")
      })
    ).toBeUndefined()
    writeFileSync(join(home, ".cache"), "")
    expect(compileCacheFolder(() => home)).toBeUndefined()
  })

  it("returns none when the folder belongs to another user", () => {
    mkdirSync(folderOf(), { recursive: true })
    if (process.getuid?.() === 0) chownSync(folderOf(), 65_534, 65_534)
    else {
      rmSync(folderOf(), { recursive: true })
      symlinkSync("/usr", folderOf())
    }
    expect(compileCacheFolder(() => home)).toBeUndefined()
  })
})

describe("keepCompiledCode", () => {
  const module = fileURLToPath(new URL("../src/compileCache.ts", import.meta.url))
  const run = (env: NodeJS.ProcessEnv) =>
    execFileSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { keepCompiledCode } from ${JSON.stringify(module)}
keepCompiledCode(() => ${JSON.stringify(home)})
await import("node:module").then(({ getCompileCacheDir }) => console.log(getCompileCacheDir() ?? "none"))`
      ],
      { encoding: "utf8", env: { ...process.env, NODE_COMPILE_CACHE: undefined, ...env } }
    ).trim()

  it("keeps what a process compiles", () => {
    expect(run({}).startsWith(folderOf())).toBe(true)
    expect(readdirSync(folderOf())).toHaveLength(1)
  })

  it.each([
    ["NODE_DISABLE_COMPILE_CACHE", "1"],
    ["NODE_COMPILE_CACHE", "elsewhere"]
  ])("leaves the folder alone when the operator has set %s", (name, value) => {
    expect(run({ [name]: value === "elsewhere" ? join(home, value) : value })).not.toContain(folderOf())
    expect(readdirSync(home)).not.toContain(".cache")
  })
})
