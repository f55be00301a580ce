/**
 * Runs that follow or change the system calls of a program.
 */
import { spawnSync } from "node:child_process"
import type { FaultRun } from "../FaultRun.ts"
import { unlessMissing } from "../FaultRun.ts"

/** Does the run, or skips it when the machine lacks strace. */
export const withStrace = (run: () => Promise<FaultRun>): Promise<FaultRun> =>
  unlessMissing(
    "This run follows system calls",
    spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0 ? [] : ["strace"],
    run
  )
