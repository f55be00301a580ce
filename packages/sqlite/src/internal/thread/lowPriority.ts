/**
 * Gives the processor to the other threads of the process first. On Linux each thread has a priority of its own; elsewhere nothing changes.
 */
import { readlinkSync } from "node:fs"
import { constants, setPriority } from "node:os"

/** The link `/proc/thread-self` of Linux names the thread that reads it, such as `4711/task/4712`. */
const threadId = (): number | undefined => {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1))
  } catch {
    return undefined
  }
}

/** Lowers the priority of the thread that calls this. */
export const takeLowPriority = (): void => {
  const id = threadId()
  if (id !== undefined) setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL)
}
