/**
 * The files that a command reads and writes: each error is one sentence with the path.
 */
import { fstatSync, readFileSync, statSync } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { Data, Effect } from "effect"

/** What the system says about a file, without the code and the path: Node writes "ENOENT: no such file or directory, open 'a.csv'". */
export const plainFileError = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  return /^E[A-Z0-9]+: ([^,]+)/.exec(text)?.[1] ?? text
}

/** A file cannot be read or written. */
export class FileFailed extends Data.TaggedError("FileFailed")<{
  readonly act: "read" | "write"
  readonly path: string
  readonly cause: unknown
}> {
  override get message() {
    const { act, path, cause } = this
    return `cannot ${act} ${path}: ${plainFileError(cause)}`
  }
}

/** Runs a step on a file. An exception becomes `FileFailed`. */
export const onFile = <A>(act: FileFailed["act"], path: string, step: () => A): Effect.Effect<A, FileFailed> =>
  Effect.try({ try: step, catch: (cause) => new FileFailed({ act, path, cause }) })

/** The text of a file. */
export const readText = (path: string): Effect.Effect<string, FileFailed> =>
  onFile("read", path, () => readFileSync(path, "utf8"))

/** The text of a file. `undefined` without a path. */
export const readTextIfGiven = (path: string | undefined): Effect.Effect<string | undefined, FileFailed> =>
  path === undefined ? Effect.undefined : readText(path)

const onFileAsync = <A>(path: string, step: () => Promise<A>): Effect.Effect<A, FileFailed> =>
  Effect.tryPromise({ try: step, catch: (cause) => new FileFailed({ act: "write", path, cause }) })

/** Whether both paths name one file. `-` is standard input. A path that does not exist is no file. */
export const isSameFile = (path: string, other: string): boolean => {
  const [a, b] = [path, other].map((one) => (one === "-" ? fstatSync(0) : statSync(one, { throwIfNoEntry: false })))
  return a !== undefined && b !== undefined && a.isFile() && a.dev === b.dev && a.ino === b.ino
}

/** Fails if the path is a folder, or if its folder does not exist. */
export const canBeWritten = (path: string): Effect.Effect<void, FileFailed> =>
  onFile("write", path, () => {
    statSync(`${dirname(path)}/`)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error("it is a folder")
  })

/** Writes texts to a file in turn. */
export type WriteText = (text: string) => Effect.Effect<void, FileFailed>

/** Standard output cannot be written. */
const stdoutFailed = (cause: unknown): FileFailed => new FileFailed({ act: "write", path: "standard output", cause })

/** Waits for ever after an error: `untilStdoutFails` ends the command. */
const writeStdout: WriteText = (text) =>
  Effect.callback((resume) => {
    process.stdout.write(text, (cause) => {
      if (cause === null || cause === undefined) resume(Effect.void)
    })
  })

/** Opens a file for writing until the scope closes. `-` is standard output. */
export const openForWriting = (path: string) =>
  path === "-"
    ? Effect.succeed(writeStdout)
    : Effect.map(
        Effect.acquireRelease(
          onFileAsync(path, () => open(path, "w")),
          (handle: FileHandle) => Effect.ignore(onFileAsync(path, () => handle.close()))
        ),
        (handle): WriteText =>
          (text) =>
            onFileAsync(path, () => handle.appendFile(text))
      )

/** The reader of standard output has closed its pipe, as `head` does. */
const isPipeClosed = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE"

/** Ends the effect when standard output cannot be written: without a failure when its reader closes the pipe. */
export const untilStdoutFails = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E | FileFailed, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<void, FileFailed>((resume) => {
      const onError = (cause: NodeJS.ErrnoException) =>
        resume(isPipeClosed(cause) ? Effect.void : Effect.fail(stdoutFailed(cause)))
      process.stdout.on("error", onError)
      return Effect.sync(() => void process.stdout.off("error", onError))
    })
  )

/**
 * Notices when the output is lost, for example on a full disk. Node ignores this when a program prints a text. Returns a function that gives the failure
 * until then.
 */
export const watchStdout = (stdout: NodeJS.WritableStream): (() => FileFailed | undefined) => {
  let failure: FileFailed | undefined
  stdout.on("error", (cause: NodeJS.ErrnoException) => {
    if (!isPipeClosed(cause)) failure = stdoutFailed(cause)
  })
  return () => failure
}

/**
 * Lets the command continue when standard error cannot be written, for example after the collector of logs has ended. Node ignores the first such error
 * of `console.error`, and ends the process at the next one.
 */
export const ignoreLostLog = (stderr: NodeJS.WritableStream): void => void stderr.on("error", () => {})
