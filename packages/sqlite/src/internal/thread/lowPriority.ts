/**
 * Gives the processor to the other threads of the process first. On Linux each thread has a priority of its own; elsewhere nothing changes.
 */
import { readlinkSync } from "node:fs"
import { constants, getPriority, setPriority } from "node:os"

/** A larger number is a lower priority. */
const low = constants.priority.PRIORITY_BELOW_NORMAL

/** The link `/proc/thread-self` of Linux names the thread that reads it, such as `4711/task/4712`. */
const threadId = (): number | undefined => {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1))
  } catch {
    return undefined
  }
}

/**
 * Lowers the priority of the thread that calls this. Leaves a priority that is lower already, as in a process that `nice -n 15` has started: the
 * system lets only an administrator raise it.
 */
export const takeLowPriority = (): void => {
  const id = threadId()
  try {
    if (id !== undefined && getPriority(id) < low) setPriority(id, low)
  } catch {
    // A sandbox can refuse the call, as a service of systemd with `SystemCallFilter=~@resources` does. The refusal must not end the thread.
  }
}
