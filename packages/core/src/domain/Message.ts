/**
 * A message: what was sent, once, whoever it goes to. It never changes after acceptance.
 */
import type { SendingSource } from "./ApiKey.ts"
import type { Json } from "./CanonicalJson.ts"
import type { HeaderFields } from "./HeaderField.ts"
import type { ApiKeyId, MessageId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { OnAmbiguous, ProjectId } from "./Project.ts"

export interface Message {
  readonly id: MessageId
  readonly projectId: ProjectId
  /** The key that sent it, or `null` for the embedding product. */
  readonly keyId: ApiKeyId | null
  readonly source: SendingSource
  readonly from: string
  readonly fromName: string | null
  readonly replyTo: string | null
  readonly domain: string
  /** The template that it was made from. */
  readonly templateId: string | null
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** The `To` and `Cc` header fields; empty `to` means each copy shows its own recipient alone. */
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  /** Fields that the product added; they come after those of Mailkeep. */
  readonly headers: HeaderFields
  readonly metadata: { readonly [key: string]: Json }
  readonly idempotencyKey: string
  readonly onAmbiguous: OnAmbiguous | null
  /** After this instant an undelivered copy is given up; `null` for the default lifetime. */
  readonly expiresAt: Instant | null
  readonly createdAt: Instant
}
