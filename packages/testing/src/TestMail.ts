/**
 * The mail of a product in a test.
 */
import type { DeliveryReport, CallOptions, Mail, MailOptions, TimeInput } from "mailkeep"
import type { CapturedMail } from "./CapturedMail.ts"
import type { DurationInput } from "./DurationInput.ts"
import type { MailFilter } from "./MailFilter.ts"
import type { ScriptedOutcome } from "./ScriptedOutcome.ts"

/** The options of a test mail: those of `openMail` that do not concern its store, its transport and its work. None is required. */
export interface TestMailOptions extends Omit<MailOptions, "store" | "transport" | "background" | "adapters"> {
  /** The time at which the clock begins, also after a `reset`. Default: the time of the process when the test mail is made or reset. */
  readonly now?: TimeInput | undefined
}

/** What a report of a bounce says. */
export interface BounceOptions extends Omit<DeliveryReport, "kind"> {}

/** A request that a webhook would have got. Nothing is sent over the network. */
export interface WebhookPost {
  readonly url: string
  /** Names in lower case, with the signature of Standard Webhooks. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON of the event. */
  readonly body: string
}

/** How long `waitFor` waits, and for how many mails. */
export interface WaitOptions extends CallOptions {
  /** In milliseconds of real time, at most 2,147,483,647. Default: 1,000. */
  readonly timeout?: number | undefined
  /** How many mails must match. Default: 1. */
  readonly count?: number | undefined
}

/**
 * The mail of a product over a store in memory, a transport that keeps each mail, and a clock that only the test moves. Each method finishes the work
 * that is due before it resolves: after `await mail.send(…)`, the mail is handed over and the handlers of its events have run.
 */
export interface TestMail extends Mail {
  /** The newest mail to this address, or that matches. Throws an `Error` that lists the other mails when there is none. */
  readonly last: (to?: string | RegExp | MailFilter) => CapturedMail
  /** The mails that match, oldest first. Default: all of the last 10,000. */
  readonly captured: (filter?: string | RegExp | MailFilter) => ReadonlyArray<CapturedMail>
  /**
   * Resolves with the newest mail that matches, as soon as there is one. For a product that sends in the background. Rejects with an `Error` that
   * lists the other mails when there is none in time.
   */
  readonly waitFor: (to: string | RegExp | MailFilter, options?: WaitOptions) => Promise<CapturedMail>
  /**
   * Finishes the work that is due. The methods of the mail do so themselves; needed after mail that came over HTTP or through `runtime`. A hand-off
   * that hangs does not count.
   */
  readonly settle: () => Promise<void>
  /** The time of the clock. */
  readonly now: () => Date
  /** Moves the clock forward, and does everything that becomes due until then, in order and at its time. */
  readonly advance: (duration: DurationInput) => Promise<void>
  /** Moves the clock forward to an instant as `advance` does. An earlier instant sets the clock back, as an administrator does. */
  readonly setNow: (instant: TimeInput) => Promise<void>
  /**
   * Says how the next hand-offs to an address end: the first outcome for the first hand-off, and so on. The last one repeats. A later script for the
   * same address replaces this one.
   */
  readonly script: (
    to: string | RegExp,
    outcomes: readonly [ScriptedOutcome, ...ReadonlyArray<ScriptedOutcome>]
  ) => void
  /** Reports that a delivery bounced after its hand-off. Takes the id of a delivery, or the address of the last mail. Default: unknown mailbox. */
  readonly bounce: (target: string, report?: BounceOptions) => Promise<void>
  /** Reports that the recipient called the mail spam. Takes the id of a delivery, or the address of the last mail. */
  readonly complain: (target: string) => Promise<void>
  /** Reports that the mail is in the mailbox. For a mail that was scripted as `accepted`. Takes an id or an address. */
  readonly delivered: (target: string) => Promise<void>
  /** What the webhooks of the project would have got, oldest first. Each is answered with 200. */
  readonly webhookPosts: () => ReadonlyArray<WebhookPost>
  /**
   * Begins again with an empty store, no script, no captured mail, and the clock at its beginning. Handlers of `on` stay registered. A project handle
   * of `project(id)` is one of the new store, and a `fetchHandler` of `@mailkeep/http` answers from it. Waits for the calls under way, as `close` does. A
   * call that waits for something else, such as a handler that hangs, is interrupted.
   */
  readonly reset: () => Promise<void>
}
