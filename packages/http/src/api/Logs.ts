/**
 * The delivery log. Source: docs/spec/coverage.md S5; decision 0011.
 */
import { attemptOutcomes, deliveryReasons, deliveryStatuses, dispositions } from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer, RequiredPermission, WellFormed } from "./Access.ts"
import { NotFoundBody } from "./Failures.ts"
import { TextOrNull } from "./Page.ts"
import { Cursor, dateBound, FilterText, Limit, noQuery, oneOf, Recipient, Search } from "./Parameters.ts"

export const DeliverySummaryBody = Schema.Struct({
  id: Schema.String,
  created_at: Schema.String,
  recipient: Schema.String,
  subject: Schema.String,
  status: Schema.Literals(deliveryStatuses),
  scheduled_at: TextOrNull
}).annotate({ identifier: "DeliverySummary" })

const LogPageBody = Schema.Struct({
  message: Schema.String,
  data: Schema.Struct({
    items: Schema.Array(DeliverySummaryBody),
    total: Schema.NullOr(Schema.Int),
    limit: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: TextOrNull
  })
}).annotate({ identifier: "ListDeliveriesResponse" })

export const AttemptBody = Schema.Struct({
  at: Schema.String,
  outcome: Schema.NullOr(Schema.Literals(attemptOutcomes)),
  smtp_code: Schema.NullOr(Schema.Int),
  enhanced_code: TextOrNull,
  message: TextOrNull,
  duration_ms: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "Attempt" })

const AttachmentSummaryBody = Schema.Struct({
  filename: Schema.String,
  content_type: Schema.String,
  content_id: TextOrNull,
  disposition: Schema.Literals(dispositions),
  size: Schema.Int
}).annotate({ identifier: "AttachmentSummary" })

export const DeliveryBody = Schema.Struct({
  ...DeliverySummaryBody.fields,
  message_id: Schema.String,
  recipient_name: TextOrNull,
  from_address: Schema.String,
  from_name: TextOrNull,
  sending_domain: Schema.String,
  source: Schema.String,
  delivery_reason: Schema.NullOr(Schema.Literals(deliveryReasons)),
  status_message: TextOrNull,
  canceled_at: TextOrNull,
  html_content: TextOrNull,
  text_content: TextOrNull,
  accepted_at: TextOrNull,
  delivered_at: TextOrNull,
  bounced_at: TextOrNull,
  complained_at: TextOrNull,
  failed_at: TextOrNull,
  bounce_type: Schema.NullOr(Schema.Literals(["hard", "soft"])),
  first_opened_at: TextOrNull,
  first_clicked_at: TextOrNull,
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
        recipient: Recipient,
        search: Search,
        contactId: FilterText,
        templateId: FilterText,
        startDate: dateBound("start"),
        endDate: dateBound("end")
      },
      success: LogPageBody
    }).annotateMerge(
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
    }).annotateMerge(OpenApi.annotations({ summary: "Get a delivery" }))
  )
  .annotateEndpoints(RequiredPermission, "email.full_access")
  .middleware(WellFormed)
  .middleware(Bearer) {}
