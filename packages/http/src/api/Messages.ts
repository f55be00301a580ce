/**
 * Sending, canceling and rescheduling messages. Source: docs/spec/coverage.md S6; decisions 0007, 0008 and 0010.
 */
import { AttachmentBody, attachmentsMax, batchItemsMax, RescheduleBody, SendBody } from "@mailkeep/core/binding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Bearer, rateLimited, RequiredPermission, WellFormed } from "./Access.ts"
import { ConflictBody, NotFoundBody, RefusedMessageBody, TooManyRequestsBody, bodyRefusals } from "./Failures.ts"
import { responseOf, TextOrNull } from "./Page.ts"
import { jsonRequest, noQuery, sendHeaders } from "./Parameters.ts"

const AcceptedMessageBody = Schema.Struct({
  totalQueued: Schema.Int,
  messageId: Schema.String,
  deliveryIds: Schema.Array(Schema.String),
  scheduledAt: TextOrNull
}).annotate({ identifier: "AcceptedMessage" })

export const SendResultBody = responseOf(AcceptedMessageBody, "SendEmailResponse")

/** One result for each message, in the order of the request. */
export const SendBatchResultBody = Schema.Struct({
  data: Schema.Array(Schema.Union([AcceptedMessageBody, RefusedMessageBody]))
}).annotate({ identifier: "SendBatchResponse" })

export const CanceledMessageBody = Schema.Struct({
  message: Schema.String,
  data: Schema.Struct({
    messageId: Schema.String,
    status: Schema.Literal("canceled"),
    canceledAt: Schema.String,
    deliveryIds: Schema.Array(Schema.String)
  })
}).annotate({ identifier: "CancelMessageResponse" })

export const RescheduledMessageBody = Schema.Struct({
  message: Schema.String,
  data: Schema.Struct({
    messageId: Schema.String,
    status: Schema.Literal("scheduled"),
    scheduledAt: Schema.String,
    deliveryIds: Schema.Array(Schema.String)
  })
}).annotate({ identifier: "RescheduleMessageResponse" })

const { filename, content, contentType, contentId, disposition } = AttachmentBody.fields

/** A file of a message, an extension of the interface. Source: decision 0042. */
const SendAttachmentBody = Schema.Struct({
  filename,
  content,
  content_type: contentType,
  content_id: contentId,
  disposition
}).annotate({ identifier: "Attachment" })

/** The body of a send, with the names of the wire. The description has the rules that the schema cannot have. */
const SendEmailBody = Schema.Struct({
  ...SendBody.fields,
  attachments: Schema.optionalKey(
    Schema.Array(SendAttachmentBody)
      .check(Schema.isMaxLength(attachmentsMax))
      .annotate({ description: "Files of the message, at most 20 MiB together. An extension." })
  )
}).annotate({
  identifier: "SendEmailRequest",
  description:
    "Without `templateId`, `subject` is required, and so is `html` or `text`. With `templateId`, the template replaces them. " +
    "`templateVariables` is allowed only with `templateId`: at most 1,000 values of 256 KiB each, and 1 MiB together. " +
    "`to`, `cc` and `bcc` have at most 50 addresses together. `cc` and `bcc` are allowed only with one address in `to`. " +
    "`html` and `text` have at most 2 MiB each in UTF-8. `metadata` has at most 4 KiB as JSON, and keys of at most 40 characters. " +
    "`scheduledAt` is in the future and at most 30 days ahead."
})

/** Several sends in one request, an extension of the interface. Source: decision 0048. */
const SendBatchBody = Schema.Struct({
  messages: Schema.Array(SendEmailBody).check(Schema.isMinLength(1), Schema.isMaxLength(batchItemsMax))
}).annotate({ identifier: "SendBatchRequest" })

const messageParams = { messageId: Schema.String }

export class Messages extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.post("send", "/emails/send", {
      headers: sendHeaders,
      query: noQuery,
      payload: SendEmailBody,
      success: SendResultBody.pipe(HttpApiSchema.status(202)),
      error: [...bodyRefusals, TooManyRequestsBody]
    })
      .annotateMerge(rateLimited)
      .annotateMerge(OpenApi.annotations({ summary: "Send an email" })),
    HttpApiEndpoint.post("sendBatch", "/emails/batch", {
      headers: sendHeaders,
      query: noQuery,
      payload: SendBatchBody,
      success: SendBatchResultBody.pipe(HttpApiSchema.status(202)),
      error: [...bodyRefusals, TooManyRequestsBody]
    })
      .annotateMerge(rateLimited)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Send several emails",
          description:
            "An extension. Accepts or refuses each message by itself, and answers in the order of the request. A repeat with the same key sends no message twice. Each message counts against the rate limit."
        })
      ),
    HttpApiEndpoint.post("cancel", "/emails/messages/:messageId/cancel", {
      params: messageParams,
      query: noQuery,
      success: CanceledMessageBody,
      error: [NotFoundBody, ConflictBody]
    }).annotateMerge(OpenApi.annotations({ summary: "Cancel a scheduled message" })),
    HttpApiEndpoint.patch("reschedule", "/emails/messages/:messageId", {
      params: messageParams,
      ...jsonRequest,
      payload: RescheduleBody,
      success: RescheduledMessageBody,
      error: [NotFoundBody, ConflictBody, ...bodyRefusals, TooManyRequestsBody]
    }).annotateMerge(OpenApi.annotations({ summary: "Reschedule a scheduled message" }))
  )
  .annotateEndpoints(RequiredPermission, "email.send")
  .middleware(WellFormed)
  .middleware(Bearer) {}
