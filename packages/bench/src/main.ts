/**
 * `pnpm bench`: measures Mailkeep and its peers in the same run. `README.md` describes the options.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { machine, machineText } from "./machine.ts"
import { figuresPart, plotFile, withFigures } from "./performancePage.ts"
import { plotOf } from "./plot.ts"
import type { Disk, Row, Size } from "./Row.ts"
import { disks, sizes, usualDisks } from "./Row.ts"
import type { RowResult } from "./results.ts"
import { mergeResults, toResult } from "./results.ts"
import { rowNamed, rows } from "./rows.ts"
import { canDelaySyncs, removeRowFolders, runRow } from "./runRow.ts"

const docs = (file: string): string => fileURLToPath(new URL(`../../../docs/${file}`, import.meta.url))
const jsonFile = docs("performance.json")
const pageFile = docs("performance.md")

/** Ends the program with a sentence about the command line. */
const refuse = (sentence: string): never => {
  console.error(sentence)
  process.exit(2)
}

const oneOf = <A extends string>(option: string, value: string, allowed: ReadonlyArray<A>): A =>
  allowed.find((one) => one === value) ?? refuse(`--${option} must be one of ${allowed.join(", ")}.`)

const usage = `Usage: pnpm bench [ROW...] [--rounds N] [--disk ${disks.join("|")}] [--size ${sizes.join("|")}] [--write]
       pnpm bench --list
       pnpm bench --render
packages/bench/README.md describes the options.`

const parseCommandLine = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: "5" },
        disk: { type: "string" },
        size: { type: "string", default: "small" },
        write: { type: "boolean", default: false },
        render: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        help: { type: "boolean", default: false, short: "h" }
      }
    })
  } catch (cause) {
    return refuse(`${(cause as Error).message}\n${usage}`)
  }
}

const { values, positionals } = parseCommandLine()

const size: Size = oneOf("size", values.size, sizes)
const chosenDisks: ReadonlyArray<Disk> = values.disk === undefined ? disks : [oneOf("disk", values.disk, disks)]
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) refuse("--rounds must be a whole number from 1.")
const chosenRows: ReadonlyArray<Row> =
  positionals.length === 0
    ? rows
    : positionals.map((name) => rowNamed(name) ?? refuse(`There is no row "${name}". --list names the rows.`))

const existingResults = (): ReadonlyArray<RowResult> =>
  existsSync(jsonFile) ? (JSON.parse(readFileSync(jsonFile, "utf8")) as ReadonlyArray<RowResult>) : []

/** Writes the page and the plots from the recorded results. */
const render = (): void => {
  const results = existingResults()
  for (const row of rows) {
    const own = results.filter((result) => result.row === row.name)
    if (own.length > 0) writeFileSync(docs(plotFile(row)), plotOf(row, own))
  }
  writeFileSync(pageFile, withFigures(readFileSync(pageFile, "utf8"), figuresPart(rows, results)))
  execFileSync("oxfmt", [pageFile], { stdio: "ignore" })
  console.log("wrote docs/performance.md and its plots")
}

/** Records results at once, so that a run that is interrupted keeps the rows that it has finished. */
const record = (result: RowResult): void => {
  const merged = mergeResults(
    existingResults(),
    [result],
    rows.map(({ name }) => name)
  )
  writeFileSync(jsonFile, `${JSON.stringify(merged, null, 2)}\n`)
}

const print = ({ metrics }: Row, { disk, sides }: RowResult): void => {
  for (const { name: metric, unit } of metrics) {
    const texts = sides.map(({ name, figures, ratios }) => {
      const ratio = ratios?.[metric]
      return `${name} ${figures[metric]?.median ?? "-"}${ratio === undefined ? "" : ` (ratio ${ratio})`}`
    })
    console.log(`  ${disk.padEnd(6)} ${`${metric}, ${unit}`.padEnd(30)} ${texts.join("   ")}`)
  }
}

// Ends the round under way too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const runAll = async (): Promise<void> => {
  console.log(machineText(machine()))
  for (const row of chosenRows) {
    console.log(row.title)
    for (const disk of chosenDisks.filter((one) => (row.disks ?? usualDisks).includes(one))) {
      if (disk !== "as-is" && !canDelaySyncs()) {
        console.error(`SKIPPED: ${row.name} with slower syncs: strace is missing. On Debian: apt-get install strace`)
        continue
      }
      const sides = await runRow(row, { disk, size, rounds }).catch((cause: unknown) => {
        console.error(`FAILED: ${row.name}, ${disk}: ${cause instanceof Error ? cause.message : String(cause)}`)
        process.exitCode = 1
        return undefined
      })
      if (sides === undefined) continue
      const result = toResult(row, { disk, size }, sides)
      print(row, result)
      if (values.write) record(result)
    }
  }
  removeRowFolders()
}

if (values.help) console.log(usage)
else if (values.list) for (const { name, title } of rows) console.log(`${name.padEnd(16)} ${title}`)
else if (values.render) render()
else {
  await runAll()
  if (values.write) render()
}
