/**
 * The endpoints that send, cancel and reschedule messages.
 */
import type { Principal, SendInput } from "@mailkeep/core"
import { Access, formatInstant, Sending } from "@mailkeep/core"
import { batchItemsMax, parseReschedule } from "@mailkeep/core/binding"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { applyRateLimit } from "../accessControl.ts"
import { refusedMessageView } from "../failureResponse.ts"
import { asPrincipal, bodyOf } from "../handlerResponse.ts"
import { RequestScope } from "../RequestScope.ts"
import { withBatchBody, withRequestNames, withSendBody } from "../sendBody.ts"
import { sendResultView } from "../deliveryViews.ts"

/** Says in the response that it is that of an earlier request. */
const markReplayed = Effect.map(RequestScope, ({ responseHeaders }) => {
  responseHeaders["idempotent-replayed"] = "true"
})

export const messages = HttpApiBuilder.group(
  MailApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const sending = yield* Sending
    const access = yield* Access

    /** The request has taken one token of the rate limit. Each further message takes one more. */
    const takeRateLimitOf = Effect.fnUntraced(function* (principal: Principal, messages: unknown) {
      const count = Array.isArray(messages) ? messages.length : 0
      if (count < 2 || count > batchItemsMax) return
      yield* applyRateLimit(access, yield* access.takeMoreRateLimit(principal, count - 1))
    })

    const sendBatch = Effect.fnUntraced(function* (
      principal: Principal,
      messages: ReadonlyArray<SendInput>,
      idempotencyKey: string
    ) {
      yield* takeRateLimitOf(principal, messages)
      const results = yield* sending.sendBatch(principal, messages, { idempotencyKey })
      const accepted = results.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
      if (accepted.length > 0 && accepted.every(({ replayed }) => replayed)) yield* markReplayed
      return {
        data: results.map((one) =>
          Result.isSuccess(one) ? sendResultView(one.success) : refusedMessageView(withRequestNames(one.failure))
        )
      }
    })

    return handlers
      .handleRaw("send", ({ request, headers }) =>
        asPrincipal((principal) =>
          withSendBody(request, (input) =>
            Effect.gen(function* () {
              const result = yield* sending.send(principal, input, { idempotencyKey: headers["idempotency-key"] })
              if (result.replayed) yield* markReplayed
              return { data: sendResultView(result) }
            })
          )
        )
      )
      .handleRaw("sendBatch", ({ request, headers }) =>
        asPrincipal((principal) =>
          withBatchBody(request, (messages) => sendBatch(principal, messages, headers["idempotency-key"]))
        )
      )
      .handle("cancel", ({ params }) =>
        asPrincipal((principal) =>
          Effect.map(sending.cancel(principal, params.messageId), ({ messageId, canceledAt, deliveryIds }) => ({
            message: "Scheduled email canceled",
            data: { messageId, status: "canceled" as const, canceledAt: formatInstant(canceledAt), deliveryIds }
          }))
        )
      )
      .handleRaw("reschedule", ({ request, params }) =>
        asPrincipal((principal) =>
          Effect.map(
            Effect.flatMap(bodyOf(request, parseReschedule), ({ scheduledAt }) =>
              sending.reschedule(principal, params.messageId, scheduledAt)
            ),
            ({ messageId, scheduledAt, deliveryIds }) => ({
              message: "Scheduled email rescheduled",
              data: { messageId, status: "scheduled" as const, scheduledAt: formatInstant(scheduledAt), deliveryIds }
            })
          )
        )
      )
  })
)
