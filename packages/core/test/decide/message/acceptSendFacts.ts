/**
 * The facts of a send that the project accepts, for the tests of `acceptSend` and of the plan that is derived from it.
 */
import type { AcceptSendFacts } from "../../../src/decide/message/acceptSend.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { domain, now } from "../fixtures.ts"

export const acceptSendFacts = (change: Partial<AcceptSendFacts> = {}): AcceptSendFacts => ({
  now,
  ids: { time: now, high: 0, low: 0 },
  plan: noLimits,
  smtpUtf8: true,
  idempotencyRecord: null,
  apiKey: null,
  domain: domain(),
  template: null,
  contacts: [],
  suppressions: Array.from({ length: 50 }, () => null),
  usage: { daily: 0, allowance: 0, scheduledRecipients: 0 },
  project: null,
  canUnsubscribe: false,
  ...change
})
