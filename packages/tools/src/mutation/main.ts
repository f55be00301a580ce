/**
 * Mutation test of the store laws: changes the sources of the stores one place at a time, and checks that a law catches each change.
 *
 * `node packages/tools/src/mutation/main.ts [--package memory|reference|sqlite|postgres] [--only N,N] [--file TEXT] [--sample N] [--seed S] [--jobs N]
 * [--quick] [--list] [--json FILE] [--again FILE]`
 */
import { hash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { explained } from "./equivalentMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { readMutantOptions } from "./mutantOptions.ts"
import type { Result } from "./runMutants.ts"
import { runMutants } from "./runMutants.ts"
import type { Subject, SubjectName } from "./subjects.ts"
import { listMutants, subjects } from "./subjects.ts"

/** The least share of the mutants that are not equivalent, which the laws must catch. */
const caughtPercentMin = 92

const options = readMutantOptions(process.argv.slice(2))

const reasons = new Map(explained.map((one) => [one.key, one]))

/**
 * Chooses mutants that a law must catch: one with an explanation survives every law, so it takes the longest and shows the least. Chooses by their keys, so
 * that a change of a source chooses other mutants only where the source changed.
 */
const sampleOf = (mutants: ReadonlyArray<Mutant>, count: number, seed: string): ReadonlyArray<Mutant> =>
  mutants
    .filter(({ key }) => !reasons.has(key))
    .map((mutant) => ({ mutant, mark: hash("sha256", `${seed} ${mutant.key}`) }))
    .toSorted((a, b) => (a.mark < b.mark ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => a.number - b.number)

const isSubject = (name: string): name is SubjectName => name in subjects
const names = (options.package ?? Object.keys(subjects)).filter(isSubject)
if (names.length !== (options.package ?? names).length)
  throw new Error(`--package is one of ${Object.keys(subjects).join(", ")}`)

const isWhole = [options.only, options.file, options.sample, options.again].every((option) => option === undefined)

const earlier: ReadonlySet<string> | undefined =
  options.again === undefined
    ? undefined
    : new Set(
        (JSON.parse(readFileSync(options.again, "utf8")) as ReadonlyArray<Result>).flatMap(({ verdict, mutant }) =>
          verdict === "survived" ? [mutant.key] : []
        )
      )

/** With `--package`, the whole sample is of that store. */
const shareOf = (name: SubjectName): number => {
  const { sampleShare = 1 }: Subject = subjects[name]
  return options.package === undefined ? sampleShare : 1
}

const selected = (all: ReadonlyArray<Mutant>, name: SubjectName): ReadonlyArray<Mutant> => {
  const some = all.filter(
    ({ number, key, file }) =>
      (options.only?.includes(number) ?? true) && (earlier?.has(key) ?? true) && file.includes(options.file ?? "")
  )
  return options.sample === undefined ? some : sampleOf(some, options.sample * shareOf(name), options.seed)
}

const describe = ({ number, file, line, operator, before, after }: Mutant): string =>
  `${number} ${file}:${line} ${operator}\n    ${before}\n    ${after}`

const complaints: Array<string> = []
const results: Array<Result> = []
const keys = new Set<string>()
let chosen = 0

for (const name of names) {
  const all = listMutants(name)
  for (const { key } of all) keys.add(key)
  const mutants = selected(all, name)
  chosen += mutants.length
  if (options.list) {
    for (const mutant of mutants) console.log(describe(mutant))
    continue
  }
  console.log(`${name}: ${mutants.length} of ${all.length} mutants`)
  const found = await runMutants(name, mutants, {
    jobs: options.jobs,
    isQuick: options.quick,
    checksSlow: !options.quick && options.sample === undefined,
    onResult: ({ verdict, mutant }) => {
      if (verdict === "survived" && !reasons.has(mutant.key)) console.log(`survived: ${describe(mutant)}`)
    }
  })
  results.push(...found)
  const count = (verdict: Result["verdict"]) => found.filter((one) => one.verdict === verdict).length
  const equivalent = found.filter(
    ({ verdict, mutant }) => verdict === "survived" && reasons.get(mutant.key)?.kind === "equivalent"
  ).length
  const percent = (100 * count("caught")) / Math.max(1, count("caught") + count("survived") - equivalent)
  console.log(
    `${name}: ${count("caught")} caught, ${count("survived")} survived (${equivalent} equivalent), ${count("invalid")} invalid: ${percent.toFixed(1)} %`
  )
  if (options.sample === undefined && percent < caughtPercentMin)
    complaints.push(`${name}: the laws catch less than ${caughtPercentMin} %`)
}

for (const { verdict, mutant, by } of results) {
  if (verdict === "survived" && !reasons.has(mutant.key))
    complaints.push(`survived without an explanation: ${mutant.key}`)
  if (verdict !== "survived" && reasons.has(mutant.key))
    complaints.push(`explained, but ${verdict} (${by}): ${mutant.key}`)
}
if (chosen === 0 && options.again === undefined) complaints.push("The options choose no mutant.")
if (isWhole && options.package === undefined)
  for (const key of reasons.keys())
    if (!keys.has(key)) complaints.push(`explained, but there is no such mutant: ${key}`)

if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1))
for (const complaint of complaints) console.error(complaint)
if (!options.list) console.log(`mutants: ${complaints.length} complaints`)
process.exitCode = complaints.length > 0 ? 1 : 0
