/**
 * Clarifications on responses, API keys and permissions.
 */
import { connections } from "./clarifiedConnections.ts"
import {
  access,
  apiKey,
  at,
  bucket,
  clarified,
  command,
  everyResponse,
  failures,
  jsonBounds,
  openApi,
  privateFolder,
  refusals,
  sending,
  sendRequest,
  wire,
  wireAttachments,
  wireDeliveryLog,
  wireDocs,
  wireLogs,
  wireMessages,
  wireOrder,
  wireScope
} from "./proofs.ts"

export const responses = clarified(1, "Every response", [
  [
    "The correlation id is in the body of an error and in two headers; a valid `X-Request-Id` is adopted.",
    [at.server("requestMiddleware")],
    [everyResponse("carries the correlation id of the request, or a new one, in every response")],
    "0009-refusals"
  ],
  [
    "An error has its `error` word, a message and the correlation id. 400 has details and 429 has a code. A rate limit also has its scope and wait.",
    [at.server("failureResponse")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      ),
      refusals("refuses a send over a plan limit without scope and without Retry-After")
    ],
    "0009-refusals"
  ],
  [
    "Path, headers, query and body are checked in this order. The details list every problem of the first part that has one, each with its path and a code of a closed list.",
    [at.domain("Issue"), at.server("schemaErrors")],
    [
      wire("returns all issues of the first wrong part of a request: headers, then query, then body"),
      wireOrder("lists all issues of a body for %s"),
      wireOrder("lists the issues of a file and of a rule between fields beside those of other fields")
    ],
    "0009-refusals"
  ],
  [
    "The `message` of a 400 describes its first issue: part and path, the problem, and the number of further issues.",
    [at.domain("Issue"), at.domain("Failure")],
    [
      wireMessages("answers an invalid send with the message %j"),
      wireMessages("names the part of the request for a wrong header, query parameter or property"),
      wireMessages("counts every issue and names the first")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "No message contains a secret or a body.",
    [at.domain("Issue")],
    [
      wire("does not repeat a field name in the message when it is %s"),
      wire("does not repeat sent data in an error"),
      sendRequest("throws no error for any send, and repeats no value of the request in an issue")
    ]
  ],
  [
    "Checks run in one fixed order, so that an honest retry is replayed however late it arrives.",
    [at.server("accessControl"), at.service("Sending")],
    [
      refusals(
        "checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order"
      ),
      refusals("checks the rate limit after the API key and before the permission"),
      wireOrder("answers 400 to %s %s before it looks for records"),
      sending("replays a scheduled send until 30 days after its scheduled time")
    ],
    "0009-refusals"
  ],
  [
    "Invalid JSON, another content type and JSON with more than 64 levels are 400. The levels are counted before parsing.",
    [at.server("requestBody"), at.server("jsonBounds")],
    [
      wire("refuses a body that is %s"),
      wire("reads JSON with a charset parameter"),
      jsonBounds("stops at the first byte that is %s")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "The documentation page runs only its own scripts, and every answer forbids content sniffing.",
    [at.server("docs"), at.server("requestMiddleware")],
    [
      wireDocs("allows exactly the inline scripts of the docs page, each by its hash"),
      wireDocs("forbids browsers to guess the content type of %s")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "A body over 10 MiB is 413, and the client receives the answer. The body of a send with files, or of a batch, may have 30 MiB.",
    [at.server("requestBody")],
    [
      wire("refuses a body larger than 10 MiB so that the client can read the response"),
      wireAttachments("refuses a send larger than 30 MiB with 413, so that the client can read the response"),
      everyResponse("answers within five seconds when a body is declared too large and does not arrive")
    ]
  ],
  [
    "An unknown route is 404; a wrong method is 405 with `Allow`.",
    [at.server("requestMiddleware")],
    [everyResponse("answers 404 for an unknown path and 405 with Allow for a wrong method")]
  ],
  [
    "A bug is 500 without internal details. The log has the class and location of the error, but not its message.",
    [at.server("failureResponse"), at.domain("bugReport")],
    [
      failures("answers 500 without internal details for a bug, and serves the next request"),
      wireLogs("logs the class and the stack of a bug without its message when it is %s")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "An unavailable store is 503 with `Retry-After`, and one log line in ten seconds.",
    [at.server("failureResponse"), at.server("storeWarning")],
    [
      failures(
        "answers 503 with Retry-After while the store is unavailable, and processes the same request afterwards"
      ),
      wireLogs("logs each reason why the store is unavailable once in ten seconds, with the number of failures")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "Unknown fields and query parameters are refused.",
    [at.server("schemaErrors")],
    [wireDeliveryLog("refuses the log query %.30s"), sendRequest("refuses a send with %s")]
  ],
  [
    "A token bucket limits sends and contact creates for each API key and then each project. The wait is a whole number of seconds, at least 1, and the same in header and body.",
    [at.domain("TokenBucket"), "packages/core/src/port/RateLimiter.ts"],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      ),
      bucket("allows a request after retryAfterSeconds")
    ],
    "0015-limits"
  ],
  [
    "When a limit is set, only those endpoints have `RateLimit-Policy` and `RateLimit` headers.",
    [at.server("accessControl")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      )
    ],
    "0015-limits"
  ],
  [
    "The OpenAPI document lists every status of every endpoint, and every answer matches the document.",
    [at.api("documentDetails"), "packages/test-support/src/apiDocument.ts"],
    [
      openApi("lists for each operation the statuses that every endpoint may return"),
      openApi("is valid OpenAPI 3.1 according to an independent validator"),
      openApi("describes each number parameter as a number with its bounds"),
      openApi("has an example for every request body, valid by its schema")
    ]
  ],
  ...connections
])

export const keys = clarified(2, "Keys and permissions", [
  [
    "An API key is `mk_`, a public id of 12 characters, `_`, and a secret of 32 characters with a checksum.",
    [at.domain("ApiKey")],
    [apiKey("parses a complete API key to its parts"), apiKey("refuses an API key with one changed character")],
    "0014-api-keys"
  ],
  [
    "Only a hash of the secret is stored and compared in constant time. The API key is shown once.",
    [at.service("Access"), at.service("ApiKeys")],
    [access("stores no secret of an API key")],
    "0014-api-keys"
  ],
  [
    "No permission includes another, and a refusal names the missing permission.",
    [at.domain("ApiKey")],
    [access("grants no permission that an API key does not list"), refusals("%s %s requires an API key with %s")]
  ],
  [
    "A domain scope is a list of domains; a sub-domain is another domain.",
    [at.domain("ApiKey")],
    [apiKey("limits an API key to its exact domains, without their subdomains")]
  ],
  [
    "A domain scope also limits cancel, reschedule and the domains that the API key sees, adds, verifies or deletes.",
    [at.decide("scheduledMessage"), at.decide("senderDomain")],
    [
      wireScope("refuses to cancel a message of a domain outside the scope of the API key"),
      wireScope("refuses to reschedule a message of a domain outside the API key's scope before it checks the time"),
      wireScope("lists, shows, verifies and deletes only the domains in the scope of the API key"),
      wireScope("adds only domains in the scope of the API key, and reveals nothing about other domains")
    ],
    "0014-api-keys"
  ],
  [
    "A refused API key costs the same work whether or not its public id exists.",
    [at.service("Access")],
    [access("does the same work to refuse an API key, whether its public id is known or not")],
    "0014-api-keys"
  ],
  [
    "Only its owner can read the command's data folder, which contains the master secret.",
    ["packages/cli/src/privateFolder.ts", "packages/sqlite/src/internal/connection.ts"],
    [
      privateFolder("creates the folder and the store in it for their owner alone"),
      privateFolder("takes an existing folder and its files from other users")
    ],
    "0034-checked-input"
  ],
  [
    "The time of the last use is stored to the minute.",
    [at.service("Access")],
    [access("records the last use of an API key to the minute")],
    "0014-api-keys"
  ],
  [
    "API keys are created, listed and revoked in process and by the command.",
    [at.service("ApiKeys"), "packages/cli/src/commands/keys.ts"],
    [
      access("revokes an API key once, and fails with not_found for an unknown id"),
      command("initializes an empty data folder and prints one line of JSON")
    ]
  ],
  [
    "A missing, malformed, unknown, revoked or expired API key is refused with the same text.",
    [at.service("Access")],
    [access("refuses a missing, malformed, unknown, wrong, revoked or expired API key with the same message")]
  ]
])
