/**
 * The base of failures that are never retryable: the call or a stored record must change first.
 */
import type { Cause, Types } from "effect"
import * as Data from "effect/Data"

/** The base class of a failure, before its facts. */
type NotRetryableBase<Tag extends string, Kind extends string> = new <A extends object = {}>(
  facts: Types.VoidIfEmpty<A>
) => Cause.YieldableError & {
  readonly _tag: Tag
  readonly kind: Kind
  readonly isRetryable: boolean
} & Readonly<A>

/**
 * Makes the base class of a failure that is never retryable. `kind` is the `error` code of the interface. Each class declares `isRetryable` again,
 * with a comment that says what the caller can do. A class whose message depends on its facts overrides the getter `message`.
 */
export const NotRetryable = <const Tag extends string, const Kind extends string>(
  tag: Tag,
  kind: Kind,
  message = ""
): NotRetryableBase<Tag, Kind> => {
  class Base extends Data.TaggedError(tag)<Record<string, unknown>> {
    readonly kind = kind
    override get message() {
      return message
    }
    get isRetryable() {
      return false
    }
  }
  return Base as unknown as NotRetryableBase<Tag, Kind>
}
