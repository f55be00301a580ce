/**
 * A message: the accepted content and headers, stored once for all recipients. It never changes after acceptance.
 */
import type { SendingSource } from "../access/ApiKey.ts"
import type { Json } from "../value/CanonicalJson.ts"
import type { AttachmentRecord } from "./Attachment.ts"
import type { HeaderFields } from "./HeaderField.ts"
import type { ApiKeyId, MessageId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import type { OnAmbiguous, ProjectId } from "../access/Project.ts"

/** A message: what was accepted, once, however many recipients. It never changes. */
export interface Message {
  readonly id: MessageId
  readonly projectId: ProjectId
  /** The API key that sent the message; `null` for the embedding product. */
  readonly apiKeyId: ApiKeyId | null
  readonly source: SendingSource
  readonly from: string
  readonly fromName: string | null
  readonly replyTo: string | null
  readonly domain: string
  /** The template from which the message was rendered. */
  readonly templateId: string | null
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** The `To` and `Cc` header fields. If `to` is empty, each delivery shows only its own recipient. */
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  /** Header fields from the product. They follow the fields of Mailkeep. */
  readonly headers: HeaderFields
  /** Whether each copy has the header fields with the link of its recipient to unsubscribe. */
  readonly listUnsubscribe: boolean
  /** The files. The content of each is stored once for the project, under its hash. */
  readonly attachments: ReadonlyArray<AttachmentRecord>
  readonly metadata: { readonly [key: string]: Json }
  /** Empty if the send had none. */
  readonly idempotencyKey: string
  readonly onAmbiguous: OnAmbiguous | null
  /** No attempt begins at or after this instant; `null` means the default lifetime. */
  readonly expiresAt: Instant | null
  readonly createdAt: Instant
}

/** The idempotency key of the send that made the message; `null` if it had none. */
export const idempotencyKeyOf = ({ idempotencyKey }: Message): string | null =>
  idempotencyKey === "" ? null : idempotencyKey
