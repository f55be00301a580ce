/**
 * Accepts, cancels and reschedules messages. Source: docs/spec/coverage.md S6; decisions 0007, 0008 and 0010.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { AcceptSendFacts, SendRefusal, SendResult } from "../../decide/message/acceptSend.ts"
import { acceptSend, recipientsOf } from "../../decide/message/acceptSend.ts"
import type { CanceledMessage, RescheduledMessage } from "../../decide/message/scheduledMessage.ts"
import { cancelMessage, rescheduleMessage } from "../../decide/message/scheduledMessage.ts"
import type { SendTemplate } from "../../decide/message/sendContent.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import { parseScheduledAt } from "../../domain/message/SendingWindow.ts"
import type { SendInput } from "../../domain/message/SendInput.ts"
import type { SendOptions } from "../../domain/message/SendOptions.ts"
import { parseSendOptions } from "../../domain/message/SendOptions.ts"
import { canonicalSend, parseSend, recipientsMax } from "../../domain/message/SendRequest.ts"
import { dailyCounter } from "../../domain/plan/Plan.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { MessageNotFound, MessageNotScheduled } from "../../domain/message/MessageFailure.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import type { SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import type { TimeInput } from "../../domain/value/Instant.ts"
import { utcDayOf } from "../../domain/value/Instant.ts"
import { hasPaths, withFilesRead } from "../../internal/attachmentFiles.ts"
import { makeCommit } from "../../internal/commit.ts"
import { makeDispatcherWatch } from "../../internal/dispatcherWatch.ts"
import { randomHex } from "../../internal/randomHex.ts"
import { templateReads } from "../../internal/templateReads.ts"
import { validated, validCaller, validIds } from "../../internal/validated.ts"
import { Crypto } from "../../port/Crypto.ts"
import { FileReader } from "../../port/FileReader.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { Transport } from "../../port/Transport.ts"
import { Secrets } from "../access/Secrets.ts"
import { UnsubscribeLinks } from "../contact/UnsubscribeLinks.ts"
import { WakeUp } from "../delivery/WakeUp.ts"

/** The length of the idempotency key of a send without one. */
const randomKeyBytes = 16

/** Loads the template that a send names, if it is published and not archived. */
const loadTemplate = Effect.fnUntraced(function* (
  store: MailStoreShape,
  projectId: ProjectId,
  idOrAlias: string
): Effect.fn.Return<SendTemplate | null, StoreUnavailable> {
  const { find, withVersions, withBodies } = templateReads(store)
  const template = yield* find(projectId, idOrAlias)
  if (template === null || template.content.archivedAt !== null) return null
  const [summary] = yield* withVersions(projectId, [template])
  if (summary?.published == null) return null
  const [published] = yield* withBodies(projectId, [summary.published])
  return { template, ...published! }
})

/**
 * Sends messages: accepts them for delivery, and cancels or reschedules them before they are due. `Dispatcher` hands the deliveries over.
 *
 * A project id as the caller means the embedding product. A principal of an API key needs the sender domain in its scope. Its `SendInput`
 * follows the rules of the wire: bare addresses, and `scheduledAt` as text. The options of `send` and the time of `reschedule` may be of any
 * form of `TimeInput` for every caller.
 *
 * @example
 * ```ts
 * import { Sending } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * export const sendReceipt = Effect.gen(function* () {
 *   const sending = yield* Sending
 *   const input = { from: "Shop <shop@acme.example>", to: "ada@example.org", subject: "Your receipt", text: "Thank you." }
 *   return yield* sending.send("prj_acme", input, { idempotencyKey: "order-1042" })
 * })
 * ```
 */
export class Sending extends Context.Service<
  Sending,
  {
    /**
     * Accepts a message for delivery. When the effect succeeds, the message is stored. A suppressed recipient gets a delivery, but no mail.
     *
     * Fails with `InvalidArgument` when the input or an option is wrong. This includes a template that is not published, a scheduled time
     * that is not within the next 30 days, and an idempotency key that was used for another send. Fails with `SenderDomainNotVerified` when
     * the domain of `from` is not a verified domain of the project. Fails with `SenderOutsideScope` when the API key may not use the domain,
     * and with `InvalidApiKey` when the API key was revoked meanwhile. Fails with `PlanLimitReached` when a limit of the plan does not
     * allow all recipients.
     */
    readonly send: (
      caller: Caller,
      input: SendInput,
      options?: SendOptions
    ) => Effect.Effect<SendResult, SendRefusal | StoreUnavailable>
    /**
     * Cancels all deliveries of a scheduled message, or none. A repeat gets the same result. Fails with `MessageNotFound`, and with
     * `MessageNotScheduled` when a delivery no longer has the status `scheduled`. The dispatcher changes this status when the delivery is due.
     * Until then, a message whose time has passed can still be canceled. Fails with `SenderOutsideScope` when the API key may not use the
     * sender domain.
     */
    readonly cancel: (
      caller: Caller,
      messageId: string
    ) => Effect.Effect<
      CanceledMessage,
      InvalidArgument | SenderOutsideScope | MessageNotFound | MessageNotScheduled | StoreUnavailable
    >
    /**
     * Changes the scheduled time of a message whose deliveries all have the status `scheduled`, for which the rule of `cancel` applies. The new time must be within the next 30 days and before the message
     * expires. Fails like `cancel`, and with `PlanLimitReached` when the limit of the new UTC day does not allow all recipients.
     */
    readonly reschedule: (
      caller: Caller,
      messageId: string,
      scheduledAt: TimeInput
    ) => Effect.Effect<
      RescheduledMessage,
      SenderOutsideScope | InvalidArgument | MessageNotFound | MessageNotScheduled | PlanLimitReached | StoreUnavailable
    >
  }
>()("@mailkeep/core/service/Sending") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    Sending,
    Effect.gen(function* () {
      const store = yield* MailStore
      const commit = makeCommit(store)
      const crypto = yield* Crypto
      const ids = yield* IdSource
      const plans = yield* PlanSource
      const wakeUp = yield* WakeUp
      const watch = yield* makeDispatcherWatch(store, wakeUp.dispatcherHasStarted)
      const { addressKey } = yield* Secrets
      const { smtpUtf8 } = (yield* Transport).capabilities
      const files = Option.getOrNull(yield* Effect.serviceOption(FileReader))
      const canUnsubscribe = (yield* UnsubscribeLinks).isConfigured

      const send = Effect.fn("Sending.send")(function* (caller: Caller, input: SendInput, options: SendOptions = {}) {
        const principal = yield* validCaller(caller)
        const { projectId } = principal
        const whole =
          principal.source === "embedded" && hasPaths(input)
            ? yield* withFilesRead(input, files, (yield* plans.planOf(projectId)).attachmentBytes)
            : input
        const validOptions = yield* validated(parseSendOptions, options, "options")
        const oneMessage = validOptions.shownRecipients !== null
        const valid = {
          options: validOptions,
          send: yield* validated((value) => parseSend(value, principal.source, oneMessage), whole)
        }
        const { from, scheduledAt, templateId } = valid.send
        const attachments = valid.send.attachments.map((file) => ({ ...file, hash: crypto.sha256(file.content) }))
        const command = {
          ...valid,
          principal,
          idempotencyKey: valid.options.idempotencyKey ?? randomHex(crypto, randomKeyBytes),
          fingerprint: crypto.sha256(canonicalSend(valid.send, valid.options, attachments)),
          attachments
        }
        const now = yield* Clock.currentTimeMillis
        const addresses = recipientsOf(valid.send).map(({ address }) => address.canonical)
        const block = yield* ids.reserve(now, addresses.length)
        const day = dailyCounter(utcDayOf(scheduledAt ?? now))
        const template = templateId === null ? Effect.succeed(null) : loadTemplate(store, projectId, templateId)
        const reads = store.read([
          { _tag: "Idempotency", projectId, key: command.idempotencyKey },
          { _tag: "ApiKey", id: principal.apiKeyId ?? "" },
          { _tag: "Domain", projectId, domain: from.domain },
          { _tag: "ContactsByAddress", projectId, addresses },
          { _tag: "Suppressions", projectId, addressKeys: addresses.map(addressKey) },
          { _tag: "Counters", projectId, names: [day, "allowance", "scheduledRecipients"] },
          { _tag: "Project", id: projectId }
        ])
        const load = Effect.zipWith(
          Effect.zip(plans.planOf(projectId), template),
          reads,
          (
            [plan, template],
            [idempotency, apiKey, domain, contacts, suppressions, used, project]
          ): AcceptSendFacts => ({
            now,
            ids: block,
            plan,
            smtpUtf8,
            idempotency,
            apiKey,
            domain,
            template,
            contacts,
            suppressions,
            usage: { daily: used[0]!, allowance: used[1]!, scheduledRecipients: used[2]! },
            project,
            canUnsubscribe
          })
        )
        const result = yield* commit(load, (facts) => acceptSend(command, facts), "bounded")
        yield* wakeUp.deliveries.notify
        if (scheduledAt === null) yield* watch.accepted
        return result
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
        const load = Effect.map(store.read(messageReads(projectId, messageId)), ([message, deliveries]) => ({
          now,
          ids: block,
          message,
          deliveries
        }))
        return yield* commit(load, (facts) => cancelMessage({ messageId, domainScope }, facts), "bounded")
      })

      const reschedule = Effect.fn("Sending.reschedule")(function* (
        caller: Caller,
        messageId: string,
        newTime: TimeInput
      ) {
        const { projectId, domainScope } = yield* validCaller(caller)
        yield* validIds({ messageId })
        const scheduledAt = yield* validated(parseScheduledAt, newTime)
        const now = yield* Clock.currentTimeMillis
        const block = yield* ids.reserve(now, recipientsMax)
        const day = dailyCounter(utcDayOf(scheduledAt))
        const load = Effect.zipWith(
          plans.planOf(projectId),
          store.read([...messageReads(projectId, messageId), { _tag: "Counters", projectId, names: [day] }]),
          (plan, [message, deliveries, used]) => ({
            now,
            ids: block,
            plan,
            message,
            deliveries,
            usedThatDay: used[0]!
          })
        )
        const rescheduled = yield* commit(
          load,
          (facts) => rescheduleMessage({ messageId, domainScope, scheduledAt }, facts),
          "bounded"
        )
        yield* wakeUp.deliveries.notify
        return rescheduled
      })

      return { send, cancel, reschedule }
    })
  )
}
