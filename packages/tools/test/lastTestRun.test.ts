import { expect, it } from "vitest"
import { testedVerdict } from "../src/lastTestRun.ts"
import type { ReportedTest } from "../src/testReport.ts"

const testOf = (suite: string, title: string, rest: Partial<ReportedTest> = {}): ReportedTest => ({
  fullTitle: `${suite} > ${title}`,
  title,
  filledIn: false,
  state: "passed",
  assertions: 1,
  notes: [],
  ...rest
})

const suite = "sqlite holds the laws of the store"

const tests = [
  testOf(`the store > ${suite}`, "commit/a: holds"),
  testOf(suite, "commit/b: does not apply", { notes: ["not applicable: needs durable: true"] }),
  testOf(suite, "commit/c: fails", { state: "failed" }),
  testOf(suite, "commit/d: was left out", { state: "skipped" })
]

it("takes the verdict on a law from the test of the adapter", () => {
  expect(testedVerdict(tests, "sqlite", "store", "commit/a")).toBe("held")
  expect(testedVerdict(tests, "sqlite", "store", "commit/b")).toBe("not applicable")
})

it.each([
  ["failed", "sqlite", "commit/c"],
  ["was skipped", "sqlite", "commit/d"],
  ["is missing", "sqlite", "commit/e"],
  ["is of another adapter", "lite", "commit/a"]
])("gives no verdict when the test %s", (_, adapter, law) => {
  expect(() => testedVerdict(tests, adapter, "store", law)).toThrow(`${adapter} holds the laws of the store: ${law}`)
})
