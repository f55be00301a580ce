/**
 * Writes the API report of each published package: `etc/<package>.api.md`. With `--check`, writes nothing and fails when a report is not current.
 * A change of the API is thus a change of a checked-in file. Also fails when `@mailkeep/core` has too many run-time names.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Entry } from "./apiReportProgram.ts"
import { declarationProgram, entries, sourceProgram } from "./apiReportProgram.ts"
import type { Report } from "./apiReportText.ts"
import { apiReports } from "./apiReportText.ts"
import { publishedPackages } from "./releasePackages.ts"
import { files, read, root } from "./workspace.ts"

/** The most run-time names of an entry. */
const runtimeNamesMax: Readonly<Record<string, number>> = { "@mailkeep/core": 80 }

/** `etc/core.api.md` for `@mailkeep/core`. */
export const reportFile = (packageName: string): string => `etc/${packageName.replace(/^@mailkeep\//, "")}.api.md`

export const reportsOf = (all: ReadonlyArray<Entry>): ReadonlyMap<string, Report> => {
  const sources = sourceProgram(all)
  return apiReports(sources.program, declarationProgram(sources, all), all)
}

/** A complaint for each entry with more run-time names than it may have. */
export const sizeComplaints = (reports: ReadonlyMap<string, Report>): ReadonlyArray<string> =>
  [...reports.values()].flatMap(({ runtimeNames }) =>
    [...runtimeNames].flatMap(([entry, count]) =>
      count > (runtimeNamesMax[entry] ?? Infinity)
        ? [`${entry}: has ${count} run-time names; ${runtimeNamesMax[entry]} is the maximum`]
        : []
    )
  )

const main = (checking: boolean): void => {
  const reports = reportsOf(entries(publishedPackages()))
  const texts = new Map([...reports].map(([name, { text }]) => [reportFile(name), text]))
  const complaints = [...sizeComplaints(reports)]
  for (const [file, text] of texts) {
    if (existsSync(join(root, file)) && read(file) === text) continue
    if (checking) complaints.push(`${file}: is not current; run pnpm api and read the change of the API`)
    else {
      mkdirSync(join(root, "etc"), { recursive: true })
      writeFileSync(join(root, file), text)
      console.log(`wrote ${file}`)
    }
  }
  for (const file of files("etc/*.api.md").filter((one) => !texts.has(one))) {
    if (checking) complaints.push(`${file}: there is no such package; run pnpm api`)
    else rmSync(join(root, file))
  }
  for (const complaint of complaints) console.error(complaint)
  const forgotten = [...reports.values()].reduce((sum, report) => sum + report.forgotten.length, 0)
  console.log(
    `api: ${reports.size} packages, ${[...reports]
      .flatMap(([, { runtimeNames }]) => [...runtimeNames])
      .map(([entry, count]) => `${entry} ${count}`)
      .join(", ")} run-time names, ${forgotten} names used but not exported, ${complaints.length} complaints`
  )
  process.exitCode = complaints.length > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--check"))
