/**
 * Statements of the specification on authentication, errors, limits and versions.
 */
import {
  access,
  at,
  bucket,
  contactRequest,
  contacts,
  everyResponse,
  refusals,
  scheduledSending,
  section,
  sendingLimits,
  sendRequest,
  wire,
  wireContacts,
  wireDeliveryLog
} from "./proofs.ts"

export const authentication = section(9, "Authentication", [
  [
    "Every request carries an API key as bearer token.",
    [at.server("accessControl")],
    [refusals("%s %s requires an API key with %s"), refusals("reads the authorization scheme in upper and lower case")]
  ],
  ["Each endpoint requires its permission.", [at.api("Access")], [refusals("%s %s requires an API key with %s")]],
  [
    "An API key may have a domain scope; a send outside the scope is 403.",
    [at.domain("ApiKey")],
    [
      refusals(
        "checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order"
      )
    ],
    "0014-api-keys"
  ],
  [
    "A missing, malformed, revoked or expired API key is 401 `unauthorized`.",
    [at.service("Access")],
    [
      access("refuses a missing, malformed, unknown, wrong, revoked or expired API key with the same message"),
      refusals("refuses a revoked and an expired API key at once and with the same response")
    ],
    "0014-api-keys"
  ],
  [
    "A missing permission is 403 `not_allowed`, and the message names it.",
    [at.domain("Failure")],
    [refusals("%s %s requires an API key with %s"), access("grants no permission that an API key does not list")]
  ],
  [
    "Every request sees only the API key's project.",
    [at.domain("Query")],
    [
      refusals("shows a project no record of another project by its id"),
      refusals("shows a project no record of another project in a list, a filter or a search"),
      refusals("refuses the cursor of another project"),
      refusals("keeps the idempotency keys, contacts and suppressions of each project separate")
    ]
  ],
  [
    "The creation, format and lifetime of API keys: not shown.",
    [at.domain("ApiKey"), at.service("ApiKeys")],
    [access("authenticates an API key with its project, permissions and domain scope")],
    "0014-api-keys"
  ]
])

export const errors = section(11, "Errors", [
  [
    "Every failure has `error`, `message` and `correlationId`.",
    [at.server("failureResponse")],
    [
      everyResponse("carries the correlation id of the request, or a new one, in every response"),
      everyResponse("answers 404 for an unknown path and 405 with Allow for a wrong method")
    ],
    "0009-refusals"
  ],
  [
    "400 has `details` with `context` and `issues`.",
    [at.domain("Issue")],
    [
      wire("returns all issues of the first wrong part of a request: headers, then query, then body"),
      sendRequest("refuses a send with %s")
    ],
    "0009-refusals"
  ],
  [
    "429 has `code`; a rate limit also has `scope` and `retryAfterSeconds`.",
    [at.server("failureResponse")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      ),
      refusals("refuses a send over a plan limit without scope and without Retry-After")
    ]
  ],
  [
    "400 `invalid_argument`: the request does not match the schema.",
    [at.server("schemaErrors")],
    [wire("refuses a body that is %s"), wireDeliveryLog("refuses the log query %.30s")]
  ],
  ["401 `unauthorized`.", [at.server("failureResponse")], [refusals("%s %s requires an API key with %s")]],
  ["403 `not_allowed`.", [at.server("failureResponse")], [refusals("%s %s requires an API key with %s")]],
  [
    "404 `not_found`.",
    [at.server("failureResponse")],
    [wireContacts("answers 409, 404 and 400 for contacts as documented")]
  ],
  [
    "409 `duplicate_error`.",
    [at.server("failureResponse")],
    [wireContacts("answers 409, 404 and 400 for contacts as documented")]
  ],
  [
    "429 `too_many_requests` with `RATE_LIMITED` and `Retry-After`.",
    [at.server("failureResponse")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      ),
      bucket("allows a request after retryAfterSeconds")
    ]
  ],
  [
    "429 `too_many_requests` with a code of the plan, such as `contact_limit_exceeded`.",
    [at.domain("Plan")],
    [
      contacts("refuses contacts over the plan's limit, and reports a duplicate first"),
      refusals("refuses a send over a plan limit without scope and without Retry-After")
    ],
    "0015-limits"
  ],
  [
    "`quota_exceeded` is the reason of a delivery, not the error of a response.",
    [at.domain("DeliveryTable")],
    [scheduledSending("fails a due delivery with quota_exceeded when the allowance is used up")]
  ],
  [
    "The shape of an issue: not shown.",
    [at.domain("Issue")],
    [wire("does not repeat sent data in an error")],
    "0009-refusals"
  ],
  [
    "The other plan codes: not shown.",
    [at.domain("Plan")],
    [
      sendingLimits("refuses a whole send when the plan permits only a part of it"),
      sendingLimits("limits the recipients of scheduled messages")
    ],
    "0015-limits"
  ]
])

export const limits = section(12, "Limits and versions", [
  [
    "The page size, cursor, recipient, subject, name and user-id limits.",
    [at.domain("Paging"), at.domain("SendRequest")],
    [
      wireDeliveryLog("refuses the log query %.30s"),
      sendRequest("refuses a send with %s"),
      contactRequest("validates a new contact with %s")
    ]
  ],
  [
    "Sends and contact creates are rate limited with `Retry-After`.",
    [at.server("accessControl")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      )
    ]
  ],
  [
    "The number of scheduled recipients is limited.",
    [at.decide("usageChange")],
    [sendingLimits("limits the recipients of scheduled messages")]
  ],
  [
    "The number of sends per day is limited.",
    [at.decide("usageChange")],
    [
      sendingLimits("refuses a whole send when the plan permits only a part of it"),
      sendingLimits("accepts one of several concurrent sends when the limit %s is 1")
    ]
  ],
  [
    "The sending allowance is charged at send time.",
    [at.domain("DeliveryTable")],
    [
      sendingLimits("refuses an immediate send over the allowance, and accepts a scheduled send"),
      scheduledSending("charges and sends a scheduled delivery when it is due")
    ],
    "0015-limits"
  ],
  [
    "The number of contacts is limited.",
    [at.decide("contact")],
    [contacts("refuses contacts over the plan's limit, and reports a duplicate first")]
  ],
  [
    "The numbers and scope of the rate limit, and the numbers of the plan: not shown.",
    [at.domain("Plan"), at.domain("TokenBucket")],
    [bucket("allows at most its size and the refilled tokens over any span")],
    "0015-limits"
  ],
  [
    "The version is the path prefix `/api/v1`.",
    [at.api("MailApi")],
    [everyResponse("serves an OpenAPI document with every path")]
  ],
  ["Deprecation, other versions and negotiation: not shown.", [], [], "0019-versions"]
])
