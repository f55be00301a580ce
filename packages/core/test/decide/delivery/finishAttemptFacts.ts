/**
 * The facts and the results of hand-offs for the tests of `finishAttempt`.
 */
import type { HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import type { FinishAttemptFacts } from "../../../src/decide/delivery/finishAttempt.ts"
import type { Change, ChangeOf } from "../../../src/domain/store/Change.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { defaultRetryPolicy } from "../../../src/domain/delivery/RetrySchedule.ts"
import type { SmtpReply } from "../../../src/domain/delivery/SmtpReply.ts"
import { attempt, delivery, keyedAddress, now } from "../fixtures.ts"

export const reply = (
  stage: SmtpReply["stage"],
  code: number | null,
  enhancedCode: string | null = null
): SmtpReply => ({
  stage,
  smtpCode: code,
  enhancedCode,
  text: "words"
})

export const facts = (
  change: Partial<FinishAttemptFacts> & { readonly state?: Partial<Delivery> } = {}
): FinishAttemptFacts => {
  const { state, ...rest } = change
  const claimed = delivery({ status: "sending", worker: "w", attemptCount: 1, ...state })
  return {
    now,
    eventId: "evt_1",
    policy: defaultRetryPolicy,
    onAmbiguous: "retry",
    idempotentHandOff: false,
    signalsFinalize: true,
    expiresAt: null,
    claimed,
    delivery: claimed,
    attempt: attempt(),
    keyedAddress,
    suppression: null,
    ...rest
  }
}

export const finalizingAttempt = attempt({ phase: "finalizing" })
export const ofTag = <T extends Change["_tag"]>(changes: ReadonlyArray<Change>, tag: T): ReadonlyArray<ChangeOf<T>> =>
  changes.filter((change): change is ChangeOf<T> => change._tag === tag)

export const lost: HandOffResult = { _tag: "NoReply", why: "gone" }
export const unconnected: HandOffResult = { _tag: "NoReply", why: "refused", certainlyNotAccepted: true }
export const died: HandOffResult = { _tag: "WorkerDied" }
export const refused = (...of: Parameters<typeof reply>): HandOffResult => ({ _tag: "Refused", reply: reply(...of) })
