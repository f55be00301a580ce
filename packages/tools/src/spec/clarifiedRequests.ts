/**
 * Clarifications on responses, API keys and sends.
 */
import {
  access,
  address,
  apiKey,
  at,
  bucket,
  checkedTransport,
  command,
  everyResponse,
  failures,
  handOffs,
  headerField,
  hostileInput,
  instant,
  jsonBounds,
  machine,
  model,
  openApi,
  privateFolder,
  refusals,
  rendering,
  sending,
  sendInput,
  sendRequest,
  clarified,
  suppressionRaces,
  wire,
  wireDocs,
  wireLogs,
  wireMessages,
  wireTemplates,
  mustache,
  wireScope
} from "./proofs.ts"
import { connections } from "./clarifiedConnections.ts"

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
    [wire("returns all issues of the first wrong part of a request: headers, then query, then body")],
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
    [at.server("bearer"), at.service("Sending")],
    [
      refusals(
        "checks the permission, the body, the domain scope, the replay, the time, the domain and the plan in this order"
      ),
      refusals("checks the rate limit after the API key and before the permission"),
      sending("replays a scheduled send until 30 days after its scheduled time")
    ],
    "0009-refusals"
  ],
  [
    "Invalid JSON, another content type and JSON with more than 64 levels are 400. The levels are counted before parsing.",
    [at.server("requestBody"), at.server("jsonBounds")],
    [
      wire("refuses a body that is %s"),
      wire("accepts JSON with a charset parameter"),
      jsonBounds("stops at the first octet that is %s")
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
    "A body over 10 MiB is 413, and the client receives the answer.",
    [at.server("requestBody")],
    [
      wire("refuses a body larger than 10 MiB so that the client can read the response"),
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
    [at.server("failureResponse"), at.server("bugReport")],
    [
      failures("answers 500 without internal details for a bug, and serves the next request"),
      wireLogs("logs the class and the stack of a bug without its message when it is %s")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "An unavailable store is 503 with `Retry-After`, and one log line in ten seconds.",
    [at.server("failureResponse"), at.server("logLimit")],
    [
      failures("answers 503 with Retry-After while the store is unavailable, and accepts the same request afterwards"),
      wireLogs("logs each reason why the store is unavailable once in ten seconds, with the number of omitted lines")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "Unknown fields and query parameters are refused.",
    [at.server("schemaErrors")],
    [wire("refuses the log query %.30s"), sendRequest("refuses a send with %s")]
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
    [at.server("bearer")],
    [
      refusals(
        "limits the rate of sends and contact creations per API key and per project, and returns the time to wait"
      )
    ],
    "0015-limits"
  ],
  [
    "The OpenAPI document lists every status of every endpoint, and every answer matches the document.",
    [at.api("documentDetails"), "packages/testing/src/apiDocument.ts"],
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

export const sends = clarified(3, "Send", [
  [
    "An idempotency key is 1 to 128 visible ASCII characters; otherwise the issue is 400 in the headers.",
    [at.api("Parameters")],
    [wire("refuses the idempotency key %j")],
    "0007-idempotency"
  ],
  [
    "An idempotency key belongs to the project and the operation, whichever API key sends. The fingerprint is that of the canonical request.",
    [at.domain("Idempotency"), at.domain("SendRequest")],
    [
      sendRequest("gives equal requests one canonical form, whatever the key order, address list or time zone"),
      sendRequest("gives another canonical form when any field differs"),
      refusals("keeps the idempotency keys, contacts and suppressions of each project separate")
    ],
    "0007-idempotency"
  ],
  [
    "A repeated request gets the same bytes with a header that marks the replay. Authentication, permission and scope are checked first.",
    [at.decide("acceptSend"), at.handler("messages")],
    [
      wire("repeats the same response bytes for a replay, and marks the replay"),
      sending("returns the same answer for the same idempotency key and request, and charges once")
    ],
    "0007-idempotency"
  ],
  [
    "Another request with the same idempotency key is 400 `idempotency_key_reused`.",
    [at.decide("acceptSend")],
    [
      sending("refuses a used idempotency key with another request"),
      wire("repeats the same response bytes for a replay, and marks the replay")
    ],
    "0007-idempotency"
  ],
  [
    "When two identical requests run at the same time, one is executed and the other is replayed.",
    [at.service("Sending")],
    [sending("creates one message when concurrent sends have one idempotency key")],
    "0007-idempotency"
  ],
  [
    "Only a committed 202 uses an idempotency key.",
    [at.service("Sending")],
    [
      sending("does not record the idempotency key of a refused send"),
      refusals("does not use up an idempotency key when it refuses the send")
    ],
    "0007-idempotency"
  ],
  [
    "An idempotency key expires 30 days after acceptance or scheduled time, whichever is later.",
    [at.domain("Idempotency")],
    [
      sending("replays a scheduled send until 30 days after its scheduled time"),
      sending("keeps the idempotency key of a rescheduled send for 30 days after its new time")
    ],
    "0007-idempotency"
  ],
  [
    "More than 100 in `to` is `too_many_items`, and more than 50 together is `too_many_recipients`. `cc` and `bcc` together with several `to` are refused.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0010-addresses"
  ],
  [
    "A duplicate address is one delivery, with priority `to`, `cc`, `bcc`; an empty list counts as omitted.",
    [at.decide("acceptSend")],
    [sending("creates one delivery for an address that is given twice"), sendRequest("refuses a send with %s")],
    "0010-addresses"
  ],
  [
    "Several `to` are separate copies. `cc` and `bcc` share one set of headers, and no copy has a `Bcc` header.",
    [at.internal("transportRun")],
    [handOffs("hands each of several recipients a separate copy, and shows cc but not bcc in the headers")],
    "0010-addresses"
  ],
  [
    "An immediate send to a suppressed recipient is a `suppressed` delivery with its reason, not counted as queued.",
    [at.decide("acceptSend")],
    [sending("records a delivery for a suppressed recipient, and does not count it")],
    "0004-suppressed-recipients"
  ],
  [
    "The suppression of a scheduled delivery is checked when it is due and once more before the final bytes.",
    [at.decide("queueDue"), at.decide("beginAttempt")],
    [
      sending("suppresses a due delivery when its recipient was suppressed meanwhile"),
      handOffs("stops before finalizing when the recipient is suppressed during the attempt"),
      suppressionRaces("finalizes no delivery after its suppression is committed, and hands over all others")
    ],
    "0004-suppressed-recipients"
  ],
  [
    "A template that is unknown, archived or unpublished is 400 at `templateId`.",
    [at.service("Sending")],
    [wireTemplates("refuses a send when its template is unpublished, archived, unknown or of another project")],
    "0027-templates"
  ],
  [
    "Each variable that is missing, unknown or of another type is named. Variables without a template are refused.",
    [at.decide("renderTemplate"), at.domain("SendRequest")],
    [
      wireTemplates("refuses a send when a template variable is missing, has another type or is not declared"),
      sendRequest("refuses a send with %s")
    ],
    "0027-templates"
  ],
  [
    "With a template, the subject and bodies of the request are validated and replaced.",
    [at.decide("renderTemplate")],
    [wireTemplates("sends the published version of a template when the draft differs, and logs the template")],
    "0027-templates"
  ],
  [
    "A Mustache template is rendered at acceptance and the result is stored. Values are escaped in HTML and raw elsewhere.",
    [at.domain("Mustache"), at.decide("renderTemplate")],
    [
      mustache("renders and refuses the same templates as the mustache library"),
      rendering("escapes values in HTML and nowhere else"),
      rendering("escapes values so that none begins a tag or ends an attribute in HTML")
    ],
    "0027-templates"
  ],
  [
    "A control character in a header field is refused, also in a rendered subject.",
    [at.domain("TextRule"), at.decide("renderTemplate")],
    [
      sendRequest("refuses a send with %s"),
      rendering("refuses a rendered subject that is empty, too long or has a control character")
    ]
  ],
  [
    "Values of header fields are checked again before the hand-off; a message that fails this check is not sent.",
    ["packages/core/src/internal/checkedTransport.ts", at.decide("finishAttempt")],
    [
      checkedTransport("refuses a message with a broken %s, and hands nothing over"),
      checkedTransport("fails a stored message with sending_failed because of its %s, without a hand-off")
    ],
    "0034-checked-input"
  ],
  [
    "In process, every use case refuses the same input as HTTP does, and writes nothing.",
    ["packages/core/src/internal/validated.ts"],
    [hostileInput("refuses a hostile %s and writes nothing")],
    "0034-checked-input"
  ],
  [
    "Metadata has at most 50 keys of 40 characters and 4 KiB as JSON. The detail of a delivery shows it.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s"), wire("shows a delivery with all fields, without a data envelope")],
    "0021-field-limits"
  ],
  [
    "Addresses are bare, with at most 254 octets and IDN as A-labels. SMTPUTF8 is used only when the transport declares it.",
    [at.domain("Address")],
    [address("refuses the address %j"), sending("refuses SMTPUTF8 mailboxes when the transport does not support them")],
    "0010-addresses"
  ],
  [
    "`html` and `text` have at most 2 MiB each.",
    [at.domain("SendRequest")],
    [sendRequest("refuses a send with %s")],
    "0021-field-limits"
  ],
  [
    "`scheduledAt` is ISO 8601 with an offset in any of its forms; seconds are optional. The date must exist, be in the future and within 30 days. The answer shows it in UTC.",
    [at.domain("Instant"), at.domain("SendingWindow")],
    [
      instant("parses the instant %s"),
      instant("refuses the instant %j"),
      sending("refuses a scheduled time %s ms ahead with %s"),
      wire("shows the scheduled time %s in UTC")
    ]
  ],
  [
    "A plan limit refuses or accepts a whole send. Usage is counted whether or not a limit is set.",
    [at.domain("Plan"), at.decide("sendLimits")],
    [
      sending("refuses a whole send when the plan permits only a part of it"),
      sending("counts usage when no limit is set")
    ],
    "0015-limits"
  ],
  [
    "Each delivery changes the counters for scheduled recipients, daily sends and allowance.",
    [at.domain("DeliveryTable")],
    [
      model("gives the same results as the model"),
      machine("charges a delivery at most once, exactly in the statuses that count as usage"),
      handOffs("refunds the charge when no attempt reached the relay")
    ],
    "0015-limits"
  ],
  [
    "A due delivery is `failed` when its API key was revoked or its domain is no longer verified. It is sent when its API key merely expired.",
    [at.decide("queueDue")],
    [sending("fails a due delivery when its API key was revoked, but not when the key expired")],
    "0004-suppressed-recipients"
  ],
  [
    "In process, a send may set the policy for an ambiguous attempt and an expiry time.",
    [at.domain("SendOptions")],
    [
      handOffs("fails an ambiguous delivery at once when the send says so, and after two retries otherwise"),
      handOffs("does not hand over a delivery after the expiry time of its send")
    ],
    "0006-hand-off"
  ],
  [
    "In process, a send may add header fields such as `List-Unsubscribe`. Fields that Mailkeep writes are refused.",
    [at.domain("HeaderField")],
    [handOffs("hands over the header fields of the send on every attempt"), headerField("refuses the header field %s")],
    "0030-header-fields"
  ],
  [
    "The contact of a delivery is the contact that has the address at acceptance.",
    [at.decide("acceptSend")],
    [sending("stores the id of the contact with the recipient's address")],
    "0012-contacts"
  ],
  [
    "In process, an address of a send may have a name, a time may be a `Date`, and the idempotency key may be absent.",
    [at.domain("SendInput"), at.domain("NamedAddress")],
    [
      sendInput("accepts a send of a program with %s"),
      sending("accepts names in addresses, a Date, undefined fields and no idempotency key from a program"),
      sending("refuses names in addresses from the principal of an API key, as the wire does")
    ],
    "0010-addresses"
  ]
])
