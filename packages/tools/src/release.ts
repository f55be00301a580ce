/**
 * Publishes a version: collects facts, decides, builds, packs, checks the packed files, and publishes them.
 * They are published in the order of their dependencies. `--dry-run` does everything but publish, and needs no network. `--to <folder>` keeps the packed files there.
 * The registry and the credentials are those of the npm configuration of the user.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build, pack, pnpm } from "./build.ts"
import type { ReleaseFacts } from "./releaseDecision.ts"
import { decideRelease } from "./releaseDecision.ts"
import { allManifestComplaints, packedComplaints } from "./releaseManifests.ts"
import { sectionsOf } from "./releaseNotes.ts"
import type { Manifest, Package } from "./releasePackages.ts"
import { publishedPackages } from "./releasePackages.ts"
import { files, read, root } from "./workspace.ts"

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false }, to: { type: "string" } } })
const isDryRun = values["dry-run"]
const [command, ...args] = pnpm

const output = (command: string, args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line.trim() !== "")

/** Asks the registry for the versions of a package. It answers 404 for a package that was never published. */
const isPublished = ({ manifest: { name, version } }: Package): boolean => {
  try {
    const versions: unknown = JSON.parse(output(command, [...args, "view", name, "versions", "--json"]))
    return [versions].flat().includes(version)
  } catch (cause) {
    // With --json, the error is in the output.
    if (String((cause as { readonly stdout?: unknown }).stdout).includes('"ERR_PNPM_FETCH_404"')) return false
    throw cause
  }
}

const describes = ({ folder, manifest }: Package): boolean => {
  const file = `${folder}/CHANGELOG.md`
  return files(file).length > 0 && sectionsOf(read(file)).has(manifest.version)
}

const collectFacts = (
  packages: ReadonlyArray<Package>,
  isPublished: (one: Package) => boolean = () => false
): ReleaseFacts => ({
  branch: output("git", ["branch", "--show-current"]).trim(),
  uncommitted: lines(output("git", ["status", "--porcelain"])).map((line) => line.slice(3)),
  changesets: files(".changeset/*.md").filter((file) => !file.endsWith("README.md")),
  released: lines(output("git", ["tag", "--list", "v*"])).map((tag) => tag.slice(1)),
  packages: packages.map((one) => ({
    name: one.manifest.name,
    version: one.manifest.version,
    isDescribed: describes(one),
    isPublished: isPublished(one)
  }))
})

/** Checks what a product would install. */
const complaintsAbout = (tarball: string): ReadonlyArray<string> => {
  const paths = lines(output("tar", ["-tzf", tarball])).map((path) => path.replace(/^package\//, ""))
  const manifest = JSON.parse(output("tar", ["-xzOf", tarball, "package/package.json"])) as Manifest
  return packedComplaints(manifest, paths)
}

const refuse = (complaints: ReadonlyArray<string>): never => {
  for (const complaint of complaints) console.error(complaint)
  process.exit(1)
}

const packages = publishedPackages()
// The registry is asked only when nothing else refuses the release.
const local = decideRelease(collectFacts(packages))
const decision = isDryRun || "refusals" in local ? local : decideRelease(collectFacts(packages, isPublished))
if ("refusals" in decision && !isDryRun) refuse(decision.refusals)

const broken = allManifestComplaints()
if (broken.length > 0) refuse(broken)

await build(packages)
const folder = values.to ?? mkdtempSync(join(tmpdir(), "mailkeep-release-"))
process.on("exit", () => {
  if (values.to === undefined) rmSync(folder, { recursive: true, force: true })
})
const tarballs = pack(packages, folder)
const complaints = tarballs.flatMap(complaintsAbout)
if (complaints.length > 0) refuse(complaints)

if (isDryRun) {
  for (const { manifest } of packages) console.log(`would publish ${manifest.name}@${manifest.version}`)
  if ("refusals" in decision) for (const refusal of decision.refusals) console.log(`not now: ${refusal}`)
} else if ("publish" in decision) {
  for (const [n, { manifest }] of packages.entries())
    if (decision.publish.includes(manifest.name))
      execFileSync(command, [...args, "publish", tarballs[n]!, "--access", "public", "--no-git-checks"], {
        cwd: root,
        stdio: "inherit"
      })
  execFileSync("git", ["tag", `v${decision.version}`], { cwd: root, stdio: "inherit" })
  console.log(`Published ${decision.version}. Now run: git push origin v${decision.version}`)
}
