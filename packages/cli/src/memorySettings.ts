/**
 * Restarts a server with settings under which it frees memory. glibc and V8 read these settings when a process starts, so a running process
 * cannot change them. Source: `docs/guides/operations.md`.
 */

/**
 * glibc: one arena, and separate pages for blocks of 16 KiB and more, so that the system gets them back when they are freed. With the
 * default settings, a burst of request bodies leaves the server with twice the memory that it uses.
 */
const allocator = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: String(16 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 * 1024)
}

/** V8: a young generation of 6 MB instead of up to 96 MB. */
const heap = "--max-semi-space-size=2"

const serverCommands: ReadonlySet<string | undefined> = new Set(["serve", "start"])

type Command = Pick<NodeJS.Process, "platform" | "argv" | "execPath" | "execArgv" | "env" | "connected" | "execve">

/** Replaces the process by one with the same id. Returns if that is impossible or unnecessary. */
export const restartWithMemorySettings = (command: Command): void => {
  const { platform, argv, execPath, execArgv, env, connected } = command
  if (platform !== "linux" || command.execve === undefined || connected || !serverCommands.has(argv[2])) return
  // The operator or an earlier call of this function has set them.
  if (env["MALLOC_ARENA_MAX"] !== undefined) return
  try {
    command.execve(execPath, [execPath, heap, ...execArgv, ...argv.slice(1)], { ...env, ...allocator })
  } catch {
    // With `node --permission`, the process may not start another program. It works without the settings too.
  }
}
