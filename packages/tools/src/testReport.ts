/**
 * Writes the report of a test run, which the check of the proofs reads. The report has each test with its state and the number of its
 * assertions, and the digest of each test file.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { Reporter, TestCase, TestModule, Vite } from "vitest/node"

/** `unexpected` is a test that passes because its body fails: `it.fails`. */
type TestState = "passed" | "failed" | "skipped" | "todo" | "pending" | "unexpected"

export interface ReportedTest {
  /** The titles of the enclosing `describe` blocks and of the test. */
  readonly fullTitle: string
  readonly title: string
  /** The title was filled in from a row of `it.each`. */
  readonly filledIn: boolean
  readonly state: TestState
  readonly assertions: number
  /** The annotations of the test, for example the reason why a law does not apply to an adapter. */
  readonly notes: ReadonlyArray<string>
}

interface ReportedFile {
  /** The digest of the test file when its tests ran. */
  readonly digest: string
  readonly tests: ReadonlyArray<ReportedTest>
}

/** The test files of one run, by their path from the root of the repository. */
export type TestReport = Readonly<Record<string, ReportedFile>>

/** The test files of the suite. */
export const testFiles = "packages/*/test/**/*.test.ts"

/** Those with the laws of the other ways to open a store, which `pnpm test:variants` runs. */
export const variantFiles = "packages/*/test/**/*.conformance.test.ts"

/** Git ignores this file. Each run replaces it. */
export const reportFile = "node_modules/.cache/mailkeep/test-report.json"

export const digestOf = (content: string): string => createHash("sha256").update(content).digest("hex")

declare module "vitest" {
  interface TaskMeta {
    /** The number of assertions of the test; set by `countAssertions.ts`. */
    assertions?: number
  }
}

const stateOf = (test: TestCase): TestState => {
  const { state } = test.result()
  if (state === "skipped") return test.options.mode === "todo" ? "todo" : "skipped"
  return state === "passed" && test.options.fails === true ? "unexpected" : state
}

const reportedTest = (test: TestCase): ReportedTest => ({
  fullTitle: test.fullName,
  title: test.name,
  filledIn: test.options.each === true,
  state: stateOf(test),
  assertions: test.meta().assertions ?? 0,
  notes: test.annotations().map(({ message }) => message)
})

const reportedFile = (module: TestModule): ReportedFile => ({
  digest: digestOf(readFileSync(module.moduleId, "utf8")),
  tests: [...module.children.allTests()].map(reportedTest)
})

const reporter = (root: string, file: string): Reporter => ({
  onTestRunEnd: (modules) => {
    const report: TestReport = Object.fromEntries(
      modules.map((module) => [relative(root, module.moduleId).replaceAll("\\", "/"), reportedFile(module)])
    )
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(report))
  }
})

/** The option `setupFiles` of the run: counts the assertions of each test. Its projects inherit this option, but no option from a plugin. */
export const setupFiles: ReadonlyArray<string> = [fileURLToPath(new URL("./countAssertions.ts", import.meta.url))]

/**
 * A plugin of vitest that writes the report. A plugin and not a configured reporter, because the flag `--reporter` replaces the configured
 * reporters.
 */
export const testReport = (root: string, file: string = join(root, reportFile)): Vite.Plugin => ({
  name: "mailkeep:test-report",
  configureVitest: ({ vitest }) => {
    vitest.config.reporters.push(reporter(root, file))
  }
})
