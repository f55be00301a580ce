/**
 * How long records are kept. Source: decisions 0035 and 0042.
 */
import { dayMillis } from "../value/Instant.ts"
import type { OptionRules } from "../value/OptionRule.ts"
import { wholeOrNullOption } from "../value/OptionRule.ts"

/** How long records are kept. Each time is in milliseconds, from 1 ms to 100 years. `null` and an absent option mean the default. */
export interface RetentionOptions {
  /**
   * How long a message is kept after its last delivery has ended. Then it is deleted with its deliveries, its attempts and its files: the whole
   * log of it. A report that comes later, such as a bounce, changes nothing, and a link to unsubscribe of the message no longer works. Default:
   * messages are kept.
   */
  readonly messagesMillis?: number | null | undefined
  /**
   * How long the bodies of a message, and the header fields of the product, are kept after its last delivery has ended. The log keeps the
   * subject, the recipients, the metadata and what happened. Default: as long as the message.
   */
  readonly bodiesMillis?: number | null | undefined
  /**
   * How long the files of a message are kept after its last delivery has ended. The log then shows no files. Default: as long as the message.
   */
  readonly attachmentsMillis?: number | null | undefined
  /**
   * How long events are kept, and event deliveries after their end. An event delivery that still waits then fails with `event_deleted`, also
   * when no process has its handler or an event sink. The retries of a webhook take up to 4 days, and longer if it asks for more time with
   * `Retry-After`. Default: 30 days.
   */
  readonly eventsMillis?: number | null | undefined
}

/** How long events are kept unless `eventsMillis` says otherwise. */
export const eventsMillisDefault = 30 * dayMillis

/** At most so long. A bound keeps the time before which records are deleted within the times of a `Date`. */
const retentionMillisMax = 100 * 366 * dayMillis
const retentionRule = wholeOrNullOption(1, retentionMillisMax)

export const retentionRules: OptionRules<RetentionOptions> = {
  messagesMillis: retentionRule,
  bodiesMillis: retentionRule,
  attachmentsMillis: retentionRule,
  eventsMillis: retentionRule
}
