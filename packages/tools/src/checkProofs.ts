/**
 * Checks that each cited test and law passed in the last run of the suite. Reads the report of that run; see `testReport.ts`.
 * Run the whole suite first: a test that is not in the report proves nothing.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { lastTestRun } from "./lastTestRun.ts"
import { clarifications } from "./spec/clarifications.ts"
import { invariants } from "./spec/invariants.ts"
import type { Proof } from "./spec/Statement.ts"
import { statements } from "./spec/statements.ts"
import type { ReportedTest, TestReport } from "./testReport.ts"
import { digestOf, testFiles, variantFiles } from "./testReport.ts"
import { files, read, root } from "./workspace.ts"

/** The placeholders of a title of `it.each`: `%s`, `$name`. */
const placeholder = /%[sdifjoOc#$]|\$[\w.]+/

/** Whether a test is one of the tests that a cited title names. */
const hasTitle = (title: string): ((test: ReportedTest) => boolean) => {
  if (!placeholder.test(title)) return (test) => test.title === title
  const parts = title
    .split(placeholder)
    .map((part) => part.replaceAll("%%", "%").replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"))
  const pattern = new RegExp(`^${parts.join("[\\s\\S]*")}$`)
  return (test) => test.filledIn && pattern.test(test.title)
}

/** What is wrong with a test as a proof, or `undefined` when it passed with an assertion. */
const defectOf = ({ state, assertions }: ReportedTest): string | undefined => {
  switch (state) {
    case "passed":
      return assertions === 0 ? "made no assertion" : undefined
    case "unexpected":
      return "passes only because its body fails"
    case "todo":
      return "is still to be written"
    case "pending":
      return "did not end"
    default:
      return state === "failed" ? "failed" : "was skipped"
  }
}

const defectsOf = (tests: ReadonlyArray<ReportedTest>): ReadonlyArray<string> => [
  ...new Set(
    tests.flatMap((test) => {
      const defect = defectOf(test)
      return defect === undefined ? [] : [`"${test.fullTitle}" ${defect}`]
    })
  )
]

const testDefects = ({ file, title }: Proof, report: TestReport, contentOf: (file: string) => string) => {
  const ran = report[file]
  if (ran === undefined) return [`${file} is not in the report of the last run; run the whole suite`]
  if (ran.digest !== digestOf(contentOf(file))) return [`${file} changed after its tests ran; run the suite again`]
  const named = ran.tests.filter(hasTitle(title))
  return named.length === 0 ? [`no test "${title}" ran in ${file}`] : defectsOf(named)
}

/** Each adapter's tests run the law. It applies to at least one adapter, and the kit's tests detect an adapter that breaks it. */
const lawDefects = ({ title }: Proof, report: TestReport): ReadonlyArray<string> => {
  const all = Object.values(report).flatMap(({ tests }) => tests)
  const runs = all.filter(
    ({ fullTitle, title: own }) => own.startsWith(`${title}: `) && /holds the laws of/.test(fullTitle)
  )
  const mutants = all.filter((test) => test.filledIn && test.title === `catches the mutant of ${title}`)
  return [
    ...(runs.some(({ notes }) => notes.length === 0) ? [] : [`no adapter's test ran the law ${title}`]),
    ...(mutants.length === 0 ? [`no test caught an adapter that breaks the law ${title}`] : []),
    ...defectsOf([...runs, ...mutants])
  ]
}

/** The fault runs of CI: the words of its loop, and those with a step of their own. */
const faultRunsOfCi = (ci: string): ReadonlySet<string> =>
  new Set([
    ...[...ci.matchAll(/^for fault in ([^;\n]*)/gm)].flatMap(([, words]) => words!.trim().split(/\s+/)),
    ...[...ci.matchAll(/^step .*"fault: ([\w-]+)"/gm)].map(([, name]) => name!)
  ])

/** CI runs each fault run after the suite, and it fails by itself. Here: the run exists, CI runs it, and its failures have the cited label. */
const faultRunDefects = (
  { file, title, command }: Proof,
  contentOf: (file: string) => string
): ReadonlyArray<string> => [
  ...(contentOf(file).includes(`"${title}"`) ? [] : [`${file} counts no "${title}"`]),
  ...(command !== undefined && faultRunsOfCi(contentOf(".ci/run")).has(command)
    ? []
    : [`.ci/run does not run the fault test ${command}`])
]

const lintRuleDefects = ({ file, title }: Proof, contentOf: (file: string) => string): ReadonlyArray<string> =>
  contentOf(file).includes(JSON.stringify(title)) ? [] : [`${file} has no rule with the message "${title}"`]

/** The content of a file, empty for a file that does not exist. */
const currentContent = (file: string): string => (existsSync(join(root, file)) ? read(file) : "")

/** Why a proof does not hold. Empty when it holds. */
export const proofDefects = (
  proof: Proof,
  report: TestReport,
  contentOf: (file: string) => string = currentContent
): ReadonlyArray<string> => {
  switch (proof.kind) {
    case "test":
      return testDefects(proof, report, contentOf)
    case "law":
      return lawDefects(proof, report)
    case "faultRun":
      return faultRunDefects(proof, contentOf)
    case "lintRule":
      return lintRuleDefects(proof, contentOf)
  }
}

/** A row of a table: a statement, a clarification or an invariant. */
interface Row {
  readonly id: string
  readonly proofs: ReadonlyArray<Proof>
}

/** The rows whose proofs do not hold, one line for each defect. */
export const unprovedRows = (
  rows: ReadonlyArray<Row>,
  report: TestReport,
  contentOf: (file: string) => string = currentContent
): ReadonlyArray<string> =>
  rows.flatMap(({ id, proofs }) =>
    proofs.flatMap((proof) => proofDefects(proof, report, contentOf).map((defect) => `${id}: ${defect}`))
  )

/** The test files that the last run left out, so a partial run is named as such. `pnpm test` leaves out the store variants. */
const missingFiles = (report: TestReport): ReadonlyArray<string> => {
  const variants = new Set(files(variantFiles))
  return files(testFiles).filter((file) => report[file] === undefined && !variants.has(file))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = lastTestRun()
  const rows = [...statements, ...clarifications, ...invariants]
  const missing = missingFiles(report)
  if (missing.length > 0)
    console.error(`The report lacks ${missing.length} test files: the last run was partial. Run: pnpm test`)
  const defects = unprovedRows(rows, report)
  for (const defect of defects) console.error(defect)
  const proofs = rows.reduce((sum, row) => sum + row.proofs.length, 0)
  console.log(`proofs: ${rows.length} rows, ${proofs} proofs, ${defects.length} defects`)
  process.exitCode = defects.length > 0 ? 1 : 0
}
