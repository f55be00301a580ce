/**
 * The endpoints that send, cancel and reschedule messages.
 */
import type { SendRequest } from "@mailkeep/core"
import { formatInstant, parseInstant, parseReschedule, parseSend, Sending } from "@mailkeep/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentPrincipal } from "../../api/Access.ts"
import { MailApi } from "../../api/MailApi.ts"
import { answered, asPrincipal, bodyOf } from "../answering.ts"
import { RequestScope } from "../RequestScope.ts"
import { sendResultView } from "../views.ts"

export const messages = HttpApiBuilder.group(
  MailApi,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const sending = yield* Sending
    return handlers
      .handleRaw("send", ({ request, headers }) =>
        answered(
          Effect.gen(function* () {
            const principal = yield* CurrentPrincipal
            const send: SendRequest = yield* bodyOf(request, parseSend)
            const { result, replayed } = yield* sending.send(principal, send, headers["idempotency-key"])
            if (replayed) (yield* RequestScope).responseHeaders["idempotent-replayed"] = "true"
            return { data: sendResultView(result) }
          })
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
              sending.reschedule(principal, params.messageId, parseInstant(scheduledAt)!)
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
