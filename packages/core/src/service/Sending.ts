/**
 * Accepts, cancels and reschedules messages. Source: interface, Send an email; decisions 0007, 0008 and 0010.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { AcceptSendFacts, PublishedTemplate, SendAnswer, SendRefusal } from "../decide/acceptSend.ts"
import { acceptSend, recipientsOf } from "../decide/acceptSend.ts"
import type { CanceledMessage, RescheduledMessage } from "../decide/scheduledMessage.ts"
import { cancelMessage, rescheduleMessage } from "../decide/scheduledMessage.ts"
import type { Caller, Principal } from "../domain/ApiKey.ts"
import { isInScope } from "../domain/ApiKey.ts"
import type { MessageNotFound, MessageNotScheduled, PlanLimitReached } from "../domain/Failure.ts"
import { InvalidArgument, SenderOutsideScope } from "../domain/Failure.ts"
import type { Instant } from "../domain/Instant.ts"
import { utcDayOf } from "../domain/Instant.ts"
import { dailyCounter } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"
import { parseScheduledAt } from "../domain/SendingWindow.ts"
import type { SendRequest } from "../domain/SendRequest.ts"
import { canonicalSend, idempotencyKeyIssue, recipientsMax } from "../domain/SendRequest.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { makeDispatcherWatch } from "../internal/dispatcherWatch.ts"
import { templateReads } from "../internal/templateReads.ts"
import { validated, validCaller, validIds } from "../internal/validated.ts"
import { Crypto } from "../port/Crypto.ts"
import { IdSource } from "../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { PlanSource } from "../port/PlanSource.ts"
import { Transport } from "../port/Transport.ts"
import { Secrets } from "./Secrets.ts"
import { WakeUp } from "./WakeUp.ts"

/** The published version of a template that is not archived. */
const publishedTemplate = Effect.fnUntraced(function* (
  store: MailStoreShape,
  projectId: ProjectId,
  idOrAlias: string
): Effect.fn.Return<PublishedTemplate | null, StoreUnavailable> {
  const { find, withVersions, withBodies } = templateReads(store)
  const template = yield* find(projectId, idOrAlias)
  if (template === null || template.content.archivedAt !== null) return null
  const [summary] = yield* withVersions(projectId, [template])
  if (summary?.published == null) return null
  const [published] = yield* withBodies(projectId, [summary.published])
  return { template, ...published! }
})

export class Sending extends Context.Service<
  Sending,
  {
    /**
     * Accepts a send that `parseSend` has parsed. A repeat with the same idempotency key and request gets the same answer, for 30 days after
     * acceptance or the scheduled time, whichever is later.
     */
    readonly send: (
      principal: Principal,
      request: SendRequest,
      idempotencyKey: string
    ) => Effect.Effect<SendAnswer, SendRefusal | SenderOutsideScope | StoreUnavailable>
    /** Cancels all deliveries of a scheduled message, or none. A repeat gets the same answer. */
    readonly cancel: (
      caller: Caller,
      messageId: string
    ) => Effect.Effect<
      CanceledMessage,
      InvalidArgument | SenderOutsideScope | MessageNotFound | MessageNotScheduled | StoreUnavailable
    >
    /** Changes the scheduled time of a message that is not due yet. */
    readonly reschedule: (
      caller: Caller,
      messageId: string,
      scheduledAt: Instant
    ) => Effect.Effect<
      RescheduledMessage,
      SenderOutsideScope | InvalidArgument | MessageNotFound | MessageNotScheduled | PlanLimitReached | StoreUnavailable
    >
  }
>()("@mailkeep/core/service/Sending") {
  static readonly layerNoDeps = Layer.effect(
    Sending,
    Effect.gen(function* () {
      const store = yield* MailStore
      const crypto = yield* Crypto
      const ids = yield* IdSource
      const plans = yield* PlanSource
      const signal = yield* WakeUp
      const watch = yield* makeDispatcherWatch(store, signal.hasDispatched)
      const { addressKey } = yield* Secrets
      const { smtpUtf8 } = (yield* Transport).capabilities

      const send = Effect.fn("Sending.send")(function* (
        principal: Principal,
        request: SendRequest,
        idempotencyKey: string
      ) {
        const { projectId } = principal
        const keyIssue = idempotencyKeyIssue(idempotencyKey)
        if (keyIssue !== undefined) return yield* new InvalidArgument({ context: "headers", issues: [keyIssue] })
        if (!isInScope(principal.domainScope, request.from.domain))
          return yield* new SenderOutsideScope({ domain: request.from.domain })
        const now = yield* Clock.currentTimeMillis
        const addresses = recipientsOf(request).map(({ address }) => address.canonical)
        const block = yield* ids.reserve(now, addresses.length)
        const command = { principal, request, idempotencyKey, fingerprint: crypto.sha256(canonicalSend(request)) }
        const day = dailyCounter(utcDayOf(request.scheduledAt ?? now))
        const template =
          request.templateId === null ? Effect.succeed(null) : publishedTemplate(store, projectId, request.templateId)
        const reads = store.read([
          { _tag: "Idempotency", projectId, key: idempotencyKey },
          { _tag: "ApiKey", id: principal.apiKeyId ?? "" },
          { _tag: "Domain", projectId, domain: request.from.domain },
          { _tag: "ContactsByAddress", projectId, addresses },
          { _tag: "Suppressions", projectId, addressKeys: addresses.map(addressKey) },
          { _tag: "Counters", projectId, names: [day, "allowance", "scheduledRecipients"] }
        ])
        const facts = Effect.zipWith(
          Effect.zip(plans.planOf(projectId), template),
          reads,
          ([plan, template], [remembered, key, domain, contacts, suppressions, used]): AcceptSendFacts => ({
            now,
            ids: block,
            plan,
            smtpUtf8,
            remembered,
            key,
            domain,
            template,
            contacts,
            suppressions,
            used: { daily: used[0]!, allowance: used[1]!, scheduledRecipients: used[2]! }
          })
        )
        const answer = yield* decideAndCommit(store, facts, (facts) => acceptSend(command, facts))
        yield* signal.notify
        if (request.scheduledAt === null) yield* watch.accepted
        return answer
      })

      const messageReads = (projectId: ProjectId, messageId: string) =>
        [
          { _tag: "Message", projectId, id: messageId },
          { _tag: "DeliveriesOfMessage", projectId, messageId }
        ] as const

      const cancel = Effect.fn("Sending.cancel")(function* (caller: Caller, messageId: string) {
        const { projectId, domainScope } = yield* validCaller(caller)
        yield* validIds({ messageId })
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, recipientsMax)
        const plan = yield* plans.planOf(projectId)
        return yield* decideAndCommit(store, store.read(messageReads(projectId, messageId)), ([message, deliveries]) =>
          cancelMessage(messageId, { now, domainScope, ids: block, plan, message, deliveries })
        )
      })

      const reschedule = Effect.fn("Sending.reschedule")(function* (caller: Caller, messageId: string, asked: Instant) {
        const { projectId, domainScope } = yield* validCaller(caller)
        yield* validIds({ messageId })
        const { scheduledAt } = yield* validated(parseScheduledAt, { scheduledAt: asked })
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, recipientsMax)
        const plan = yield* plans.planOf(projectId)
        const day = dailyCounter(utcDayOf(scheduledAt))
        const rescheduled = yield* decideAndCommit(
          store,
          store.read([...messageReads(projectId, messageId), { _tag: "Counters", projectId, names: [day] }]),
          ([message, deliveries, [usedThatDay]]) =>
            rescheduleMessage(
              { messageId, scheduledAt },
              { now, domainScope, ids: block, plan, message, deliveries, usedThatDay: usedThatDay! }
            )
        )
        yield* signal.notify
        return rescheduled
      })

      return { send, cancel, reschedule }
    })
  )
}
