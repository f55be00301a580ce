/**
 * Accepts, cancels and reschedules messages. Source: docs/spec/coverage.md S6; decisions 0007, 0008 and 0010.
 */
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import type { AcceptSend, SendRefusal, SendResult } from "../../decide/message/acceptSend.ts"
import { acceptSend, recipientsOf } from "../../decide/message/acceptSend.ts"
import type { PlannedSend } from "../../decide/message/plannedSend.ts"
import { plannedSend } from "../../decide/message/plannedSend.ts"
import type { CanceledMessage, RescheduledMessage } from "../../decide/message/scheduledMessage.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { SendBatchOptions } from "../../domain/message/SendBatch.ts"
import type { SendInput } from "../../domain/message/SendInput.ts"
import type { SendOptions } from "../../domain/message/SendOptions.ts"
import { parseSendOptions } from "../../domain/message/SendOptions.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { MessageNotFound, MessageNotScheduled } from "../../domain/message/MessageFailure.ts"
import type { PlanLimitReached } from "../../domain/plan/PlanFailure.ts"
import type { SenderOutsideScope } from "../../domain/access/AccessFailure.ts"
import type { TimeInput } from "../../domain/value/Instant.ts"
import { makeBatchSending } from "../../internal/message/batchSending.ts"
import { clockFacts } from "../../internal/store/clockFacts.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { makeNoDispatcherWarning } from "../../internal/message/noDispatcherWarning.ts"
import { makeSendCommand } from "../../internal/message/sendCommand.ts"
import { makeScheduledMessages, messageReads } from "../../internal/message/scheduledMessages.ts"
import { loadSendFacts } from "../../internal/message/sendFacts.ts"
import { traced } from "../../internal/observability/traced.ts"
import { validated, validCaller } from "../../internal/validated.ts"
import { wakeAfterCommit } from "../../internal/store/wakeAfterCommit.ts"
import { Crypto } from "../../port/Crypto.ts"
import { FileReader } from "../../port/FileReader.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { PlanSource } from "../../port/PlanSource.ts"
import { Transport } from "../../port/Transport.ts"
import { Secrets } from "../access/Secrets.ts"
import { UnsubscribeLinks } from "../contact/UnsubscribeLinks.ts"
import { WakeUp } from "../delivery/WakeUp.ts"

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
 *
 * @example
 * ```ts
 * import type { SendInput } from "@mailkeep/core"
 * import { Sending } from "@mailkeep/core"
 * import { Effect, Result } from "effect"
 *
 * // Sends one reminder to each address, and returns the addresses that get none. A repeat with the same name sends no reminder twice.
 * export const sendReminders = (addresses: ReadonlyArray<string>, name: string) =>
 *   Effect.gen(function* () {
 *     const sending = yield* Sending
 *     const message = { from: "shop@acme.example", subject: "Your cart", text: "It is still here." }
 *     const inputs = addresses.map((to): SendInput => ({ ...message, to }))
 *     const planned = yield* sending.plan("prj_acme", inputs[0]!)
 *     if (planned.refusal !== null) return yield* planned.refusal
 *     const results = yield* sending.sendBatch("prj_acme", inputs, { idempotencyKey: name })
 *     return addresses.filter((_, n) => Result.isFailure(results[n]!))
 *   })
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
     * Accepts 1 to 100 messages at once. Returns one result for each message, in their order. Each message is accepted or refused by itself, as `send`
     * does. An issue of a message names it: `messages[3].to`. The idempotency key counts for each message with its position, so a repeat sends no
     * message twice. The options apply to each message.
     *
     * The texts and files of all messages have at most 30 MiB together. When a limit of the plan does not allow all messages, it is not defined
     * which of them are accepted.
     *
     * Fails with `InvalidArgument` when the list itself or an option is wrong. Then no message is accepted. Fails with `StoreUnavailable` when the
     * store refused a message and took none. When the store took some messages, `StoreUnavailable` is the result of the others. Repeat the call
     * with the same idempotency key.
     */
    readonly sendBatch: (
      caller: Caller,
      inputs: ReadonlyArray<SendInput>,
      options?: SendBatchOptions
    ) => Effect.Effect<
      ReadonlyArray<Result.Result<SendResult, SendRefusal | StoreUnavailable>>,
      InvalidArgument | StoreUnavailable
    >
    /**
     * Says what `send` would do now with the same arguments, by the same rules. Writes nothing, counts nothing and reserves nothing. A refusal of
     * `send` is a part of the result. Fails with `InvalidArgument` only when the input or an option has a wrong form, so that no recipient is known.
     *
     * The answer can be another a moment later, for example when another send uses the rest of a limit.
     */
    readonly plan: (
      caller: Caller,
      input: SendInput,
      options?: SendOptions
    ) => Effect.Effect<PlannedSend, InvalidArgument | StoreUnavailable>
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
     * Changes the scheduled time of a message whose deliveries all have the status `scheduled`, for which the rule of `cancel` applies. The new
     * time must be within the next 30 days and before the message expires. Fails like `cancel`, and with `PlanLimitReached` when the limit of the new UTC day does not allow all recipients.
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
      const ids = yield* IdSource
      const plans = yield* PlanSource
      const wakeUp = yield* WakeUp
      const noDispatcherWarning = yield* makeNoDispatcherWarning(store, wakeUp.dispatcherHasStarted)
      const { addressKey } = yield* Secrets
      const { smtpUtf8 } = (yield* Transport).capabilities
      const commands = makeSendCommand({
        crypto: yield* Crypto,
        plans,
        files: Option.getOrNull(yield* Effect.serviceOption(FileReader)),
        addressKey
      })
      const canUnsubscribe = (yield* UnsubscribeLinks).isConfigured
      const factsDeps = { store, plans, addressKey, smtpUtf8, canUnsubscribe }

      const scope = yield* Effect.scope
      const thenWake = (projectId: ProjectId) => wakeAfterCommit(wakeUp.deliveries.notifyOf(projectId), scope)

      const accept = Effect.fnUntraced(function* (command: AcceptSend) {
        const clock = yield* clockFacts(ids, recipientsOf(command.send).length)
        const load = loadSendFacts(factsDeps, command, clock)
        const result = yield* commit(load, (known) => acceptSend(command, known), "bounded").pipe(
          thenWake(command.principal.projectId)
        )
        if (command.send.scheduledAt === null) yield* noDispatcherWarning.accepted
        return result
      })

      /** Validates a single send: the caller, the files by path, the options, and then the input. */
      const commandOf = Effect.fnUntraced(function* (caller: Caller, input: SendInput, options: SendOptions) {
        const principal = yield* validCaller(caller)
        const whole = yield* commands.withFiles(principal, input)
        const valid = yield* validated(parseSendOptions, options, "options")
        return yield* commands.commandOf(principal, whole, valid, valid.idempotencyKey)
      })

      const send = traced("Sending.send", (caller: Caller, input: SendInput, options: SendOptions = {}) =>
        Effect.flatMap(commandOf(caller, input, options), accept)
      )

      const sendAll = makeBatchSending({
        withFiles: commands.withFiles,
        accept: (principal, input, options, idempotencyKey) =>
          Effect.flatMap(commands.commandOf(principal, input, options, idempotencyKey), accept)
      })

      const sendBatch = Effect.fn("Sending.sendBatch")(function* (
        caller: Caller,
        inputs: ReadonlyArray<SendInput>,
        options: SendBatchOptions = {}
      ) {
        const principal = yield* validCaller(caller)
        return yield* sendAll(principal, inputs, yield* validated(parseSendOptions, options, "options"))
      })

      const plan = Effect.fn("Sending.plan")(function* (caller: Caller, input: SendInput, options: SendOptions = {}) {
        const command = yield* commandOf(caller, input, options)
        const { projectId } = command.principal
        const now = yield* Clock.currentTimeMillis
        // The ids of a plan are not shown and not stored, so they need not be unique.
        const known = yield* loadSendFacts(factsDeps, command, { now, ids: { time: now, high: 0, low: 0 } })
        const decided = acceptSend(command, known)
        if (Result.isFailure(decided) || !decided.success.answer.replayed)
          return plannedSend(command, { ...known, earlier: null }, decided)
        const [message, deliveries] = yield* store.read(messageReads(projectId, decided.success.answer.messageId))
        return plannedSend(command, { ...known, earlier: { message, deliveries } }, decided)
      })

      const { cancel, reschedule } = makeScheduledMessages({ store, commit, ids, plans, thenWake })

      return { send, sendBatch, plan, cancel, reschedule }
    })
  )
}
