import { afterEach, describe, expect, it, vi } from "vitest"
import { ended, printed, unlessMissing } from "../src/FaultRun.ts"

const passed = () => Promise.resolve({ counts: { kills: 3 }, failures: [] })

afterEach(() => void vi.unstubAllEnvs())

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
