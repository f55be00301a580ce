/**
 * The steps of a session after the checks of the handler, and after a message.
 */
import type { Path } from "./command.ts"
import type { Reply } from "./Reply.ts"
import { protocolReply } from "./protocolReplies.ts"
import type { Session, SessionRules, SessionStep, Transaction } from "./session.ts"
import { replyNamed, replyWith } from "./session.ts"

/** The result of a check of the handler: `null` if it accepts, otherwise the reply that refuses. */
export type CheckResult = Reply | null

/** The step after the check of an API key. */
export const afterApiKey = (rules: SessionRules, session: Session, refusal: CheckResult): SessionStep => {
  if (refusal === null)
    return replyNamed(rules, { ...session, authenticated: true, apiKeyFailures: 0, errors: 0 }, "authenticated")
  if (refusal.code < 500) return replyWith(rules, session, refusal)
  const failed = { ...session, apiKeyFailures: session.apiKeyFailures + 1 }
  return failed.apiKeyFailures >= rules.apiKeyFailuresMax
    ? replyNamed(rules, failed, "tooManyErrors")
    : replyWith(rules, failed, refusal)
}

/** The step after the check of a sender. */
export const afterSender = (
  rules: SessionRules,
  session: Session,
  transaction: Transaction,
  refusal: CheckResult
): SessionStep =>
  refusal === null ? replyNamed(rules, { ...session, transaction }, "senderOk") : replyWith(rules, session, refusal)

/** The step after the check of a recipient. */
export const afterRecipient = (
  rules: SessionRules,
  session: Session,
  recipient: Path,
  refusal: CheckResult
): SessionStep => {
  const { transaction } = session
  if (refusal !== null || transaction === null)
    return replyWith(rules, session, refusal ?? protocolReply("badSequence"))
  const recipients = [...transaction.recipients, recipient]
  return replyNamed(rules, { ...session, transaction: { ...transaction, recipients } }, "recipientOk")
}

/** The step after the check before a message has refused it. */
export const afterRefusedData = (rules: SessionRules, session: Session, refusal: Reply): SessionStep =>
  replyWith(rules, { ...session, transaction: null, dataRefused: true }, refusal)

/** The state after the replies to a message. The transaction has ended, whether the message was accepted or not. */
export const afterMessage = (session: Session, replies: ReadonlyArray<Reply>): Session => {
  const refused = replies.some(({ code }) => code >= 500)
  const accepted = replies.some(({ code }) => code < 400)
  return { ...session, transaction: null, errors: accepted ? 0 : session.errors + (refused ? 1 : 0) }
}
