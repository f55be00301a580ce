/**
 * The port that reads files, for the attachments of a message that a program gives by their path. Optional: without it, such an attachment is
 * refused.
 */
import type { Effect } from "effect"
import { Context, Data } from "effect"

const fileNotReadMessages: Readonly<Record<FileNotRead["reason"], string>> = {
  not_found: "The file does not exist.",
  not_a_file: "The path is a folder or a device, and not a file.",
  too_large: "The file is larger than the limit.",
  unreadable: "The file cannot be read."
}

/** The file was not read. `too_large`: it has more bytes than the limit. `not_a_file`: it is a folder or a device. */
export class FileNotRead extends Data.TaggedError("FileNotRead")<{
  readonly reason: "not_found" | "not_a_file" | "too_large" | "unreadable"
  readonly cause?: unknown
}> {
  override get message() {
    return fileNotReadMessages[this.reason]
  }
  /** Not retryable: correct the path or the file first. */
  get isRetryable() {
    return false
  }
}

/** Reads files for attachments. */
export interface FileReaderShape {
  /** Reads a regular file of at most `bytesMax` bytes. Never reads more than one byte above the limit. */
  readonly read: (path: string, bytesMax: number) => Effect.Effect<Uint8Array, FileNotRead>
}

/**
 * Reads the files of attachments with a `path`. `@mailkeep/core/node/files` has the layer for Node. Optional, and not part of another layer: a
 * program that passes on attachments from outside could otherwise send any file of its machine.
 *
 * @example
 * ```ts
 * import { FileReader } from "@mailkeep/core/adapter"
 * import * as NodeFiles from "@mailkeep/core/node/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.flatMap(FileReader, (files) => Effect.flip(files.read("/no/such/file.pdf", 1024)))
 * console.log((await Effect.runPromise(Effect.provide(program, NodeFiles.layer()))).reason) // not_found
 * ```
 */
export class FileReader extends Context.Service<FileReader, FileReaderShape>()("@mailkeep/core/port/FileReader") {}
