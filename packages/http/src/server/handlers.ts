/**
 * The endpoints over the services: decode the body, call the use case, show the record. No rule lives here.
 */
import type { Issue, MailFailure, SendRequest, StoreUnavailable } from "@mailkeep/core"
import {
  Contacts,
  DeliveryLog,
  Domains,
  formatInstant,
  InvalidArgument,
  parseAddress,
  parseCreateContact,
  parseInstant,
  parseReschedule,
  parseSend,
  parseUpdateContact,
  Sending
} from "@mailkeep/core"
import { Effect, Layer, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentPrincipal } from "../api/Access.ts"
import { MailApi } from "../api/MailApi.ts"
import { errorResponse, failureResponse } from "./failureResponse.ts"
import { BodyTooLarge, bodyOctetsMax, jsonBody } from "./requestBody.ts"
import { RequestScope } from "./RequestScope.ts"
import {
  contactSummaryView,
  contactView,
  deliverySummaryView,
  deliveryView,
  domainView,
  sendResultView
} from "./views.ts"

type Refusal = MailFailure | StoreUnavailable | BodyTooLarge

/** A use case's failure as its answer. */
const answered = <A, R>(effect: Effect.Effect<A, Refusal, R>) =>
  Effect.catch(effect, (failure) =>
    failure instanceof BodyTooLarge
      ? errorResponse(413, { error: "invalid_argument", message: `The body is larger than ${bodyOctetsMax} octets.` })
      : failureResponse(failure)
  )

/** The request's body, read by one of the core's readers. */
const bodyOf = <A>(
  request: HttpServerRequest.HttpServerRequest,
  read: (input: unknown) => Result.Result<A, ReadonlyArray<Issue>>
): Effect.Effect<A, InvalidArgument | BodyTooLarge> =>
  Effect.flatMap(jsonBody(request), (json) => {
    const parsed = read(json)
    return Result.isSuccess(parsed)
      ? Effect.succeed(parsed.success)
      : Effect.fail(new InvalidArgument({ context: "body", issues: parsed.failure }))
  })

const messages = HttpApiBuilder.group(
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
        answered(
          Effect.gen(function* () {
            const { projectId } = yield* CurrentPrincipal
            const { messageId, canceledAt, deliveryIds } = yield* sending.cancel(projectId, params.messageId)
            return {
              message: "Email message canceled",
              data: { messageId, status: "canceled" as const, canceledAt: formatInstant(canceledAt), deliveryIds }
            }
          })
        )
      )
      .handleRaw("reschedule", ({ request, params }) =>
        answered(
          Effect.gen(function* () {
            const { projectId } = yield* CurrentPrincipal
            const asked = yield* bodyOf(request, parseReschedule)
            const { messageId, scheduledAt, deliveryIds } = yield* sending.reschedule(
              projectId,
              params.messageId,
              parseInstant(asked.scheduledAt)!
            )
            return {
              message: "Email message rescheduled",
              data: { messageId, status: "scheduled" as const, scheduledAt: formatInstant(scheduledAt), deliveryIds }
            }
          })
        )
      )
  })
)

/** An empty search is no filter. */
const searchOf = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text)

const logs = HttpApiBuilder.group(
  MailApi,
  "logs",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* DeliveryLog
    return handlers
      .handle("list", ({ query }) =>
        answered(
          Effect.gen(function* () {
            const { projectId } = yield* CurrentPrincipal
            const recipient = query.recipient ?? null
            const { items, ...page } = yield* log.page(
              projectId,
              {
                status: query.status ?? null,
                source: query.source ?? null,
                // What is no address is nobody's; it stays as given and matches nothing.
                address: recipient === null ? null : (parseAddress(recipient)?.canonical ?? recipient),
                search: searchOf(query.search),
                contactId: query.contactId ?? null,
                templateId: query.templateId ?? null,
                startDate: query.startDate ?? null,
                endDate: query.endDate ?? null
              },
              { limit: query.limit, cursor: query.cursor ?? null }
            )
            return { message: "Email logs fetched", data: { items: items.map(deliverySummaryView), ...page } }
          })
        )
      )
      .handle("get", ({ params }) =>
        answered(
          Effect.gen(function* () {
            const { projectId } = yield* CurrentPrincipal
            return deliveryView(yield* log.get(projectId, params.deliveryId))
          })
        )
      )
  })
)

const contacts = HttpApiBuilder.group(
  MailApi,
  "contacts",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Contacts
    return handlers
      .handle("list", ({ query }) =>
        answered(
          Effect.gen(function* () {
            const { projectId } = yield* CurrentPrincipal
            const { items, ...page } = yield* service.page(
              projectId,
              {
                search: searchOf(query.search),
                emailStatus: query.emailStatus ?? null,
                listId: query.listId ?? null,
                segmentId: query.segmentId ?? null
              },
              { page: query.page, limit: query.limit }
            )
            return { message: "Email contacts fetched", data: { items: items.map(contactSummaryView), ...page } }
          })
        )
      )
      .handleRaw("create", ({ request }) =>
        answered(
          Effect.gen(function* () {
            const { projectId } = yield* CurrentPrincipal
            return { data: contactView(yield* service.create(projectId, yield* bodyOf(request, parseCreateContact))) }
          })
        )
      )
      .handleRaw("update", ({ request, params }) =>
        answered(
          Effect.gen(function* () {
            const { projectId } = yield* CurrentPrincipal
            const asked = yield* bodyOf(request, parseUpdateContact)
            return { data: contactView(yield* service.update(projectId, params.contactId, asked)) }
          })
        )
      )
  })
)

const domains = HttpApiBuilder.group(
  MailApi,
  "domains",
  Effect.fnUntraced(function* (handlers) {
    const service = yield* Domains
    return handlers.handle("list", ({ query }) =>
      answered(
        Effect.gen(function* () {
          const { projectId } = yield* CurrentPrincipal
          const { items, ...page } = yield* service.page(projectId, query)
          return { message: "Email domains fetched", data: { items: items.map(domainView), ...page } }
        })
      )
    )
  })
)

export const layer = Layer.mergeAll(messages, logs, contacts, domains)
