import { afterEach, describe, expect, it, vi } from "vitest"
import { ended, printed, unlessMissing } from "../src/FaultRun.ts"

const passed = () => Promise.resolve({ counts: { kills: 3 }, failures: [] })

afterEach(() => void vi.unstubAllEnvs())

describe("printed", () => {
  it("shows a run without a failure as passed, with its counts and its report", () => {
    expect(printed("kill", 61.4, { counts: { kills: 3000 }, failures: [], report: ["slowest: 2 s"] })).toBe(
      "passed  kill  (61 s)\n        3,000 kills\n        slowest: 2 s"
    )
  })

  it("shows a run with one failure as failed, with the failure", () => {
    expect(printed("kill", 1, { counts: {}, failures: ["lost"] })).toBe("FAILED  kill  (1 s)\n        FAILED: lost")
  })

  it("shows the first 20 failures, and the number of the others", () => {
    const failures = Array.from({ length: 23 }, (_, n) => `failure ${n}`)
    expect(printed("kill", 1, { counts: {}, failures }).split("\n")).toEqual([
      "FAILED  kill  (1 s)",
      ...failures.slice(0, 20).map((failure) => `        FAILED: ${failure}`),
      "        … and 3 more"
    ])
  })
})

describe("unlessMissing", () => {
  it("does a run whose programs are installed", async () => {
    expect(await unlessMissing("This run traces a program", [], passed)).toEqual({ counts: { kills: 3 }, failures: [] })
  })

  it("skips a run whose program is missing, and says which", async () => {
    vi.stubEnv("CI", undefined)
    const run = await unlessMissing("This run traces a program", ["strace"], passed)
    expect(printed("power", 0, run)).toBe(
      "SKIPPED  power  (0 s)\n        This run traces a program, and this machine lacks: strace."
    )
  })

  it("fails a run whose program is missing with CI=true", async () => {
    vi.stubEnv("CI", "true")
    const { failures } = await unlessMissing("This run traces a program", ["strace"], passed)
    expect(failures).toEqual(["This run traces a program, and this machine lacks: strace."])
  })
})

describe("ended", () => {
  it("returns the result of a run", async () => {
    expect(await ended(passed)).toEqual({ counts: { kills: 3 }, failures: [] })
  })

  it("reports a run that throws as a failure with its stack, so that the next run can start", async () => {
    const { failures } = await ended(() => Promise.reject(new TypeError("The port is not free.")))
    expect(failures).toEqual([expect.stringMatching(/^The run ended with TypeError: The port is not free\.\n +at /)])
  })
})
