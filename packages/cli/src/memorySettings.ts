/**
 * Starts a server again with settings under which it gives memory back. glibc and V8 read them when a process starts, so a running one
 * cannot set them. Source: `docs/guides/operations.md`.
 */

/**
 * glibc: one arena, and blocks from 16 KiB on pages of their own, which go back to the system when they are freed. With its defaults a burst
 * of request bodies leaves the server at twice the memory that it uses.
 */
const allocator = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: String(16 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 * 1024)
}

/** V8: a young generation of 12 MB in place of up to 96 MB. */
const heap = "--max-semi-space-size=4"

const serverCommands: ReadonlySet<string | undefined> = new Set(["serve", "start"])

type Command = Pick<NodeJS.Process, "platform" | "argv" | "execPath" | "execArgv" | "env" | "connected" | "execve">

/** Replaces the process by one with the same id; returns where that cannot be or need not be done. */
export const restartWithMemorySettings = (command: Command): void => {
  const { platform, argv, execPath, execArgv, env, connected, execve } = command
  if (platform !== "linux" || execve === undefined || connected || !serverCommands.has(argv[2])) return
  // Set by the operator, or by this function.
  if (env["MALLOC_ARENA_MAX"] !== undefined) return
  execve.call(process, execPath, [execPath, heap, ...execArgv, ...argv.slice(1)], { ...env, ...allocator })
}
