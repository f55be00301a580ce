/**
 * Why a use case of domains is refused.
 */
import type { DomainId } from "../value/Id.ts"
import { NotRetryable } from "../value/NotRetryable.ts"

/** The project does not have the domain of the sender, or the domain is not verified. */
export class SenderDomainNotVerified extends NotRetryable(
  "SenderDomainNotVerified",
  "not_allowed",
  "The sender domain is not a verified domain of this project."
)<{ readonly domain: string }> {
  /** Not retryable: add and verify the domain first. */
  declare readonly isRetryable: boolean
}

/** The project already has this domain. */
export class DomainTaken extends NotRetryable(
  "DomainTaken",
  "duplicate_error",
  "This project already has this domain."
)<{
  /** The ID of the existing domain; `null` from a client over HTTP, because the response does not show it. */
  readonly domainId: DomainId | null
}> {
  /** Not retryable: use the existing domain. */
  declare readonly isRetryable: boolean
}
