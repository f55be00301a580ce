/**
 * Checks the manifest of each published package, as a registry shows it and as the package manager of a product reads it.
 */
import { describe, expect, it } from "vitest"
import {
  allManifestComplaints,
  expectedFields,
  expectedScripts,
  manifestComplaints,
  oldestNode,
  packedComplaints
} from "../src/releaseManifests.ts"
import type { Manifest, Package } from "../src/releasePackages.ts"
import { publishedPackages } from "../src/releasePackages.ts"
import { read } from "../src/workspace.ts"

/** The hook of `.pnpmfile.mjs`, which pnpm calls when it packs. */
const { hooks } = (await import(new URL("../../../.pnpmfile.mjs", import.meta.url).href)) as {
  readonly hooks: { readonly beforePacking: (manifest: Partial<Manifest>) => Partial<Manifest> }
}

const published = publishedPackages().map(({ manifest }) => [manifest.name, manifest] as const)

const complete: Package = {
  folder: "packages/x",
  manifest: {
    name: "@mailkeep/x",
    version: "0.1.0",
    description: "A package that exists only in this test.",
    keywords: ["email", "mail", "effect"],
    files: ["dist", "src", "README.md", "CHANGELOG.md"],
    publishConfig: { access: "public" },
    ...expectedFields("packages/x")
  }
}

describe("published manifests", () => {
  it.each(published.filter(([name]) => name !== "mailkeep" && name !== "@mailkeep/testing"))(
    "requires effect ^4.1.0 in %s as a peer dependency only",
    (_, manifest) => {
      expect(manifest.peerDependencies?.["effect"]).toBe("^4.1.0")
      expect(Object.keys(manifest.dependencies ?? {})).not.toContain("effect")
    }
  )

  it.each(["mailkeep", "@mailkeep/testing"])("installs effect with %s, whose users do not use effect", (name) => {
    const { dependencies, peerDependencies } = Object.fromEntries(published)[name]!
    expect([dependencies?.["effect"], peerDependencies?.["effect"]]).toEqual(["catalog:", undefined])
  })

  it("has everything that a registry shows, and the scripts, in each manifest", () => {
    expect(allManifestComplaints()).toEqual([])
  })

  it("names the oldest Node version in the README", () => {
    expect(read("README.md")).toContain(`Node ${oldestNode} or newer`)
  })

  it("replaces every exact version by a range when a package is packed", () => {
    const packed = hooks.beforePacking({ name: "x", dependencies: { a: "4.1.0", b: "^1.0.0", c: ">=3.2" } })
    expect(packed).toEqual({ name: "x", dependencies: { a: "^4.1.0", b: "^1.0.0", c: ">=3.2" } })
  })
})

describe("manifestComplaints", () => {
  it("allows a complete manifest", () => {
    expect(manifestComplaints(complete)).toEqual([])
  })

  it.each<[string, Partial<Manifest>, string]>([
    ["license", { license: "ISC" }, "license must be"],
    ["repository", { repository: { type: "git", url: "x", directory: "packages/x" } }, "repository must be"],
    ["homepage", { homepage: "" }, "homepage must be"],
    ["bugs", { bugs: {} }, "bugs must be"],
    ["engines", { engines: { node: ">=20" } }, "engines must be"],
    ["keywords", { keywords: ["mail"] }, "keywords must name"],
    ["description", { description: "x" }, "description must be"],
    ["publishConfig", { publishConfig: {} }, "publishConfig.access must be public"],
    ["files", { files: ["dist"] }, "files must contain"]
  ])("reports a wrong %s", (_, fields, complaint) => {
    const complaints = manifestComplaints({ ...complete, manifest: { ...complete.manifest, ...fields } })
    expect(complaints).toEqual([expect.stringContaining(complaint)])
  })

  it("expects a test script only in a package with tests, and a build script only in a published package", () => {
    const hidden = { ...complete, manifest: { ...complete.manifest, private: true } }
    expect(Object.keys(expectedScripts(complete, true))).toEqual(["test", "check", "build"])
    expect(Object.keys(expectedScripts(hidden, false))).toEqual(["check"])
  })
})

describe("packedComplaints", () => {
  const manifest = {
    ...complete.manifest,
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    dependencies: { "@mailkeep/core": "^0.1.0" }
  }
  const paths = ["package.json", "LICENSE", "README.md", "CHANGELOG.md", "dist/index.d.ts", "dist/index.js"]

  it("allows a packed file with every export, the licence, the README and the change log", () => {
    expect(packedComplaints(manifest, paths)).toEqual([])
  })

  it.each(["LICENSE", "README.md", "CHANGELOG.md", "dist/index.d.ts", "dist/index.js"])(
    "reports a packed file without %s",
    (path) => {
      expect(
        packedComplaints(
          manifest,
          paths.filter((one) => one !== path)
        )
      ).toEqual([`@mailkeep/x: does not contain ${path}`])
    }
  )

  it.each(["workspace:*", "catalog:", "file:../core"])("reports a dependency by %s", (range) => {
    expect(packedComplaints({ ...manifest, dependencies: { a: range } }, paths)).toEqual([
      `@mailkeep/x: depends on a by ${range}`
    ])
  })

  it("reports a test in a packed file", () => {
    expect(packedComplaints(manifest, [...paths, "test/a.test.ts"])).toEqual(["@mailkeep/x: contains test/a.test.ts"])
  })
})
