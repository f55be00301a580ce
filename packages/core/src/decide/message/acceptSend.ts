/**
 * Accepts a send. One commit writes the message, one delivery for each recipient, the counters and the idempotency record.
 * Source: docs/spec/coverage.md S6; decision 0009 (order of refusals); decisions 0007, 0010 and 0015.
 */
import { Result } from "effect"
import type { ApiKeyRecord, Principal } from "../../domain/access/ApiKey.ts"
import { isInScope, isApiKeyLive } from "../../domain/access/ApiKey.ts"
import type { ProjectId, ProjectRecord } from "../../domain/access/Project.ts"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import type { SuppressionRecord } from "../../domain/contact/Suppression.ts"
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import type { Delivery, RecipientKind } from "../../domain/delivery/Delivery.ts"
import { freshState } from "../../domain/delivery/Delivery.ts"
import type { SenderDomainRecord } from "../../domain/domain-name/SenderDomain.ts"
import type { Address } from "../../domain/message/Address.ts"
import type { HashedAttachment } from "../../domain/message/attachmentContent.ts"
import { chunksOf, toAttachmentRecord } from "../../domain/message/attachmentContent.ts"
import type { AcceptedSend, IdempotencyRecord } from "../../domain/message/Idempotency.ts"
import { idempotencyExpiry } from "../../domain/message/Idempotency.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { ValidSendOptions } from "../../domain/message/SendOptions.ts"
import { hasUnsubscribeField } from "../../domain/message/SendOptions.ts"
import type { ValidSend } from "../../domain/message/SendRequest.ts"
import type { Plan } from "../../domain/plan/Plan.ts"
import type { Change } from "../../domain/store/Change.ts"
import { InvalidArgument } from "../../domain/value/Failure.ts"
import { InvalidApiKey, SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import { SenderDomainNotVerified } from "../../domain/domain-name/DomainFailure.ts"
import type { DeliveryId, IdBlock, MessageId } from "../../domain/value/Id.ts"
import { idAt } from "../../domain/value/Id.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { utcDayOf } from "../../domain/value/Instant.ts"
import type { Issue } from "../../domain/value/Issue.ts"
import { issue } from "../../domain/value/Issue.ts"
import type { Transition } from "../delivery/transition.ts"
import { applyTransition, transitionEvent } from "../delivery/transition.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import { expectApiKey, expectDomain, expectResource } from "../store/expectation.ts"
import type { SendContent, SendContentFacts } from "./sendContent.ts"
import { sendContent, shownRecipientIssues } from "./sendContent.ts"
import type { SendUsage } from "../plan/usageChange.ts"
import { addToCounters, exceededLimit } from "../plan/usageChange.ts"

/** What recognises a repeat of a send. */
interface SendIdempotency {
  readonly key: string
  /** SHA-256 of the canonical text of the send, in hex. */
  readonly fingerprint: string
}

export interface AcceptSend {
  readonly principal: Principal
  readonly send: ValidSend
  readonly options: ValidSendOptions
  /** `null` without an idempotency key. Such a send cannot be repeated, so that it leaves no idempotency record. */
  readonly idempotency: SendIdempotency | null
  /** The files of the send, each with the hash of its content. */
  readonly attachments: ReadonlyArray<HashedAttachment>
}

/** Contacts and suppressions have the order of `recipientsOf`. */
export interface AcceptSendFacts extends SendContentFacts {
  readonly ids: IdBlock
  readonly plan: Plan
  /** The record under the idempotency key, also if it has expired. */
  readonly idempotencyRecord: IdempotencyRecord | null
  /** The API key of the principal; `null` for the embedding product. */
  readonly apiKey: ApiKeyRecord | null
  /** The domain of the sender. */
  readonly domain: SenderDomainRecord | null
  readonly contacts: ReadonlyArray<ContactRecord | null>
  readonly suppressions: ReadonlyArray<SuppressionRecord | null>
  readonly usage: SendUsage
  /** The project; `null` if it has no settings yet. */
  readonly project: ProjectRecord | null
  /** Whether messages can have a link to unsubscribe. */
  readonly canUnsubscribe: boolean
}

/** What a send returns. */
export interface SendResult {
  readonly messageId: MessageId
  /** One delivery for each different address, in the order `to`, `cc`, `bcc`. */
  readonly deliveryIds: ReadonlyArray<DeliveryId>
  /** The number of deliveries that are queued or scheduled. The others are suppressed and get no mail. */
  readonly totalQueued: number
  /** In UTC milliseconds; `null` if the message is sent at once. */
  readonly scheduledAt: Instant | null
  /** Whether this is the result of an earlier send with the same idempotency key. */
  readonly replayed: boolean
}

/** Why a send is refused. */
export type SendRefusal =
  | InvalidArgument
  | InvalidApiKey
  | SenderOutsideScope
  | SenderDomainNotVerified
  | PlanLimitReached

export interface Recipient {
  readonly kind: RecipientKind
  readonly address: Address
}

const recipientKinds = ["to", "cc", "bcc"] as const

/** Returns the recipients in the order `to`, `cc`, `bcc`, each address once. */
export const recipientsOf = (send: ValidSend): ReadonlyArray<Recipient> => {
  const recipients = new Map<string, Recipient>()
  for (const kind of recipientKinds)
    for (const address of send[kind])
      if (!recipients.has(address.canonical)) recipients.set(address.canonical, { kind, address })
  return [...recipients.values()]
}

const invalid = (argument: InvalidArgument["argument"], issues: ReadonlyArray<Issue>) =>
  Result.fail(new InvalidArgument({ argument, issues }))

/** Returns the earlier result, or refuses the idempotency key of another send. Returns `undefined` if the idempotency key is free. */
const replay = ({ idempotency }: AcceptSend, { idempotencyRecord: earlier, now }: AcceptSendFacts) => {
  if (idempotency === null || earlier === null || earlier.expiresAt <= now) return undefined
  return earlier.fingerprint === idempotency.fingerprint
    ? Result.succeed(unchanged<SendResult>({ ...earlier.result, replayed: true }))
    : invalid("options", [issue(["idempotencyKey"], "idempotency_key_reused", "was used for another request")])
}

/** The setting of a project does not replace the product's own header field. */
const hasUnsubscribeLink = (
  { listUnsubscribe, headers }: ValidSendOptions,
  project: ProjectRecord | null,
  canUnsubscribe: boolean
): boolean =>
  listUnsubscribe ??
  (project?.listUnsubscribe === true && canUnsubscribe && (headers === null || !hasUnsubscribeField(headers)))

const messageOf = (
  { principal, send, options, idempotency, attachments }: AcceptSend,
  { now, ids, template, project, canUnsubscribe }: AcceptSendFacts,
  { subject, html, text, fromName, replyTo }: SendContent
): Message => {
  const single = send.to.length === 1
  return {
    id: idAt(ids, "msg", 0),
    projectId: principal.projectId,
    apiKeyId: principal.apiKeyId,
    source: principal.source,
    from: send.from.address,
    fromName,
    replyTo,
    domain: send.from.domain,
    templateId: template?.template.id ?? null,
    subject,
    html,
    text,
    to: options.shownRecipients?.to ?? (single ? send.to.map(({ address }) => address) : []),
    cc: options.shownRecipients?.cc ?? (single ? send.cc.map(({ address }) => address) : []),
    attachments: attachments.map(toAttachmentRecord),
    metadata: send.metadata,
    idempotencyKey: idempotency?.key ?? "",
    onAmbiguous: options.onAmbiguous,
    expiresAt: options.expiresAt,
    headers: options.headers ?? {},
    listUnsubscribe: hasUnsubscribeLink(options, project, canUnsubscribe),
    createdAt: now
  }
}

/** Whether the deliveries are in the lane of bulk mail. Source: decision 0043. */
const isBulk = ({ scheduledAt }: ValidSend, { listUnsubscribe, headers }: Message): boolean =>
  scheduledAt !== null || listUnsubscribe || hasUnsubscribeField(headers)

/** Makes the delivery of each recipient with its first transition. */
const firstTransitions = (
  { send, principal }: AcceptSend,
  { now, ids, contacts, suppressions }: AcceptSendFacts,
  message: Message
): ReadonlyArray<Transition> => {
  const { scheduledAt } = send
  const bulk = isBulk(send, message)
  return recipientsOf(send).map(({ kind, address }, index) => {
    const suppressed = scheduledAt === null ? suppressedFor(suppressions[index]!, now) : null
    const blank: Delivery = {
      ...freshState,
      id: idAt(ids, "del", index),
      projectId: principal.projectId,
      messageId: message.id,
      kind,
      recipient: address.address,
      address: address.canonical,
      contactId: contacts[index]?.id ?? null,
      source: principal.source,
      bulk,
      createdAt: now,
      scheduledAt,
      countedDay: suppressed === null ? utcDayOf(scheduledAt ?? now) : null
    }
    if (suppressed !== null) return applyTransition(blank, "SendSuppressed", now, { reason: suppressed }, "none")
    return scheduledAt === null
      ? applyTransition(blank, "SendAccepted", now, { dueAt: now, queuedAt: now }, "none")
      : applyTransition(blank, "SendScheduled", now, { dueAt: scheduledAt }, "none")
  })
}

/** Each content once, also when several files have it. */
const contentChanges = (projectId: ProjectId, attachments: ReadonlyArray<HashedAttachment>): ReadonlyArray<Change> =>
  [...new Map(attachments.map(({ hash, content }) => [hash, content]))].map(([hash, content]) => ({
    _tag: "PutContent",
    projectId,
    hash,
    chunks: chunksOf(content)
  }))

const sizeIssues = ({ attachments }: AcceptSend, { plan }: AcceptSendFacts): ReadonlyArray<Issue> =>
  attachments.reduce((sum, { size }) => sum + size, 0) > plan.attachmentBytes
    ? [issue(["attachments"], "too_large", `must have at most ${plan.attachmentBytes} bytes together`)]
    : []

const changesOf = (
  { principal, send, idempotency, attachments }: AcceptSend,
  { now, ids, plan, apiKey, domain, template }: AcceptSendFacts,
  message: Message,
  transitions: ReadonlyArray<Transition>,
  result: AcceptedSend
): ReadonlyArray<Change> => {
  const { projectId } = principal
  const expiresAt = idempotencyExpiry(now, send.scheduledAt)
  return [
    ...expectApiKey(apiKey),
    expectDomain(projectId, send.from.domain, domain),
    ...(template === null ? [] : [expectResource(template.template)]),
    ...(idempotency === null
      ? []
      : [{ _tag: "RecordIdempotency", now, record: { projectId, ...idempotency, result, expiresAt } } as const]),
    ...contentChanges(projectId, attachments),
    { _tag: "InsertMessage", message },
    ...transitions.flatMap((transition, index): ReadonlyArray<Change> => [
      { _tag: "InsertDelivery", delivery: transition.after },
      ...transitionEvent(transition, now, idAt(ids, "evt", index))
    ]),
    ...addToCounters(
      projectId,
      transitions.flatMap(({ counterChanges }) => counterChanges),
      plan
    )
  ]
}

/** Accepts or refuses a send. `parseSend` and `parseSendOptions` have already refused an input of the wrong form. */
export const acceptSend = (
  command: AcceptSend,
  facts: AcceptSendFacts
): Result.Result<Decision<SendResult>, SendRefusal> => {
  const { principal, send, options } = command
  const { now, apiKey, domain, plan, usage } = facts
  if (principal.apiKeyId !== null && (apiKey === null || !isApiKeyLive(apiKey, now)))
    return Result.fail(new InvalidApiKey())
  if (!isInScope(principal.domainScope, send.from.domain))
    return Result.fail(new SenderOutsideScope({ domain: send.from.domain }))
  const replayed = replay(command, facts)
  if (replayed !== undefined) return replayed
  if (options.expiresAt !== null && options.expiresAt <= (send.scheduledAt ?? now))
    return invalid("options", [issue(["expiresAt"], "not_in_future", "must be after the time of sending")])
  if (options.listUnsubscribe === true && !facts.canUnsubscribe)
    return invalid("options", [
      issue(["listUnsubscribe"], "not_allowed_here", "is allowed only when the core has the option unsubscribe.url")
    ])
  const shownIssues = facts.smtpUtf8 ? [] : shownRecipientIssues(options)
  if (shownIssues.length > 0) return invalid("options", shownIssues)
  const content = sendContent(send, facts)
  const issues = [...(Result.isFailure(content) ? content.failure : []), ...sizeIssues(command, facts)]
  if (Result.isFailure(content) || issues.length > 0) return invalid("input", issues)
  if (domain?.status !== "verified") return Result.fail(new SenderDomainNotVerified({ domain: send.from.domain }))

  const message = messageOf(command, facts, content.success)
  const transitions = firstTransitions(command, facts, message)
  const exceeded = exceededLimit(
    transitions.flatMap(({ counterChanges }) => counterChanges),
    plan,
    usage
  )
  if (exceeded !== undefined) return Result.fail(new PlanLimitReached(exceeded))
  const result: AcceptedSend = {
    messageId: message.id,
    deliveryIds: transitions.map(({ after }) => after.id),
    totalQueued: transitions.filter(({ after }) => after.status !== "suppressed").length,
    scheduledAt: send.scheduledAt
  }
  return Result.succeed({
    answer: { ...result, replayed: false },
    changes: changesOf(command, facts, message, transitions, result)
  })
}
