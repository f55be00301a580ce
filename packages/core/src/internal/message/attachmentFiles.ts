/**
 * Reads the files that a program gives by their path, before the send is validated. Source: decision 0042.
 */
import { Effect, Result } from "effect"
import { attachmentsMax } from "../../domain/message/Attachment.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import type { Fields } from "../../domain/value/Fields.ts"
import { isFields } from "../../domain/value/Fields.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { FileNotRead, FileReaderShape } from "../../port/FileReader.ts"

const hasPath = (file: unknown): file is Fields => isFields(file) && file["path"] !== undefined

/** Whether a file of the send is to be read. */
export const hasPaths = (input: unknown): input is Fields & { readonly attachments: ReadonlyArray<unknown> } =>
  isFields(input) && Array.isArray(input["attachments"]) && input["attachments"].some(hasPath)

const faults = {
  not_found: ["invalid_value", "names no file"],
  not_a_file: ["invalid_value", "must name a regular file"],
  too_large: ["too_large", "names a file that is larger than the plan allows"],
  unreadable: ["invalid_value", "names a file that cannot be read"]
} as const satisfies Readonly<Record<FileNotRead["reason"], readonly [code: Issue["code"], message: string]>>

const readFile = (
  reader: FileReaderShape | null,
  { path, content, ...rest }: Fields,
  index: number,
  bytesMax: number
): Effect.Effect<Fields, Issue> => {
  const at = ["attachments", index, "path"]
  if (typeof path !== "string") return Effect.fail(issue(at, "invalid_type", "must be a string"))
  if (content !== undefined) return Effect.fail(issue(at, "not_allowed_here", "is not allowed together with content"))
  if (reader === null)
    return Effect.fail(
      issue(
        at,
        "not_allowed_here",
        "needs the option attachmentFolder of openMail, or the layer of @mailkeep/core/node/files"
      )
    )
  return reader.read(path, bytesMax).pipe(
    Effect.map((bytes) => ({ ...rest, filename: rest["filename"] ?? path.split(/[/\\]/).at(-1), content: bytes })),
    Effect.mapError(({ reason }) => {
      const [code, message] = faults[reason]
      return issue(at, code, message)
    })
  )
}

/**
 * Replaces each `path` of the attachments by the content of the file. The files have at most `bytesMax` bytes together. Reads one file after
 * another, and fails with an issue for each file that is not read.
 */
export const withFilesRead = (
  input: Fields & { readonly attachments: ReadonlyArray<unknown> },
  reader: FileReaderShape | null,
  bytesMax: number
): Effect.Effect<unknown, InvalidArgument> =>
  Effect.gen(function* () {
    const issues: Array<Issue> = []
    const attachments: Array<unknown> = []
    let left = bytesMax
    for (const [index, file] of input.attachments.slice(0, attachmentsMax + 1).entries()) {
      if (!hasPath(file)) {
        attachments.push(file)
        continue
      }
      const read = yield* Effect.result(readFile(reader, file, index, left))
      if (Result.isFailure(read)) {
        issues.push(read.failure)
        continue
      }
      attachments.push(read.success)
      left -= (read.success["content"] as Uint8Array).length
    }
    if (issues.length > 0) return yield* new InvalidArgument({ argument: "input", issues })
    return { ...input, attachments }
  })
