/**
 * The endpoints that send, cancel and reschedule messages.
 */
import { formatInstant, Sending } from "@mailkeep/core"
import { parseReschedule } from "@mailkeep/core/binding"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailApi } from "../../api/MailApi.ts"
import { asPrincipal, bodyOf } from "../handlerResponse.ts"
import { RequestScope } from "../RequestScope.ts"
import { withSendBody } from "../sendBody.ts"
import { sendResultView } from "../views.ts"

export const messages = HttpApiBuilder.group(
  MailApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const sending = yield* Sending
    return handlers
      .handleRaw("send", ({ request, headers }) =>
        asPrincipal((principal) =>
          withSendBody(request, (input) =>
            Effect.gen(function* () {
              const result = yield* sending.send(principal, input, { idempotencyKey: headers["idempotency-key"] })
              if (result.replayed) (yield* RequestScope).responseHeaders["idempotent-replayed"] = "true"
              return { data: sendResultView(result) }
            })
          )
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
