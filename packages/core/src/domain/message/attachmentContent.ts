/**
 * Takes the contents of the files out of the input of a send, checks them, and divides them into the chunks that a store keeps.
 * Source: decision 0042.
 */
import type { SendingSource } from "../access/ApiKey.ts"
import { decodeBase64 } from "../value/Base64.ts"
import { isBytes } from "../value/Bytes.ts"
import type { Fields } from "../value/Fields.ts"
import { isFields } from "../value/Fields.ts"
import type { Issue } from "../value/Issue.ts"
import { issue, withoutUndefined } from "../value/Issue.ts"
import type { AttachmentBody, AttachmentRecord, AttachmentSummary, ValidAttachment } from "./Attachment.ts"
import { attachmentsMax } from "./Attachment.ts"
import { toFileType, typeOfFilename } from "./mediaTypes.ts"

/** The size of each chunk of a content except the last, in bytes. */
export const chunkBytes = 256 * 1024

/** Divides a content into chunks. An empty content is one empty chunk. The chunks share the memory of the content. */
export const chunksOf = (content: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: chunkCountOf(content.length) }, (_, chunk) =>
    content.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes)
  )

/** The number of chunks of a content of this size. */
export const chunkCountOf = (size: number): number => Math.max(1, Math.ceil(size / chunkBytes))

/** The input without the contents of its files, and the contents by index. The schema of the body examines no content. */
export interface WithoutContents {
  readonly body: unknown
  readonly contents: ReadonlyArray<unknown>
}

/** Replaces each content by an empty text. Leaves a content of a wrong type in its place, for which the schema of the body has an issue. */
export const takeContents = (input: unknown): WithoutContents => {
  if (!isFields(input) || !Array.isArray(input["attachments"])) return { body: input, contents: [] }
  const files = (input["attachments"] as ReadonlyArray<unknown>).slice(0, attachmentsMax + 1)
  const hasContent = (file: unknown): file is Fields =>
    isFields(file) && (typeof file["content"] === "string" || isBytes(file["content"]))
  return {
    body: {
      ...input,
      attachments: files.map((file) => withoutUndefined(hasContent(file) ? { ...file, content: "" } : file))
    },
    contents: files.map((file) => (isFields(file) ? file["content"] : undefined))
  }
}

/** The issues between the files of a send, even if single fields are wrong. */
export const attachmentIssues = (body: unknown): ReadonlyArray<Issue> => {
  if (!isFields(body) || !Array.isArray(body["attachments"])) return []
  const contentIds = new Set<unknown>()
  return (body["attachments"] as ReadonlyArray<unknown>).flatMap((file, index): ReadonlyArray<Issue> => {
    if (!isFields(file)) return []
    const { contentId, disposition } = file
    const path = ["attachments", index, "contentId"]
    if (contentId === undefined)
      return disposition === "inline" ? [issue(path, "required", "is required with the disposition inline")] : []
    if (contentIds.has(contentId)) return [issue(path, "invalid_value", "must differ from that of every other file")]
    contentIds.add(contentId)
    return []
  })
}

/** Changes the message of an issue of a content, because a program may also give bytes. */
export const withBytesAllowed = (one: Issue): Issue =>
  one.code === "invalid_type" && one.path[0] === "attachments" && one.path[2] === "content"
    ? { ...one, message: "must be a Uint8Array or a string" }
    : one

const encoder = new TextEncoder()

/**
 * The bytes of a content. A program may change an array that it has given, so the array is copied. A binding gives its arrays away.
 * Returns the issue of a text that is not base64, or not well-formed.
 */
const bytesOf = (content: unknown, path: Issue["path"], source: SendingSource): Uint8Array | Issue => {
  if (isBytes(content)) return source === "embedded" ? new Uint8Array(content) : content
  const text = content as string
  if (source !== "embedded")
    return decodeBase64(text) ?? issue(path, "invalid_value", "must be base64 with padding and without white space")
  return text.isWellFormed() ? encoder.encode(text) : issue(path, "invalid_value", "must be well-formed Unicode")
}

/** The issues of the contents, for a body that the schema has refused. */
export const contentIssues = (contents: ReadonlyArray<unknown>, source: SendingSource): ReadonlyArray<Issue> =>
  contents.flatMap((content, index) => {
    if (typeof content !== "string") return []
    const bytes = bytesOf(content, ["attachments", index, "content"], source)
    return isBytes(bytes) ? [] : [bytes]
  })

/** The files of a body that the schema has checked, or the issues of their contents. */
export const toAttachments = (
  files: ReadonlyArray<AttachmentBody>,
  contents: ReadonlyArray<unknown>,
  source: SendingSource
): { readonly attachments: ReadonlyArray<ValidAttachment>; readonly issues: ReadonlyArray<Issue> } => {
  const issues: Array<Issue> = []
  const attachments = files.flatMap((file, index): ReadonlyArray<ValidAttachment> => {
    const content = bytesOf(contents[index], ["attachments", index, "content"], source)
    if (!isBytes(content)) {
      issues.push(content)
      return []
    }
    const { filename, contentType, contentId, disposition } = file
    return [
      {
        filename,
        contentType: toFileType(contentType ?? "") ?? typeOfFilename(filename),
        contentId: contentId ?? null,
        disposition: disposition ?? (contentId === undefined ? "attachment" : "inline"),
        size: content.length,
        content
      }
    ]
  })
  return { attachments, issues }
}

/** A checked file with the hash of its content. */
export interface HashedAttachment extends ValidAttachment, AttachmentRecord {}

/** The fields of a file that everyone may see who may see its message. */
export const toAttachmentSummary = ({
  filename,
  contentType,
  contentId,
  disposition,
  size
}: AttachmentSummary): AttachmentSummary => ({ filename, contentType, contentId, disposition, size })

/** The record of a file, without its content. */
export const toAttachmentRecord = (file: HashedAttachment): AttachmentRecord => ({
  ...toAttachmentSummary(file),
  hash: file.hash
})
