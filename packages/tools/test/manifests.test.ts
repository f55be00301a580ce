/**
 * Checks the manifest of each published package, as the package manager of a product reads it.
 */
import { describe, expect, it } from "vitest"
import { files, read } from "../src/workspace.ts"

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly engines?: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The hook of `.pnpmfile.mjs`, which pnpm calls when it packs. */
const { hooks } = (await import(new URL("../../../.pnpmfile.mjs", import.meta.url).href)) as {
  readonly hooks: { readonly beforePacking: (manifest: Manifest) => Manifest }
}

const published = files("packages/*/package.json")
  .map((file) => JSON.parse(read(file)) as Manifest)
  .filter((manifest) => manifest.private !== true)

describe("published manifests", () => {
  it.each(published.map((manifest) => [manifest.name, manifest] as const))(
    "requires effect ^4.1.0 in %s as a peer dependency only",
    (_, { dependencies = {}, peerDependencies = {} }) => {
      expect(peerDependencies["effect"]).toBe("^4.1.0")
      expect(Object.keys(dependencies)).not.toContain("effect")
    }
  )

  it.each(published.map((manifest) => [manifest.name, manifest] as const))(
    "requires in %s the Node version that the README names",
    (_, { engines }) => {
      expect(engines).toEqual({ node: ">=22.14" })
      expect(read("README.md")).toContain("Node 22.14 or newer")
    }
  )

  it("replaces every exact version by a range when a package is packed", () => {
    const packed = hooks.beforePacking({ name: "x", dependencies: { a: "4.1.0", b: "^1.0.0", c: ">=3.2" } })
    expect(packed).toEqual({ name: "x", dependencies: { a: "^4.1.0", b: "^1.0.0", c: ">=3.2" } })
  })
})
