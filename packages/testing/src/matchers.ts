/**
 * Matchers about the mail of a test, for `expect.extend` of vitest, Jest and every other program with the same form.
 *
 * @example
 * ```ts no-run It needs the function expect of a test runner.
 * import { mailMatchers } from "@mailkeep/testing/matchers"
 * import { expect } from "vitest"
 *
 * expect.extend(mailMatchers)
 * ```
 */
import type { CapturedMail } from "./CapturedMail.ts"
import type { MailFilter } from "./MailFilter.ts"
import { checkFilter, describeFilter, describeMails, isMatch } from "./MailFilter.ts"
import { descriptionOf } from "./waitingMail.ts"

/** The result of a matcher. */
export interface MatcherResult {
  /** Whether the value matches. */
  readonly pass: boolean
  /** Why the value matches, or why it does not. */
  readonly message: () => string
}

/** The matchers as methods of `expect(mail)`. `R` is what each returns. */
export interface MailMatchers<R = unknown> {
  /**
   * Passes when a mail that matches was handed over; with `times`, exactly so many. Without a filter, any mail matches. The message of a failure
   * lists what was handed over instead.
   */
  toHaveSent(filter?: MailFilter, times?: number): R
}

interface Captures {
  readonly captured: () => ReadonlyArray<CapturedMail>
}

const capturedOf = (received: unknown): ReadonlyArray<CapturedMail> => {
  if (typeof received === "object" && received !== null && "captured" in received)
    return (received as Captures).captured()
  throw new TypeError("toHaveSent needs the mail that testMail() returns: expect(mail).toHaveSent({ to }).")
}

/** The matchers for `expect.extend`. */
export const mailMatchers = {
  toHaveSent: (received: unknown, filter: MailFilter = {}, times?: number): MatcherResult => {
    const captured = capturedOf(received)
    checkFilter(filter)
    // No count equals another value, so `not.toHaveSent` would always pass.
    if (times !== undefined && !(Number.isSafeInteger(times) && times >= 0))
      throw new RangeError("times must be a whole number from 0.")
    const matching = captured.filter((mail) => isMatch(filter, mail))
    const pass = times === undefined ? matching.length > 0 : matching.length === times
    const isMissing = matching.length < (times ?? 1)
    const wanted = `${describeFilter(filter)}${times === undefined ? "" : `, ${times} times`}`
    return {
      pass,
      message: () =>
        pass
          ? `Expected not to have sent ${wanted}.\n${describeMails(matching)}`
          : `Expected to have sent ${wanted}.\n${describeMails(captured, filter)}${isMissing ? descriptionOf(received as object) : ""}`
    }
  }
} as const
