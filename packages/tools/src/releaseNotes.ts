/**
 * The change log of the repository, made from the change logs of the packages that changesets writes.
 * All published packages have one version, so each version is one section with the changes of each package.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compareVersions } from "./releaseDecision.ts"
import { publishedPackages } from "./releasePackages.ts"
import { files, read, root } from "./workspace.ts"

export interface PackageNotes {
  readonly name: string
  readonly text: string
}

/** The text of each version in a change log of changesets. */
export const sectionsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [version = "", ...lines] = section.split("\n")
        return [version.trim(), lines.join("\n").trim()] as const
      })
  )

/** An entry that says only which sibling packages were raised with it. */
const isOnlyDependencies = (entry: string): boolean => entry.startsWith("- Updated dependencies")

/** The entries of a section, without its headings. */
const entriesOf = (section: string): ReadonlyArray<string> =>
  section
    .split(/^(?=- )/m)
    .map((entry) => entry.replaceAll(/^### .*$/gm, "").trim())
    .filter((entry) => entry.startsWith("- ") && !isOnlyDependencies(entry))

/** The same entry of several packages is listed once, with the names of these packages. */
export const rootChangeLog = (packages: ReadonlyArray<PackageNotes>): string => {
  const notes = packages.map(({ name, text }) => ({ name, sections: sectionsOf(text) }))
  const versions = [...new Set(notes.flatMap(({ sections }) => [...sections.keys()]))].toSorted(compareVersions)
  const sections = versions.toReversed().map((version) => {
    const names = new Map<string, Array<string>>()
    for (const { name, sections } of notes)
      for (const entry of entriesOf(sections.get(version) ?? "")) names.set(entry, [...(names.get(entry) ?? []), name])
    const entries = [...names].map(
      ([entry, of]) => `- ${of.map((name) => `\`${name}\``).join(", ")}: ${entry.slice(2)}`
    )
    return `## ${version}\n\n${entries.join("\n")}\n`
  })
  return `<!-- Made from the change logs of the packages by \`pnpm run version\`. -->

# Changes

All published packages have the same version. [CONTRIBUTING.md](CONTRIBUTING.md#release) says how a version is made.

${sections.join("\n")}`
}

export const currentChangeLog = (): string =>
  rootChangeLog(
    publishedPackages()
      .map(({ folder, manifest }) => ({ name: manifest.name, file: `${folder}/CHANGELOG.md` }))
      .filter(({ file }) => files(file).length > 0)
      .map(({ name, file }) => ({ name, text: read(file) }))
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(root, "CHANGELOG.md"), currentChangeLog())
