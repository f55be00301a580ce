/**
 * The `FileReader` port over `node:fs`.
 *
 * @example
 * ```ts
 * import { FileReader } from "@mailkeep/core/adapter"
 * import * as NodeFiles from "@mailkeep/core/node/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.flatMap(FileReader, (files) => Effect.flip(files.read("no-such-file.pdf", 1024)))
 * console.log((await Effect.runPromise(Effect.provide(program, NodeFiles.layer()))).reason) // not_found
 * ```
 */
import { constants } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { open, realpath } from "node:fs/promises"
import { resolve, sep } from "node:path"
import { Effect, Layer } from "effect"
import { FileNotRead, FileReader } from "../port/FileReader.ts"

/** Which files may be read. */
export interface NodeFilesOptions {
  /** The only folder whose files may be read, with its folders. A relative path begins there. Default: every file that the process can read. */
  readonly folder?: string
}

const failure = (cause: unknown): FileNotRead => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  const reason = code === "ENOENT" || code === "ENOTDIR" ? "not_found" : code === "EISDIR" ? "not_a_file" : "unreadable"
  return new FileNotRead({ reason, cause })
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, FileNotRead> =>
  Effect.tryPromise({ try: run, catch: failure })

/** The path without symbolic links. A path that leaves the folder names no file. */
const locate = async (path: string, folder: string | undefined): Promise<string> => {
  if (folder === undefined) return path
  const [root, real] = await Promise.all([realpath(folder), realpath(resolve(folder, path))])
  // Only the root of a file system ends with a separator.
  const inside = root.endsWith(sep) ? root : `${root}${sep}`
  if (!real.startsWith(inside)) throw Object.assign(new Error("outside of the folder"), { code: "ENOENT" })
  return real
}

/** Reads one byte more than the size that the file has now, so that a file that grows is noticed. */
const readAll = async (file: FileHandle, size: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(size + 1)
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

const read = (path: string, bytesMax: number, folder: string | undefined): Effect.Effect<Uint8Array, FileNotRead> =>
  Effect.scoped(
    Effect.gen(function* () {
      const located = yield* attempt(() => locate(path, folder))
      // Without O_NONBLOCK, opening a pipe to which nobody writes would never end.
      const file = yield* Effect.acquireRelease(
        attempt(() => open(located, constants.O_RDONLY | constants.O_NONBLOCK)),
        (file) => Effect.promise(() => file.close())
      )
      const stat = yield* attempt(() => file.stat())
      if (!stat.isFile()) return yield* new FileNotRead({ reason: "not_a_file" })
      if (stat.size > bytesMax) return yield* new FileNotRead({ reason: "too_large" })
      const bytes = yield* attempt(() => readAll(file, stat.size))
      return bytes.length > stat.size ? yield* new FileNotRead({ reason: "unreadable" }) : bytes
    })
  )

/** Provides `FileReader` with the functions of `node:fs`. Relative paths begin at `folder`, or at the folder of the process. */
export const layer = ({ folder }: NodeFilesOptions = {}): Layer.Layer<FileReader> =>
  Layer.succeed(FileReader, { read: (path, bytesMax) => read(path, bytesMax, folder) })
