/**
 * Statements on sending an email.
 */
import {
  address,
  at,
  everyResponse,
  instant,
  refusals,
  section,
  sending,
  sendingLimits,
  sendRequest,
  wire,
  wireTemplateSends
} from "./proofs.ts"

export const send = section(6, "Send an email", [
  [
    "`POST /api/v1/emails/send` with `email.send`.",
    [at.api("Messages")],
    [refusals("%s %s requires an API key with %s")]
  ],
  [
    "`Content-Type` is `application/json`.",
    [at.api("Parameters")],
    [
      wire("reads JSON with a charset parameter"),
      wire("returns all issues of the first wrong part of a request: headers, then query, then body")
    ]
  ],
  [
    "`Idempotency-Key` is required.",
    [at.api("Parameters")],
    [wire("refuses the idempotency key %j")],
    "0007-idempotency"
  ],
  [
    "The replay for a repeated idempotency key: not shown.",
    [at.decide("acceptSend")],
    [
      sending("returns the same answer for the same idempotency key and request, and charges once"),
      sending("refuses a used idempotency key with another request"),
      sending("creates one message when concurrent sends have one idempotency key"),
      wire("repeats the same response bytes for a replay, and marks the replay")
    ],
    "0007-idempotency"
  ],
  [
    "`from` is a bare sender address.",
    [at.domain("Address")],
    [sendRequest("refuses a send with %s"), address("refuses the address %j")],
    "0010-addresses"
  ],
  ["`to` is one address or 1 to 100.", [at.domain("SendRequest")], [sendRequest("refuses a send with %s")]],
  [
    "`subject` has 1 to 500 characters and is required without a template.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")]
  ],
  [
    "Without a template at least one of `html` and `text` is required.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")]
  ],
  [
    "`templateId` names a published template.",
    [at.service("Sending"), at.decide("renderTemplate")],
    [
      wireTemplateSends("sends the published version of a template when the draft differs, and logs the template"),
      wireTemplateSends("refuses a send when its template is unpublished, archived, unknown or of another project")
    ],
    "0027-templates"
  ],
  [
    "`templateVariables` are strings, numbers or booleans by name.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")]
  ],
  [
    "With a template, its subject, HTML and text replace the request's.",
    [at.decide("renderTemplate")],
    [wireTemplateSends("sends the published version of a template when the draft differs, and logs the template")],
    "0027-templates"
  ],
  ["`fromName` has 1 to 100 characters.", [at.domain("SendRequest")], [sendRequest("refuses a send with %s")]],
  ["`replyTo` is an address.", [at.domain("SendRequest")], [sendRequest("refuses a send with %s")]],
  [
    "`cc` and `bcc` are one address or several.",
    [at.domain("SendRequest")],
    [
      sendRequest("refuses a send with %s"),
      sending("records one delivery for each recipient, in the order to, cc, bcc")
    ]
  ],
  [
    "`cc` and `bcc` are allowed only with one address in `to`.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0010-addresses"
  ],
  [
    "`to`, `cc` and `bcc` have at most 50 addresses together.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0010-addresses"
  ],
  [
    "`metadata` is an object.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0021-field-limits"
  ],
  [
    "`scheduledAt` is ISO 8601 with an offset.",
    [at.domain("Instant")],
    [instant("parses the instant %s"), instant("refuses the instant %j"), sendRequest("refuses a send with %s")]
  ],
  [
    "`scheduledAt` is in the future and at most 30 days ahead.",
    [at.domain("SendingWindow")],
    [sending("refuses a scheduled time %s ms ahead with %s")]
  ],
  [
    "A sender domain that is not verified is refused with 403.",
    [at.decide("acceptSend")],
    [
      sending("refuses a sender domain that is unknown or not verified"),
      refusals(
        "checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order"
      )
    ]
  ],
  [
    "A sender domain outside the API key's scope is refused with 403.",
    [at.service("Sending")],
    [
      refusals(
        "checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order"
      )
    ]
  ],
  [
    "The answer is 202 with the send result in `data`.",
    [at.api("Messages")],
    [wire("answers 202 with the message and its deliveries, under data and nothing else")]
  ],
  [
    "The document lists 400, 401, 403 and 429 for a send.",
    [at.api("Messages")],
    [everyResponse("serves an OpenAPI document with every path")]
  ],
  [
    "A client learns the result from events or from the list of deliveries.",
    [at.service("DeliveryLog")],
    [wire("sends a scheduled message when its time has come")]
  ],
  [
    "A scheduled send counts toward the daily limit of its scheduled day.",
    [at.decide("acceptSend")],
    [sendingLimits("counts a scheduled send on its scheduled day")]
  ],
  [
    "Rescheduling and canceling: shape not shown.",
    [at.api("Messages")],
    [
      wire("cancels a scheduled message, and repeats the same response for a second cancel"),
      wire("reschedules a scheduled message under the rules of a send"),
      wire("answers 409 for a message that was sent and 404 for an unknown message")
    ],
    "0008-cancel-and-reschedule"
  ]
])
