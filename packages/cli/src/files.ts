/**
 * The files that a command reads and writes: each error is one sentence with the path.
 */
import { fstatSync, readFileSync, statSync } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { Data, Effect } from "effect"

/** A file cannot be read or written. */
export class FileFailed extends Data.TaggedError("FileFailed")<{
  readonly act: "read" | "write"
  readonly path: string
  readonly cause: unknown
}> {
  override get message() {
    const { act, path, cause } = this
    const text = cause instanceof Error ? cause.message : String(cause)
    // Node writes "ENOENT: no such file or directory, open 'a.csv'".
    return `cannot ${act} ${path}: ${/^E[A-Z0-9]+: ([^,]+)/.exec(text)?.[1] ?? text}`
  }
}

/** Runs a step on a file. An exception becomes `FileFailed`. */
export const onFile = <A>(act: FileFailed["act"], path: string, step: () => A): Effect.Effect<A, FileFailed> =>
  Effect.try({ try: step, catch: (cause) => new FileFailed({ act, path, cause }) })

/** The text of a file. `undefined` without a path. */
export const readText = (path: string | undefined): Effect.Effect<string | undefined, FileFailed> =>
  path === undefined ? Effect.undefined : onFile("read", path, () => readFileSync(path, "utf8"))

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

/** Waits for ever after the pipe is closed: `untilPipeCloses` ends the command. */
const writeStdout: WriteText = (text) =>
  Effect.callback((resume) => {
    process.stdout.write(text, (cause?: NodeJS.ErrnoException | null) => {
      if (cause === null || cause === undefined) resume(Effect.void)
      else if (cause.code !== "EPIPE")
        resume(Effect.fail(new FileFailed({ act: "write", path: "standard output", cause })))
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

/** Ends the effect without a failure when the reader of standard output closes its pipe, as `head` does. */
export const untilPipeCloses = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<void>((resume) => {
      const onError = (cause: NodeJS.ErrnoException) => resume(cause.code === "EPIPE" ? Effect.void : Effect.die(cause))
      process.stdout.on("error", onError)
      return Effect.sync(() => void process.stdout.off("error", onError))
    })
  )
