/**
 * Tests of what the check of the packed packages reads from an installed product.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bytesBelow, copyComplaints, installedPackages, neededPackages } from "../src/packed/installedPackages.ts"

describe("the installed packages", () => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-installed-"))
  const modules = join(folder, "node_modules")
  const write = (path: string, manifest: object) => {
    mkdirSync(join(modules, path), { recursive: true })
    writeFileSync(join(modules, path, "package.json"), JSON.stringify(manifest))
  }
  beforeAll(() => {
    write("mailkeep", { name: "mailkeep", version: "1.0.0", dependencies: { effect: "4" }, exports: { ".": "./a.js" } })
    write("mailkeep/node_modules/effect", { name: "effect", version: "4.2.0" })
    write(".pnpm/effect@4.1.0/node_modules/effect", { name: "effect", version: "4.1.0" })
    write("@scope/tool", {
      name: "@scope/tool",
      version: "2.0.0",
      peerDependencies: { mailkeep: "1", vitest: "5" },
      peerDependenciesMeta: { vitest: { optional: true } }
    })
    mkdirSync(join(modules, ".bin"))
    symlinkSync(join(modules, ".pnpm/effect@4.1.0/node_modules/effect"), join(modules, "effect"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("finds each copy of a package once, also below .pnpm", () => {
    const found = installedPackages(modules).map(({ name, version }) => `${name}@${version}`)
    expect(found.toSorted()).toEqual(["@scope/tool@2.0.0", "effect@4.1.0", "effect@4.2.0", "mailkeep@1.0.0"])
  })

  it("complains about a package with another number of copies than one", () => {
    const installed = installedPackages(modules)
    expect(copyComplaints("mailkeep", installed)).toEqual([])
    expect(copyComplaints("effect", installed)).toEqual([expect.stringContaining("effect is installed 2 times")])
    expect(copyComplaints("absent", installed)).toEqual(["absent is installed 0 times"])
  })

  it("finds what the named packages need, without optional peers", () => {
    expect([...neededPackages(["@scope/tool"], installedPackages(modules))].toSorted()).toEqual([
      "@scope/tool",
      "effect",
      "mailkeep"
    ])
  })

  it("counts the bytes of the files and follows no link", () => {
    const bytes = bytesBelow(join(modules, "mailkeep"))
    expect(bytes).toBeGreaterThan(0)
    symlinkSync(join(modules, "@scope"), join(modules, "mailkeep/link"))
    expect(bytesBelow(join(modules, "mailkeep"))).toBe(bytes)
  })
})
