/**
 * Compiles and runs every TypeScript example of a README, a page or a doc comment. With the beginning of a path, only the examples there.
 * An example must compile under the options of the repository, end with the exit code 0, and print what its page or its comments state.
 */
import { allExamples, formComplaints } from "./examplesInText.ts"
import { compileComplaints, inExampleFolder, runExamples, writeExamples } from "./examplesRun.ts"

const only = process.argv[2] ?? ""
const examples = allExamples().filter(({ file }) => file.startsWith(only))

const complaints = await inExampleFolder(async (folder) => {
  writeExamples(folder, examples)
  const before = [...examples.flatMap(formComplaints), ...compileComplaints(folder, examples)]
  return [...before, ...(await runExamples(folder, examples, 2))]
})

for (const complaint of complaints) console.error(complaint)
const notRun = examples.filter(({ notRunBecause }) => notRunBecause !== undefined).length
console.log(`examples: ${examples.length} compiled, ${examples.length - notRun} run, ${complaints.length} complaints`)
process.exitCode = complaints.length > 0 ? 1 : 0
