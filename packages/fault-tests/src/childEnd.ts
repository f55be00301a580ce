/**
 * The end of a child process of a fault test.
 */
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"

/** Whether the child has ended, by itself or by a signal. A child that a signal has ended has no exit code. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Sends a signal to the child, and waits for its end. Does nothing for a child that has ended. */
export const endChild = async (child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
  if (hasEnded(child)) return
  const ended = once(child, "exit")
  child.kill(signal)
  await ended
}
