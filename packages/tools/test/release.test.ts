/**
 * Tests when a release is refused, in which order packages are published, what a packed file must contain, and the change log.
 */
import { describe, expect, it } from "vitest"
import type { ReleaseFacts } from "../src/releaseDecision.ts"
import { compareVersions, decideRelease } from "../src/releaseDecision.ts"
import { currentChangeLog, rootChangeLog, sectionsOf } from "../src/releaseNotes.ts"
import type { Manifest, Package } from "../src/releasePackages.ts"
import { inDependencyOrder, publishedPackages, withDependencies } from "../src/releasePackages.ts"
import { read } from "../src/workspace.ts"

const one = (name: string, fields: Partial<ReleaseFacts["packages"][number]> = {}) => ({
  name,
  version: "0.2.0",
  isDescribed: true,
  isPublished: false,
  ...fields
})

const ready: ReleaseFacts = {
  branch: "main",
  uncommitted: [],
  changesets: [],
  released: ["0.1.0"],
  packages: [one("core"), one("http")]
}

describe("decideRelease", () => {
  it("publishes every package in the given order when nothing is wrong", () => {
    expect(decideRelease(ready)).toEqual({ version: "0.2.0", publish: ["core", "http"] })
  })

  it("publishes the first version when nothing was released before", () => {
    expect(decideRelease({ ...ready, released: [] })).toEqual({ version: "0.2.0", publish: ["core", "http"] })
  })

  it("publishes only the missing packages when an earlier release was interrupted", () => {
    const packages = [one("core", { isPublished: true }), one("http")]
    expect(decideRelease({ ...ready, packages })).toEqual({ version: "0.2.0", publish: ["http"] })
  })

  it.each<[string, Partial<ReleaseFacts>, string]>([
    [
      "a file is not committed",
      { uncommitted: ["a.ts", "b.ts", "c.ts", "d.ts"] },
      "There are uncommitted changes: a.ts, b.ts, c.ts and 1 more."
    ],
    ["the branch is not main", { branch: "fix" }, "A release is made from main, and this is fix."],
    ["no branch is checked out", { branch: "" }, "A release is made from main, and this is no branch."],
    [
      "the version was not raised",
      { released: ["0.1.0", "0.2.0"] },
      "The version 0.2.0 was not raised: 0.2.0 was released before. Add a changeset."
    ],
    [
      "the version is lower than a released version",
      { released: ["0.10.0", "0.9.0"] },
      "The version 0.2.0 was not raised: 0.10.0 was released before. Add a changeset."
    ],
    [
      "a changeset has no version yet",
      { changesets: [".changeset/red-dogs-run.md"] },
      "Run `pnpm run version` first. No version contains these changesets yet: .changeset/red-dogs-run.md."
    ],
    [
      "two packages have different versions",
      { packages: [one("core"), one("http", { version: "0.3.0" })] },
      "The packages have different versions: 0.2.0, 0.3.0."
    ],
    [
      "a change log does not describe the version",
      { packages: [one("core"), one("http", { isDescribed: false })] },
      "No section of the change log describes 0.2.0 of http."
    ],
    [
      "every package is published already",
      { packages: [one("core", { isPublished: true })] },
      "The registry has every package already."
    ]
  ])("refuses to publish when %s", (_, facts, refusal) => {
    expect(decideRelease({ ...ready, ...facts })).toEqual({ refusals: [refusal] })
  })

  it("names every reason when several things are wrong", () => {
    const decision = decideRelease({ ...ready, branch: "fix", uncommitted: ["a.ts"], released: ["0.2.0"] })
    expect("refusals" in decision && decision.refusals).toHaveLength(3)
  })
})

describe("compareVersions", () => {
  it("sorts versions as Semantic Versioning says", () => {
    const sorted = [
      "0.9.0",
      "0.10.0",
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0",
      "1.0.1"
    ]
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
  })

  it("returns 0 when two versions are equal", () => {
    expect(compareVersions("1.2.3-next.1", "1.2.3-next.1")).toBe(0)
  })
})

const packageOf = (name: string, dependencies: Readonly<Record<string, string>> = {}): Package => ({
  folder: `packages/${name}`,
  manifest: { name, version: "0.1.0", dependencies } as Manifest
})

const namesOf = (packages: ReadonlyArray<Package>) => packages.map(({ manifest }) => manifest.name)

describe("inDependencyOrder", () => {
  it("puts each package after the packages that it depends on", () => {
    const all = [packageOf("cli", { http: "1", core: "1" }), packageOf("core"), packageOf("http", { core: "1" })]
    expect(namesOf(inDependencyOrder(all))).toEqual(["core", "http", "cli"])
  })

  it("refuses packages that depend on each other and names them", () => {
    expect(() => inDependencyOrder([packageOf("a", { b: "1" }), packageOf("b", { a: "1" })])).toThrow("a → b → a")
  })

  it("puts each published package of this repository after its dependencies", () => {
    const packages = publishedPackages()
    const names = namesOf(packages)
    expect(names).toContain("@mailkeep/core")
    for (const { manifest } of packages)
      for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
        expect(names.indexOf(dependency)).toBeLessThan(names.indexOf(manifest.name))
  })
})

describe("withDependencies", () => {
  const all = [packageOf("core"), packageOf("smtp", { core: "1" }), packageOf("http", { core: "1" })]

  it("returns the named packages with everything that they depend on", () => {
    expect(namesOf(withDependencies(all, ["http"]))).toEqual(["core", "http"])
  })

  it("returns every package when no name is given", () => {
    expect(namesOf(withDependencies(all, []))).toEqual(["core", "smtp", "http"])
  })

  it("refuses a name that no published package has", () => {
    expect(() => withDependencies(all, ["bench"])).toThrow("There is no published package bench.")
  })
})

const changeLog = (name: string, ...sections: ReadonlyArray<string>) => ({
  name,
  text: `# ${name}\n\n${sections.join("\n\n")}\n`
})

describe("rootChangeLog", () => {
  const added = "### Minor Changes\n\n- 1234567: Add lists.\n  They have names."
  const raised = "### Patch Changes\n\n- Updated dependencies [1234567]\n  - core@0.2.0"

  it("reads the sections of a change log by their versions", () => {
    expect([...sectionsOf(changeLog("core", `## 0.2.0\n\n${added}`, "## 0.1.0\n\n- First.").text)]).toEqual([
      ["0.2.0", added],
      ["0.1.0", "- First."]
    ])
  })

  it("lists the newest version first and an entry of several packages once", () => {
    const text = rootChangeLog([
      changeLog("core", `## 0.2.0\n\n${added}\n\n${raised}`, "## 0.1.0\n\n- First."),
      changeLog("http", `## 0.2.0\n\n${added}`)
    ])
    expect(text.slice(text.indexOf("## "))).toBe(
      "## 0.2.0\n\n- `core`, `http`: 1234567: Add lists.\n  They have names.\n\n## 0.1.0\n\n- `core`: First.\n"
    )
  })

  it("is current in this repository", () => {
    expect(read("CHANGELOG.md").trim()).toBe(currentChangeLog().trim())
  })
})
