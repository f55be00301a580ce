/**
 * Runs vitest on a small test file and checks which of its tests count as proofs.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { proofDefects, unprovedRows } from "../src/checkProofs.ts"
import { lintRule } from "../src/spec/faultProofs.ts"
import type { Proof } from "../src/spec/Statement.ts"
import type { ReportedTest, TestReport } from "../src/testReport.ts"
import { digestOf } from "../src/testReport.ts"
import { root } from "../src/workspace.ts"

const suite = `
import { describe, expect, it } from "vitest"
describe("sending", () => {
  it("sends a message", () => expect(1).toBe(1))
  it("sends a message that was emptied", () => {})
  it.skip("sends a message that is skipped", () => expect(1).toBe(1))
  it("sends a message where it is possible", (context) => context.skip())
  it.todo("sends a message that is to do")
  it("sends a message that fails", () => expect(1).toBe(2))
  it.fails("sends a message that is expected to fail", () => expect(1).toBe(2))
  it("sends a message under its new title", () => expect(1).toBe(1))
  it.each([["ada"], ["bob"]])("greets %s by name", (name) => expect(name).toHaveLength(3))
  it.each([["eve"], ["mallory"]])("greets %s by a short name", (name) => expect(name).toHaveLength(3))
  it("greets everybody by hand", () => expect(1).toBe(1))
})
`

/** The same set-up as the suite. Tests without an assertion may pass, so that the report itself has to show them. */
const configOf = (folder: string) => `
import { defineConfig } from "vitest/config"
import { setupFiles, testReport } from "../src/testReport.ts"
export default defineConfig({
  root: ${JSON.stringify(folder)},
  plugins: [testReport(${JSON.stringify(root)}, ${JSON.stringify(join(folder, "report.json"))})],
  test: {
    setupFiles: [...setupFiles],
    maxWorkers: 1,
    projects: [{ extends: true, test: { name: "shared process", include: ["*.test.ts"], isolate: false } }]
  }
})
`

describe("the report of a run", () => {
  let folder: string
  let file: string
  let report: TestReport

  beforeAll(() => {
    folder = mkdtempSync(join(root, "packages/tools/.example-"))
    file = relative(root, join(folder, "sending.test.ts"))
    writeFileSync(join(folder, "sending.test.ts"), suite)
    writeFileSync(join(folder, "sendingAgain.test.ts"), suite)
    writeFileSync(join(folder, "other.test.ts"), suite)
    writeFileSync(join(folder, "vitest.config.ts"), configOf(folder))
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    // The flag `--reporter` replaces configured reporters, as in CI; the report is written all the same.
    const options = ["run", "--config", join(folder, "vitest.config.ts"), "--reporter=json", "sending"]
    spawnSync(process.execPath, [vitest, ...options], { cwd: folder, stdio: "ignore" })
    report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as TestReport
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const defects = (title: string) => proofDefects({ kind: "test", file, title }, report)

  it("keeps a row green when its test passed", () => {
    expect(defects("sends a message")).toEqual([])
    expect(unprovedRows([{ id: "S1.1", proofs: [{ kind: "test", file, title: "sends a message" }] }], report)).toEqual(
      []
    )
  })

  it.each([
    ["made no assertion", "sends a message that was emptied"],
    ["was skipped", "sends a message that is skipped"],
    ["was skipped", "sends a message where it is possible"],
    ["is still to be written", "sends a message that is to do"],
    ["failed", "sends a message that fails"],
    ["passes only because its body fails", "sends a message that is expected to fail"]
  ])("turns a row red when its test %s: %s", (defect, title) => {
    expect(unprovedRows([{ id: "S1.1", proofs: [{ kind: "test", file, title }] }], report)).toEqual([
      `S1.1: "sending > ${title}" ${defect}`
    ])
  })

  it("counts the assertions of each file of a shared process", () => {
    const again = report[file.replace("sending", "sendingAgain")]!
    expect(again.tests).toEqual(report[file]!.tests)
  })

  it("turns a row red when its test was renamed", () => {
    expect(defects("sends a message under its old title")).toEqual([
      `no test "sends a message under its old title" ran in ${file}`
    ])
  })

  it("requires every row of a table of tests, and takes no other test for one of them", () => {
    expect(defects("greets %s by name")).toEqual([])
    expect(defects("greets %s by a short name")).toEqual(['"sending > greets mallory by a short name" failed'])
    expect(defects("greets %s by hand")).toHaveLength(1)
  })

  it("turns a row red when its file did not run", () => {
    const other = file.replace("sending", "other")
    expect(proofDefects({ kind: "test", file: other, title: "sends a message" }, report)).toEqual([
      `${other} is not in the report of the last run; run the whole suite`
    ])
  })

  it("turns a row red when its file changed after the run", () => {
    const emptied = suite.replace("expect(1).toBe(1)", "{}")
    expect(proofDefects({ kind: "test", file, title: "sends a message" }, report, () => emptied)).toEqual([
      `${file} changed after its tests ran; run the suite again`
    ])
  })
})

describe("proofDefects", () => {
  const law: Proof = { kind: "law", file: "packages/conformance/src/store/claims.ts", title: "claim/one" }
  const run = (adapter: string, change: Partial<ReportedTest> = {}): ReportedTest => ({
    fullTitle: `${adapter} holds the laws of the store > claim/one: One claims.`,
    title: "claim/one: One claims.",
    filledIn: false,
    state: "passed",
    assertions: 1,
    notes: [],
    ...change
  })
  const mutant = run("the kit", { title: "catches the mutant of claim/one", filledIn: true })
  const reportOf = (...tests: ReadonlyArray<ReportedTest>): TestReport => ({
    "a.test.ts": { digest: digestOf(""), tests }
  })

  it("allows a law that every adapter holds and that a mutant breaks", () => {
    expect(proofDefects(law, reportOf(run("memory"), run("sqlite"), mutant))).toEqual([])
    expect(proofDefects(law, reportOf(run("memory", { notes: ["not applicable"] }), run("sqlite"), mutant))).toEqual([])
  })

  it.each([
    ["no adapter ran it", [mutant]],
    ["it applies to no adapter", [run("memory", { notes: ["not applicable: needs durable"] }), mutant]],
    ["an adapter broke it", [run("memory"), run("sqlite", { state: "failed" }), mutant]],
    ["no mutant breaks it", [run("memory")]],
    ["its mutant was not caught", [run("memory"), { ...mutant, state: "failed" as const }]]
  ])("refuses a law when %s", (_, tests) => {
    expect(proofDefects(law, reportOf(...tests))).toHaveLength(1)
  })

  it("refuses a fault run that CI does not run, or that does not count its label", () => {
    const kill: Proof = { kind: "faultRun", file: "kill.ts", title: "lost", command: "kill" }
    const contentOf = (ci: string, source: string) => (file: string) => (file === ".ci/run" ? ci : source)
    expect(proofDefects(kill, {}, contentOf("for fault in kill power; do", '{ "lost": 1 }'))).toEqual([])
    expect(proofDefects(kill, {}, contentOf('step --alone "fault: kill" faults kill', '{ "lost": 1 }'))).toEqual([])
    expect(proofDefects(kill, {}, contentOf("for fault in power; do", '{ "lost": 1 }'))).toHaveLength(1)
    expect(proofDefects(kill, {}, contentOf("for fault in relay-kill power; do", '{ "lost": 1 }'))).toHaveLength(1)
    expect(proofDefects(kill, {}, contentOf('step "fault: kill"\n', '{ "lost": 1 }'))).toHaveLength(0)
    expect(proofDefects(kill, {}, contentOf("for fault in kill; do", '{ "doubled": 1 }'))).toHaveLength(1)
  })

  it("refuses a lint rule that the configuration does not have", () => {
    expect(
      proofDefects(lintRule("Time is Effect's Clock."), {}, () => '"message": "Time is Effect\'s Clock."')
    ).toEqual([])
    expect(proofDefects(lintRule("Time is Effect's Clock."), {}, () => "{}")).toHaveLength(1)
  })
})
