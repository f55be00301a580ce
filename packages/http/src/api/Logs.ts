/**
 * The delivery log. Source: docs/spec/coverage.md S5; decision 0011.
 */
import { attemptOutcomes, deliveryReasons, deliveryStatuses, dispositions } from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { NotFoundBody } from "./Failures.ts"
import { Cursor, dateBound, FilterText, Limit, noQuery, oneOf, Search } from "./Parameters.ts"

export const DeliverySummaryBody = Schema.Struct({
  id: Schema.String,
  created_at: Schema.String,
  recipient: Schema.String,
  subject: Schema.String,
  status: Schema.Literals(deliveryStatuses),
  scheduled_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DeliverySummary" })

const LogPageBody = Schema.Struct({
  message: Schema.String,
  data: Schema.Struct({
    items: Schema.Array(DeliverySummaryBody),
    total: Schema.NullOr(Schema.Int),
    limit: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: Schema.NullOr(Schema.String)
  })
}).annotate({ identifier: "ListDeliveriesResponse" })

const text = Schema.NullOr(Schema.String)

export const AttemptBody = Schema.Struct({
  at: Schema.String,
  outcome: Schema.NullOr(Schema.Literals(attemptOutcomes)),
  smtp_code: Schema.NullOr(Schema.Int),
  enhanced_code: text,
  message: text,
  duration_ms: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "Attempt" })

const AttachmentSummaryBody = Schema.Struct({
  filename: Schema.String,
  content_type: Schema.String,
  content_id: text,
  disposition: Schema.Literals(dispositions),
  size: Schema.Int
}).annotate({ identifier: "AttachmentSummary" })

export const DeliveryBody = Schema.Struct({
  ...DeliverySummaryBody.fields,
  message_id: Schema.String,
  recipient_name: text,
  from_address: Schema.String,
  from_name: text,
  sending_domain: Schema.String,
  source: Schema.String,
  delivery_reason: Schema.NullOr(Schema.Literals(deliveryReasons)),
  status_message: text,
  canceled_at: text,
  html_content: text,
  text_content: text,
  accepted_at: text,
  delivered_at: text,
  bounced_at: text,
  complained_at: text,
  failed_at: text,
  bounce_type: Schema.NullOr(Schema.Literals(["hard", "soft"])),
  first_opened_at: Schema.Null,
  first_clicked_at: Schema.Null,
  open_count: Schema.Int,
  click_count: Schema.Int,
  domain: Schema.NullOr(Schema.Struct({ id: Schema.String, domain: Schema.String })),
  contact: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      email: Schema.String,
      first_name: Schema.String,
      last_name: Schema.String
    })
  ),
  template: Schema.NullOr(Schema.Struct({ id: Schema.String, name: Schema.String })),
  metadata: Schema.Record(Schema.String, Schema.Json),
  attachments: Schema.Array(AttachmentSummaryBody).annotate({
    description: "An extension. The files of the message, without their contents; `size` is in bytes."
  }),
  attempts: Schema.Array(AttemptBody)
}).annotate({ identifier: "Delivery" })

export class Logs extends HttpApiGroup.make("logs")
  .add(
    HttpApiEndpoint.get("list", "/emails/logs", {
      query: {
        limit: Limit,
        cursor: Cursor,
        status: oneOf(deliveryStatuses),
        source: FilterText,
        recipient: FilterText,
        search: Search,
        contactId: FilterText,
        templateId: FilterText,
        startDate: dateBound("start"),
        endDate: dateBound("end")
      },
      success: LogPageBody
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotateMerge(
        OpenApi.annotations({
          summary: "List deliveries",
          description:
            "Newest first. A search that takes longer than 1 s ends the page, which may then be short or empty although more pages follow. Check `hasMore`."
        })
      ),
    HttpApiEndpoint.get("get", "/emails/logs/:deliveryId", {
      params: { deliveryId: Schema.String },
      query: noQuery,
      success: DeliveryBody,
      error: NotFoundBody
    })
      .annotate(RequiredPermission, "email.full_access")
      .annotateMerge(OpenApi.annotations({ summary: "Get a delivery" }))
  )
  .middleware(WellFormed)
  .middleware(Bearer) {}
