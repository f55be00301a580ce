/**
 * The report of the last run of the suite in this repository.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Verdict } from "@mailkeep/conformance"
import { verdicts } from "@mailkeep/conformance"
import type { ReportedTest, TestReport } from "./testReport.ts"
import { reportFile } from "./testReport.ts"
import { read, root } from "./workspace.ts"

/** Empty before the first run. */
export const lastTestRun = (): TestReport =>
  existsSync(join(root, reportFile)) ? (JSON.parse(read(reportFile)) as TestReport) : {}

/** The verdict of the test of a law. Throws if the run has no such test, or if it did not pass. */
export const testedVerdict = (
  tests: ReadonlyArray<ReportedTest>,
  adapter: string,
  port: string,
  law: string
): Verdict => {
  const suite = `${adapter} holds the laws of the ${port}`
  const test = tests.find(
    ({ fullTitle, title }) => fullTitle.split(" > ").includes(suite) && title.startsWith(`${law}: `)
  )
  if (test?.state !== "passed") throw new Error(`No test of the last run says that ${suite}: ${law}`)
  return verdicts.find((verdict) => test.notes.some((note) => note.startsWith(`${verdict}: `))) ?? "held"
}
