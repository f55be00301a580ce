/**
 * Compiles and runs every TypeScript example of a README, a page or a doc comment. With the beginning of a path, only the examples there.
 * An example must compile under the options of the repository, end with the exit code 0, and print what its page or its comments state.
 * With `--unless-packed`, does not run the examples that `pnpm packed` runs.
 */
import { parseArgs } from "node:util"
import { allExamples, formComplaints } from "./examplesInText.ts"
import { groupPageExamples } from "./packed/packedPlan.ts"
import { publishedPackages } from "./releasePackages.ts"
import { compileComplaints, inExampleFolder, runExamples, writeExamples } from "./examplesRun.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "unless-packed": { type: "boolean", default: false } }
})
const [only = ""] = positionals
const found = allExamples().filter(({ file }) => file.startsWith(only))
const { withoutEffect, withEffect } = groupPageExamples(found, publishedPackages())
const runElsewhere = new Set(values["unless-packed"] ? [...withoutEffect, ...withEffect] : [])
const examples = found.map((example) =>
  runElsewhere.has(example) ? { ...example, notRunBecause: "pnpm packed runs it" } : example
)

const complaints = await inExampleFolder(async (folder) => {
  writeExamples(folder, examples)
  const before = [...examples.flatMap(formComplaints), ...compileComplaints(folder, examples)]
  return [...before, ...(await runExamples(folder, examples, 2))]
})

for (const complaint of complaints) console.error(complaint)
const notRun = examples.filter(({ notRunBecause }) => notRunBecause !== undefined).length
console.log(`examples: ${examples.length} compiled, ${examples.length - notRun} run, ${complaints.length} complaints`)
process.exitCode = complaints.length > 0 ? 1 : 0
