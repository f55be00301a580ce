/**
 * Accepts a send. One commit writes the message, one delivery for each recipient, the counters and the idempotency record.
 * Source: interface, Send an email; decision 0009 (order of refusals), 0007, 0010 and 0015.
 */
import { Result } from "effect"
import type { Address } from "../domain/Address.ts"
import { parseAddress } from "../domain/Address.ts"
import type { ApiKey, Principal } from "../domain/ApiKey.ts"
import { isKeyLive } from "../domain/ApiKey.ts"
import type { Change } from "../domain/Change.ts"
import type { Contact } from "../domain/Contact.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { Delivery, RecipientKind } from "../domain/Delivery.ts"
import { freshState } from "../domain/Delivery.ts"
import { InvalidArgument, KeyNotAccepted, PlanLimitReached, SenderDomainNotVerified } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { IdempotencyRecord, SendResult } from "../domain/Idempotency.ts"
import { idempotencyExpiry } from "../domain/Idempotency.ts"
import type { Instant } from "../domain/Instant.ts"
import { utcDayOf } from "../domain/Instant.ts"
import type { Issue } from "../domain/Issue.ts"
import { issue } from "../domain/Issue.ts"
import type { Message } from "../domain/Message.ts"
import type { Plan } from "../domain/Plan.ts"
import { fits } from "../domain/Plan.ts"
import type { SenderDomain } from "../domain/SenderDomain.ts"
import { windowIssue } from "../domain/SendingWindow.ts"
import type { SendRequest } from "../domain/SendRequest.ts"
import type { Suppression } from "../domain/Suppression.ts"
import { suppressedFor } from "../domain/Suppression.ts"
import type { Decision } from "./Decision.ts"
import { settled } from "./Decision.ts"
import { expectResource, expectDomain, expectKey } from "./expectation.ts"
import type { Transition } from "./transition.ts"
import { applyTransition, transitionEvent, spendCounters } from "./transition.ts"
import type { RenderedTemplate } from "./renderTemplate.ts"
import { renderTemplate } from "./renderTemplate.ts"
import type { TemplateVersionDetail } from "./template.ts"
import { contentOf } from "./template.ts"

export interface AcceptSend {
  readonly principal: Principal
  readonly request: SendRequest
  readonly idempotencyKey: string
  readonly fingerprint: string
}

/** Contacts and suppressions have the order of `recipientsOf`. */
export interface AcceptSendFacts {
  readonly now: Instant
  readonly ids: IdBlock
  readonly plan: Plan
  readonly smtpUtf8: boolean
  readonly remembered: IdempotencyRecord | null
  readonly key: ApiKey | null
  readonly domain: SenderDomain | null
  /** The template of the request, and its published version. */
  readonly template: PublishedTemplate | null
  readonly contacts: ReadonlyArray<Contact | null>
  readonly suppressions: ReadonlyArray<Suppression | null>
  readonly used: { readonly daily: number; readonly allowance: number; readonly scheduledRecipients: number }
}

export interface PublishedTemplate extends TemplateVersionDetail {
  readonly template: ResourceOf<"template">
}

export interface SendAnswer {
  readonly result: SendResult
  /** Whether this is the result of an earlier request with the same idempotency key. */
  readonly replayed: boolean
}

export type SendRefusal = InvalidArgument | KeyNotAccepted | SenderDomainNotVerified | PlanLimitReached

export interface Recipient {
  readonly kind: RecipientKind
  readonly address: Address
}

/** Returns the recipients in the order `to`, `cc`, `bcc`, each address once. */
export const recipientsOf = (request: SendRequest): ReadonlyArray<Recipient> => {
  const seen = new Set<string>()
  return (["to", "cc", "bcc"] as const).flatMap((kind) =>
    request[kind].flatMap((address) => {
      if (seen.has(address.canonical)) return []
      seen.add(address.canonical)
      return [{ kind, address }]
    })
  )
}

const invalid = (context: InvalidArgument["context"], issues: ReadonlyArray<Issue>) =>
  Result.fail(new InvalidArgument({ context, issues }))

/** Returns the issues of the body that depend on the clock or the transport. */
const bodyIssues = ({ request }: AcceptSend, { now, smtpUtf8 }: AcceptSendFacts): ReadonlyArray<Issue> => {
  const found: Array<Issue> = []
  if (!smtpUtf8) {
    const needsUtf8 = (field: string, list: ReadonlyArray<Address>) =>
      list.forEach((address, index) => {
        if (address.utf8)
          found.push(
            issue(
              list.length > 1 ? [field, index] : [field],
              "invalid_value",
              "needs SMTPUTF8, which the transport lacks"
            )
          )
      })
    needsUtf8("from", [request.from])
    needsUtf8("to", request.to)
    needsUtf8("cc", request.cc)
    needsUtf8("bcc", request.bcc)
    if (request.replyTo !== null) needsUtf8("replyTo", [request.replyTo])
  }
  if (request.scheduledAt !== null) {
    const outside = windowIssue(request.scheduledAt, now)
    if (outside !== undefined) found.push(outside)
  }
  if (request.options.expiresAt !== undefined && request.options.expiresAt <= (request.scheduledAt ?? now))
    found.push(issue(["expiresAt"], "not_in_future", "must be after the time of sending"))
  return found
}

/** The content and the sender names of the message, from the request or from the template. */
interface ResolvedContent extends RenderedTemplate {
  readonly fromName: string | null
  readonly replyTo: string | null
}

const resolveContent = (
  { request }: AcceptSend,
  { template, smtpUtf8 }: AcceptSendFacts
): Result.Result<ResolvedContent, ReadonlyArray<Issue>> => {
  const { subject, html, text, fromName } = request
  const replyTo = request.replyTo?.address ?? null
  if (request.templateId === null) return Result.succeed({ subject: subject ?? "", html, text, fromName, replyTo })
  if (template === null)
    return Result.fail([issue(["templateId"], "unknown_template", "is not a published template of this project")])
  const source = contentOf(template)
  const replyToShown = replyTo ?? source.replyTo
  if (!smtpUtf8 && replyTo === null && source.replyTo !== null && parseAddress(source.replyTo)!.utf8)
    return Result.fail([
      issue(["templateId"], "invalid_value", "names a reply-to that needs SMTPUTF8, which the transport lacks")
    ])
  return Result.map(renderTemplate(source, request.templateVariables, "templateVariables"), (rendered) => ({
    ...rendered,
    fromName: fromName ?? source.fromName,
    replyTo: replyToShown
  }))
}

const replay = (command: AcceptSend, { remembered, now }: AcceptSendFacts) => {
  if (remembered === null || remembered.expiresAt <= now) return undefined
  return remembered.fingerprint === command.fingerprint
    ? Result.succeed(settled<SendAnswer>({ result: remembered.result, replayed: true }))
    : invalid("headers", [issue(["idempotency-key"], "idempotency_key_reused", "was used for another request")])
}

const messageOf = (
  { principal, request, idempotencyKey }: AcceptSend,
  { now, ids, template }: AcceptSendFacts,
  { subject, html, text, fromName, replyTo }: ResolvedContent
): Message => {
  const single = request.to.length === 1
  return {
    id: idAt(ids, "msg", 0),
    projectId: principal.projectId,
    apiKeyId: principal.apiKeyId,
    source: principal.source,
    from: request.from.address,
    fromName,
    replyTo,
    domain: request.from.domain,
    templateId: template?.template.id ?? null,
    subject,
    html,
    text,
    to: single ? request.to.map(({ address }) => address) : [],
    cc: single ? request.cc.map(({ address }) => address) : [],
    metadata: request.metadata,
    idempotencyKey,
    onAmbiguous: request.options.onAmbiguous ?? null,
    expiresAt: request.options.expiresAt ?? null,
    headers: request.options.headers ?? {},
    createdAt: now
  }
}

/** Makes the delivery of each recipient with its first transition. */
const firstTransitions = (command: AcceptSend, facts: AcceptSendFacts, message: Message): ReadonlyArray<Transition> => {
  const { request, principal } = command
  const { now, ids } = facts
  const { scheduledAt } = request
  return recipientsOf(request).map(({ kind, address }, index) => {
    const suppressed = scheduledAt === null ? suppressedFor(facts.suppressions[index]!, now) : null
    const blank: Delivery = {
      ...freshState,
      id: idAt(ids, "del", index),
      projectId: principal.projectId,
      messageId: message.id,
      kind,
      recipient: address.address,
      address: address.canonical,
      contactId: facts.contacts[index]?.id ?? null,
      source: principal.source,
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

const planRefusal = (
  transitions: ReadonlyArray<Transition>,
  { plan, used }: AcceptSendFacts
): PlanLimitReached | undefined => {
  const more = (counter: (name: string) => boolean) =>
    transitions.reduce(
      (sum, { spends }) => sum + spends.reduce((n, { name, by }) => (counter(name) ? n + by : n), 0),
      0
    )
  const refuse = (code: PlanLimitReached["code"]) => new PlanLimitReached({ code })
  const exceeds = (limit: number | null, existing: number, count: number) => count > 0 && !fits(limit, existing, count)
  if (
    exceeds(
      plan.scheduledRecipients,
      used.scheduledRecipients,
      more((name) => name === "scheduledRecipients")
    )
  )
    return refuse("scheduled_recipient_limit_exceeded")
  if (
    exceeds(
      plan.dailySends,
      used.daily,
      more((name) => name.startsWith("daily:"))
    )
  )
    return refuse("daily_sending_limit_exceeded")
  if (
    exceeds(
      plan.sendingAllowance,
      used.allowance,
      more((name) => name === "allowance")
    )
  )
    return refuse("sending_allowance_exceeded")
  return undefined
}

/** Accepts or refuses a send. The caller has already validated the request and the sender scope. */
export const acceptSend = (
  command: AcceptSend,
  facts: AcceptSendFacts
): Result.Result<Decision<SendAnswer>, SendRefusal> => {
  const { principal, request } = command
  const { now, plan } = facts
  if (principal.apiKeyId !== null && (facts.key === null || !isKeyLive(facts.key, now)))
    return Result.fail(new KeyNotAccepted())
  const replayed = replay(command, facts)
  if (replayed !== undefined) return replayed
  const content = resolveContent(command, facts)
  const issues = [...bodyIssues(command, facts), ...(Result.isFailure(content) ? content.failure : [])]
  if (Result.isFailure(content) || issues.length > 0) return invalid("body", issues)
  if (facts.domain?.status !== "verified")
    return Result.fail(new SenderDomainNotVerified({ domain: request.from.domain }))

  const message = messageOf(command, facts, content.success)
  const transitions = firstTransitions(command, facts, message)
  const refusal = planRefusal(transitions, facts)
  if (refusal !== undefined) return Result.fail(refusal)
  const result: SendResult = {
    messageId: message.id,
    deliveryIds: transitions.map(({ after }) => after.id),
    totalQueued: transitions.filter(({ after }) => after.status !== "suppressed").length,
    scheduledAt: request.scheduledAt
  }
  return Result.succeed({
    answer: { result, replayed: false },
    changes: [
      ...expectKey(facts.key),
      expectDomain(principal.projectId, request.from.domain, facts.domain),
      ...(request.templateId === null || facts.template === null ? [] : [expectResource(facts.template.template)]),
      {
        _tag: "RecordIdempotency",
        now,
        record: {
          projectId: principal.projectId,
          key: command.idempotencyKey,
          fingerprint: command.fingerprint,
          result,
          expiresAt: idempotencyExpiry(now, request.scheduledAt)
        }
      },
      { _tag: "InsertMessage", message },
      ...transitions.flatMap((transition, index): ReadonlyArray<Change> => [
        { _tag: "InsertDelivery", delivery: transition.after },
        ...transitionEvent(transition, now, idAt(facts.ids, "evt", index))
      ]),
      ...spendCounters(
        principal.projectId,
        transitions.flatMap(({ spends }) => spends),
        plan
      )
    ]
  })
}
