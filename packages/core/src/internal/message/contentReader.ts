/**
 * Reads the content of a file from the store in chunks, for the transport. Source: decision 0042.
 */
import type { Context } from "effect"
import { Data, Effect } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { AttachmentRecord } from "../../domain/message/Attachment.ts"
import { chunkCountOf, toAttachmentSummary } from "../../domain/message/attachmentContent.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import type { OutgoingAttachment } from "../../port/Transport.ts"

/** The store does not have all bytes of the file. A transport that reads on would send a part of the file. */
class ContentIncomplete extends Data.TaggedError("ContentIncomplete")<{}> {
  override get message() {
    return "The store does not have the whole content of a file."
  }
}

/** Keeps one chunk in memory. Throws when a chunk cannot be read or is missing, or when the file has another size than the message says. */
async function* chunksFrom(
  context: Context.Context<never>,
  store: MailStoreShape,
  projectId: ProjectId,
  { hash, size }: AttachmentRecord
): AsyncGenerator<Uint8Array, void> {
  let left = size
  for (let chunk = 0; chunk < chunkCountOf(size); chunk++) {
    const [bytes] = await Effect.runPromiseWith(context)(store.read([{ _tag: "ContentChunk", projectId, hash, chunk }]))
    if (bytes === null || bytes.length > left) throw new ContentIncomplete()
    left -= bytes.length
    if (bytes.length > 0) yield bytes
  }
  if (left > 0) throw new ContentIncomplete()
}

/** Makes what the transport gets of a file. */
export const outgoingAttachment =
  (context: Context.Context<never>, store: MailStoreShape, projectId: ProjectId) =>
  (attachment: AttachmentRecord): OutgoingAttachment => ({
    ...toAttachmentSummary(attachment),
    read: () => chunksFrom(context, store, projectId, attachment)
  })
