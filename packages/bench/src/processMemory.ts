/**
 * The memory of a process.
 */
import { readFileSync } from "node:fs"

/** The resident set of a process in MB: now (`VmRSS`), or at its peak (`VmHWM`). */
export const megabytesOf = (pid: number, which: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024
