/**
 * Checks the manifest of each published package: what a registry shows, the scripts, and what a packed file must contain.
 * Run it as a program to print the complaints.
 */
import { fileURLToPath } from "node:url"
import type { Manifest, Package } from "./releasePackages.ts"
import { publishedPackages, workspacePackages } from "./releasePackages.ts"
import { files } from "./workspace.ts"

const repository = "https://github.com/mailkeep/mailkeep"

/** The oldest Node of every package. `@effect/platform-node`, which is copied into the HTTP server and the command, needs it. */
export const oldestNode = "22.19"

/** What the manifest of a published package contains besides its own fields. */
export const expectedFields = (folder: string): Readonly<Record<string, unknown>> => ({
  license: "MIT",
  type: "module",
  homepage: `${repository}/tree/main/${folder}#readme`,
  bugs: { url: `${repository}/issues` },
  repository: { type: "git", url: `git+${repository}.git`, directory: folder },
  engines: { node: `>=${oldestNode}` }
})

/** The scripts of a package. They run in its folder: `pnpm --filter @mailkeep/sqlite test`. */
export const expectedScripts = (
  { folder, manifest }: Package,
  hasTests: boolean
): Readonly<Record<string, string>> => ({
  ...(hasTests ? { test: `vitest run --config ../tools/vitest.config.ts ${folder}/` } : {}),
  check: "oxfmt --check . && oxlint . && tsc -p ../..",
  ...(manifest.private === true ? {} : { build: `node ../tools/src/build.ts ${manifest.name}` })
})

const missingScripts = (one: Package): ReadonlyArray<string> =>
  Object.entries(expectedScripts(one, files(`${one.folder}/test/**/*.test.ts`).length > 0)).flatMap(([name, command]) =>
    one.manifest.scripts?.[name] === command ? [] : [`${one.manifest.name}: the script ${name} must be "${command}"`]
  )

/** Complaints about one published package. */
export const manifestComplaints = ({ folder, manifest }: Package): ReadonlyArray<string> => {
  const { name, description, keywords, publishConfig } = manifest
  const complain = (holds: boolean, text: string) => (holds ? [] : [`${name}: ${text}`])
  return [
    ...Object.entries(expectedFields(folder)).flatMap(([field, expected]) =>
      complain(
        JSON.stringify(manifest[field as keyof Manifest]) === JSON.stringify(expected),
        `${field} must be ${JSON.stringify(expected)}`
      )
    ),
    ...complain((description ?? "").length >= 20, "description must be a sentence"),
    ...complain((keywords ?? []).length >= 3, "keywords must name at least three words"),
    ...complain(publishConfig?.access === "public", "publishConfig.access must be public"),
    ...complain(
      ["dist", "src", "README.md", "CHANGELOG.md"].every((file) => manifest.files?.includes(file) === true),
      "files must contain dist, src, README.md and CHANGELOG.md"
    )
  ]
}

/** Complaints about a packed file: its manifest as it is published, and the paths of its files. */
export const packedComplaints = (manifest: Manifest, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const ranges = Object.entries({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies
  })
  const targets = Object.values(manifest.exports ?? {}).flatMap((target) =>
    typeof target === "string" ? [target] : [target.types, target.default]
  )
  const needed = ["LICENSE", "README.md", "CHANGELOG.md", ...targets.map((path) => path.replace(/^\.\//, ""))]
  return [
    ...ranges.flatMap(([name, range]) =>
      /^(?:workspace|catalog|file|link):/.test(range) ? [`${manifest.name}: depends on ${name} by ${range}`] : []
    ),
    ...needed.flatMap((path) => (paths.includes(path) ? [] : [`${manifest.name}: does not contain ${path}`])),
    ...paths.flatMap((path) =>
      /^test\/|\.test\.|^\.|node_modules|\.tsbuildinfo$/.test(path) ? [`${manifest.name}: contains ${path}`] : []
    )
  ]
}

export const allManifestComplaints = (): ReadonlyArray<string> => [
  ...publishedPackages().flatMap(manifestComplaints),
  ...workspacePackages().flatMap(missingScripts)
]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const complaints = allManifestComplaints()
  for (const complaint of complaints) console.error(complaint)
  console.log(`manifests: ${complaints.length} complaints`)
  process.exitCode = complaints.length === 0 ? 0 : 1
}
