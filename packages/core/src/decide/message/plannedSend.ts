/**
 * Describes what a send would do, from the result of its decision. It decides nothing: `acceptSend` has the rules. Source: decision 0049.
 */
import { Result } from "effect"
import type { SuppressionReason } from "../../domain/contact/Suppression.ts"
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import type { Delivery, RecipientKind } from "../../domain/delivery/Delivery.ts"
import type { DeliveryReason, DeliveryStatus } from "../../domain/delivery/DeliveryStatus.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { CounterName } from "../../domain/plan/Plan.ts"
import type { DeliveryId, MessageId } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import type { AcceptSend, AcceptSendFacts, SendRefusal, SendResult } from "./acceptSend.ts"
import { recipientsOf } from "./acceptSend.ts"
import { sendContent } from "./sendContent.ts"

/** What a send would do for one recipient. */
export interface PlannedRecipient {
  /** The address as the send has it. */
  readonly recipient: string
  readonly kind: RecipientKind
  /**
   * - `queued`: The mail is sent at once.
   * - `scheduled`: The mail is sent at the scheduled time.
   * - `suppressed`: The recipient gets no mail.
   * - `refused`: The whole send is refused.
   * - `already_sent`: A send with this idempotency key has a delivery for the recipient. A repeat sends nothing.
   */
  readonly outcome: "queued" | "scheduled" | "suppressed" | "refused" | "already_sent"
  /**
   * Why the recipient gets no mail. A scheduled recipient has a reason too if it is suppressed now: it gets no mail if that is still so at the
   * scheduled time. The reason of the earlier delivery, for `already_sent`.
   */
  readonly reason: SuppressionReason | DeliveryReason | null
  /** The earlier delivery, for `already_sent`; otherwise `null`. */
  readonly deliveryId: DeliveryId | null
  /** The status of the earlier delivery, for `already_sent`; otherwise `null`. */
  readonly status: DeliveryStatus | null
}

/** One counter of the project, and what the send would add. */
export interface PlannedUsage {
  readonly before: number
  readonly after: number
  /** `null`: no limit. */
  readonly limit: number | null
}

/** The message of a planned send, as the recipient would get it. */
export interface PlannedContent {
  readonly from: string
  readonly fromName: string | null
  readonly replyTo: string | null
  /** Rendered, when the send has a template. */
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

/** What a send would do. Nothing of it is stored. */
export interface PlannedSend {
  /** `accepted`: the send would be stored. `already_sent`: a repeat gets the earlier result. `refused`: `send` would fail with `refusal`. */
  readonly outcome: "accepted" | "already_sent" | "refused"
  readonly refusal: SendRefusal | null
  /** The earlier message, for `already_sent`; otherwise `null`. */
  readonly messageId: MessageId | null
  /** In UTC milliseconds; `null` if the message would be sent at once. */
  readonly scheduledAt: Instant | null
  /** One entry for each different address, in the order `to`, `cc`, `bcc`. */
  readonly recipients: ReadonlyArray<PlannedRecipient>
  /** The rendered message. `null` if it cannot be rendered, or if the earlier message has been deleted. */
  readonly content: PlannedContent | null
  readonly usage: {
    /** The recipients of the UTC day on which the send counts. */
    readonly dailySends: PlannedUsage
    readonly sendingAllowance: PlannedUsage
    readonly scheduledRecipients: PlannedUsage
  }
}

/** The message of an earlier send with the same idempotency key, and its deliveries. Empty after their deletion. */
export interface EarlierSend {
  readonly message: Message | null
  readonly deliveries: ReadonlyArray<Delivery>
}

export interface PlannedSendFacts extends AcceptSendFacts {
  /** `null` if the decision is not the result of an earlier send. */
  readonly earlier: EarlierSend | null
}

type Decided = Result.Result<Decision<SendResult>, SendRefusal>

const contentOfMessage = ({ from, fromName, replyTo, subject, html, text }: Message): PlannedContent => ({
  from,
  fromName,
  replyTo,
  subject,
  html,
  text
})

/** The content of a refused send, if the refusal has another cause. */
const contentOfRefused = ({ send }: AcceptSend, facts: AcceptSendFacts): PlannedContent | null => {
  const content = sendContent(send, facts)
  if (Result.isFailure(content)) return null
  const { fromName, replyTo, subject, html, text } = content.success
  return { from: send.from.address, fromName, replyTo, subject, html, text }
}

const usageOf = (decided: Decided, { plan, usage }: AcceptSendFacts): PlannedSend["usage"] => {
  const changes = Result.isSuccess(decided) ? decided.success.changes : []
  const counted = (before: number, limit: number | null, isCounted: (name: CounterName) => boolean): PlannedUsage => ({
    before,
    after: changes.reduce(
      (sum, change) => (change._tag === "AddToCounter" && isCounted(change.name) ? sum + change.by : sum),
      before
    ),
    limit
  })
  return {
    dailySends: counted(usage.daily, plan.dailySends, (name) => name.startsWith("daily:")),
    sendingAllowance: counted(usage.allowance, plan.sendingAllowance, (name) => name === "allowance"),
    scheduledRecipients: counted(
      usage.scheduledRecipients,
      plan.scheduledRecipients,
      (name) => name === "scheduledRecipients"
    )
  }
}

const refusedPlan = (
  refusal: SendRefusal,
  command: AcceptSend,
  facts: AcceptSendFacts
): Omit<PlannedSend, "usage"> => ({
  outcome: "refused",
  refusal,
  messageId: null,
  scheduledAt: command.send.scheduledAt,
  recipients: recipientsOf(command.send).map(({ kind, address }) => ({
    recipient: address.address,
    kind,
    outcome: "refused",
    reason: null,
    deliveryId: null,
    status: null
  })),
  content: contentOfRefused(command, facts)
})

const earlierPlan = (
  { messageId, scheduledAt }: SendResult,
  { message, deliveries }: EarlierSend
): Omit<PlannedSend, "usage"> => ({
  outcome: "already_sent",
  refusal: null,
  messageId,
  scheduledAt,
  recipients: deliveries.map(({ id, recipient, kind, status, reason }) => ({
    recipient,
    kind,
    outcome: "already_sent",
    reason,
    deliveryId: id,
    status
  })),
  content: message === null ? null : contentOfMessage(message)
})

const acceptedPlan = (
  { changes }: Decision<SendResult>,
  { send }: AcceptSend,
  { now, suppressions }: AcceptSendFacts
): Omit<PlannedSend, "usage"> => {
  const messages = changes.flatMap((change) => (change._tag === "InsertMessage" ? [change.message] : []))
  const deliveries = changes.flatMap((change) => (change._tag === "InsertDelivery" ? [change.delivery] : []))
  return {
    outcome: "accepted",
    refusal: null,
    messageId: null,
    scheduledAt: send.scheduledAt,
    recipients: deliveries.map(({ recipient, kind, status, reason }, index) => ({
      recipient,
      kind,
      outcome: status as "queued" | "scheduled" | "suppressed",
      reason: status === "scheduled" ? suppressedFor(suppressions[index]!, now) : reason,
      deliveryId: null,
      status: null
    })),
    content: messages[0] === undefined ? null : contentOfMessage(messages[0])
  }
}

/** Describes the result of `acceptSend` for a command and its facts. */
export const plannedSend = (command: AcceptSend, facts: PlannedSendFacts, decided: Decided): PlannedSend => {
  const usage = usageOf(decided, facts)
  if (Result.isFailure(decided)) return { ...refusedPlan(decided.failure, command, facts), usage }
  const { success } = decided
  return success.answer.replayed
    ? { ...earlierPlan(success.answer, facts.earlier ?? { message: null, deliveries: [] }), usage }
    : { ...acceptedPlan(success, command, facts), usage }
}
