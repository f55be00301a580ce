/**
 * What the interface leaves open of responses, keys and sends, as decided.
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
  sendRequest,
  settled,
  suppressionRaces,
  wire,
  wireDocs,
  wireLogs,
  wireMessages,
  wireTemplates,
  mustache,
  wireScope
} from "./proofs.ts"
import { connections } from "./settledConnections.ts"

export const responses = settled(1, "Every response", [
  [
    "The correlation id stands in the body of an error and in two headers; a well-formed `X-Request-Id` is adopted.",
    [at.server("edge")],
    [everyResponse("carries its correlation id, an adopted one or its own")],
    "0009-refusals"
  ],
  [
    "An error has its word, a message and the correlation id; 400 has details, 429 a code, a rate limit its scope and wait.",
    [at.server("failureResponse")],
    [
      refusals("counts sends and contact creates for the key and then the project, and says how long to wait"),
      refusals("tells a plan's limit without scope and without Retry-After")
    ],
    "0009-refusals"
  ],
  [
    "Details name every problem of the first part that has any, of path, headers, query and body, each by its place and a code of a closed list.",
    [at.domain("Issue"), at.server("wellFormed")],
    [
      wire("names all problems of the first part that has any: the query is looked at after the headers, the body last")
    ],
    "0009-refusals"
  ],
  [
    "The `message` of a 400 is a sentence about its first issue: part and place, what is wrong, and how many more there are.",
    [at.domain("Issue"), at.domain("Failure")],
    [
      wireMessages("says %j of a send"),
      wireMessages("names headers, query parameters and properties by their part"),
      wireMessages("counts every issue and names the first")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "No message repeats a secret or a body.",
    [at.domain("Issue")],
    [
      wire("does not repeat a field name in the message when it is %s"),
      wire("never repeats what was sent in an error"),
      sendRequest("never by a thrown error, whatever comes, and never with what came in a message")
    ]
  ],
  [
    "Refusals come in one order, so that an honest retry is replayed however late it comes.",
    [at.server("bearer"), at.service("Sending")],
    [
      refusals(
        "judges permission before form, form before scope, scope before replay, replay before the clock, the clock before the domain, the domain before the plan"
      ),
      refusals("comes before the permission and after the key"),
      sending("replays a scheduled send after its time, and for 30 days after that")
    ],
    "0009-refusals"
  ],
  [
    "Bad JSON, another content type and JSON nested deeper than 64 levels are 400; the depth is counted before parsing.",
    [at.server("requestBody"), at.server("jsonBounds")],
    [
      wire("refuses a body that is %s"),
      wire("takes JSON under a charset"),
      jsonBounds("stops at the first octet that is %s")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "The page of the interface runs its own scripts alone, and no answer lets its type be guessed.",
    [at.server("docs"), at.server("edge")],
    [
      wireDocs("allows exactly the inline scripts of the page, each by its hash"),
      wireDocs("forbids to guess the type of %s")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "A body over 10 MiB is 413, and the client sees the answer.",
    [at.server("requestBody")],
    [
      wire("refuses what is larger than 10 MiB, and the client gets to see it"),
      everyResponse("answers a body that is declared too large and does not come within five seconds")
    ]
  ],
  [
    "An unknown route is 404, a wrong method 405 with `Allow`.",
    [at.server("edge")],
    [everyResponse("is 404 for an unknown path and 405 with Allow for a wrong method")]
  ],
  [
    "A bug is 500 with nothing of the inside; the log has the class and place of its error, and not its message.",
    [at.server("failureResponse"), at.server("bugReport")],
    [
      failures("is 500 for a bug, with nothing of the inside, and the next request is served"),
      wireLogs("names class and place of a bug and never its message, when it is %s")
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "A store out of reach is 503 with `Retry-After`, and one line of the log in ten seconds.",
    [at.server("failureResponse"), at.server("logLimit")],
    [
      failures("is 503 with Retry-After while the store is out of reach, and the same request works afterwards"),
      wireLogs(
        "says once in ten seconds for each reason that the store is unavailable, and how many requests it left out"
      )
    ],
    "0033-embedding-and-wire-details"
  ],
  [
    "Unknown fields and query parameters are refused.",
    [at.server("wellFormed")],
    [wire("refuses %.30s"), sendRequest("%s")]
  ],
  [
    "Sends and contact creates are limited by a token bucket for each key and then each project; the wait is a whole number of seconds, at least 1, and the same in header and body.",
    [at.domain("TokenBucket"), "packages/core/src/port/RateLimiter.ts"],
    [
      refusals("counts sends and contact creates for the key and then the project, and says how long to wait"),
      bucket("means what it says: a request after retryAfterSeconds is allowed")
    ],
    "0015-limits"
  ],
  [
    "Where a limit is set those endpoints carry `RateLimit-Policy` and `RateLimit`, and no others do.",
    [at.server("bearer")],
    [refusals("counts sends and contact creates for the key and then the project, and says how long to wait")],
    "0015-limits"
  ],
  [
    "The document lists every status of every endpoint, and every answer is as it says.",
    [at.api("documentDetails"), "packages/proving/src/apiDocument.ts"],
    [
      openApi("lists every status that every endpoint may answer with"),
      openApi("is valid OpenAPI 3.1, as another reader sees it"),
      openApi("types numbers as numbers, with their bounds"),
      openApi("has an example of every request body, valid by its own schema")
    ]
  ],
  ...connections
])

export const keys = settled(2, "Keys and permissions", [
  [
    "A key is `mk_`, 12 characters of public id, `_` and 32 of secret with a checksum.",
    [at.domain("ApiKey")],
    [apiKey("is read back into its parts"), apiKey("is refused with any one character changed")],
    "0014-api-keys"
  ],
  [
    "Only a hash of the secret is stored, compared in constant time; the key is shown once.",
    [at.service("Access"), at.service("ApiKeys")],
    [access("keep no secret: nothing in the store is the printed key")],
    "0014-api-keys"
  ],
  [
    "Each permission stands for itself, and a refusal names the missing one.",
    [at.domain("ApiKey")],
    [access("each stand for their own permission"), refusals("%s %s needs a key with %s")]
  ],
  [
    "A domain scope is a list of domains; a sub-domain is another domain.",
    [at.domain("ApiKey")],
    [apiKey("sends from its domains alone; a sub-domain is another one")]
  ],
  [
    "A domain scope also bounds cancel, reschedule and the domains that the key sees, adds, verifies or deletes.",
    [at.decide("scheduledMessage"), at.decide("senderDomain")],
    [
      wireScope("cancels no message that another domain sent"),
      wireScope("reschedules no message that another domain sent, and is told so before the time is looked at"),
      wireScope("lists, sees, verifies and deletes only domains within it"),
      wireScope("adds only domains within it, and learns nothing of others")
    ],
    "0014-api-keys"
  ],
  [
    "A refused key costs the same work whether its public id is known or not.",
    [at.service("Access")],
    [access("cost the same work when refused, whether the public id is known or not")],
    "0014-api-keys"
  ],
  [
    "The command's data folder, with the master secret in it, is for its owner alone.",
    ["packages/cli/src/privateFolder.ts", "packages/sqlite/src/internal/connection.ts"],
    [
      privateFolder("creates the folder and the store in it for their owner alone"),
      privateFolder("takes an existing folder and its files from other users")
    ],
    "0034-checked-input"
  ],
  [
    "The last use is noted to the minute.",
    [at.service("Access")],
    [access("note their last use to the minute")],
    "0014-api-keys"
  ],
  [
    "Keys are issued, listed and revoked in process and by the command.",
    [at.service("ApiKeys"), "packages/cli/src/commands/keys.ts"],
    [
      access("are revoked once; an unknown one is not found"),
      command("on an empty folder initialise it, and print one line of JSON")
    ]
  ],
  [
    "A missing, malformed, unknown, revoked or expired key is refused in the same words.",
    [at.service("Access")],
    [access("are refused alike when missing, malformed, unknown, wrong, revoked or expired")]
  ]
])

export const sends = settled(3, "Send", [
  [
    "An idempotency key is 1 to 128 visible ASCII characters, else 400 in the headers.",
    [at.api("Parameters")],
    [wire("refuses the idempotency key %j")],
    "0007-idempotency"
  ],
  [
    "It counts for the project and the operation, whichever key sends; the fingerprint is of the canonical request.",
    [at.domain("Idempotency"), at.domain("SendRequest")],
    [
      sendRequest(
        "is the same for one address and a list of it, for any order of keys, and for one instant in two zones"
      ),
      sendRequest("differs when anything that is sent differs"),
      refusals("have idempotency keys, contacts and suppressions of their own")
    ],
    "0007-idempotency"
  ],
  [
    "The same request again is answered with the same bytes and marked; authentication, permission and scope come first.",
    [at.decide("acceptSend"), at.handler("messages")],
    [
      wire("replays the same bytes, and says so"),
      sending("answers the same key and request the same, and charges once")
    ],
    "0007-idempotency"
  ],
  [
    "Another request under the key is 400 `idempotency_key_reused`.",
    [at.decide("acceptSend")],
    [sending("refuses the same key for another request"), wire("replays the same bytes, and says so")],
    "0007-idempotency"
  ],
  [
    "Of two at once one wins and the other replays.",
    [at.service("Sending")],
    [sending("makes one message of two sends at once with one key")],
    "0007-idempotency"
  ],
  [
    "Only a committed 202 uses up a key.",
    [at.service("Sending")],
    [sending("does not use up a key by a refused send"), refusals("does not use up a key by a refusal")],
    "0007-idempotency"
  ],
  [
    "A key lives 30 days after the later of acceptance and scheduled time.",
    [at.domain("Idempotency")],
    [
      sending("replays a scheduled send after its time, and for 30 days after that"),
      sending("keeps a rescheduled send's key for 30 days after its new time")
    ],
    "0007-idempotency"
  ],
  [
    "Over 100 in `to` is `too_many_items`, over 50 together `too_many_recipients`; `cc` and `bcc` beside several `to` are refused.",
    [at.domain("SendRequest")],
    [sendRequest("%s")],
    "0010-addresses"
  ],
  [
    "An address given twice is one delivery, `to` before `cc` before `bcc`; an empty list is none.",
    [at.decide("acceptSend")],
    [sending("makes one delivery of an address given twice"), sendRequest("%s")],
    "0010-addresses"
  ],
  [
    "Several `to` are separate copies; `cc` and `bcc` share one set of headers, and `Bcc` is in none.",
    [at.service("HandOffs")],
    [handOffs("shows several recipients each their own copy, and cc the same headers without bcc")],
    "0010-addresses"
  ],
  [
    "An immediate send to a suppressed recipient is a `suppressed` delivery with its reason, not counted as queued.",
    [at.decide("acceptSend")],
    [sending("records what a suppressed recipient would have got, and counts it nowhere")],
    "0004-suppressed-recipients"
  ],
  [
    "A scheduled delivery's suppression is looked at when it is due and once more before the final dot.",
    [at.decide("releaseDue"), at.decide("beginAttempt")],
    [
      sending("is suppressed when its recipient is by then"),
      handOffs("ends before the message when the recipient is suppressed while it is under way"),
      suppressionRaces("lets no final dot go once the suppression stands, and holds back nothing else")
    ],
    "0004-suppressed-recipients"
  ],
  [
    "A template that is unknown, archived or unpublished is 400 at `templateId`.",
    [at.service("Sending")],
    [wireTemplates("refuse a send while unpublished, when archived, of another project, and when they are none")],
    "0027-templates"
  ],
  [
    "Each variable that is missing, unknown or of another type is named; variables without a template are refused.",
    [at.decide("renderTemplate"), at.domain("SendRequest")],
    [wireTemplates("refuse a send with a value missing, of another type or not declared"), sendRequest("%s")],
    "0027-templates"
  ],
  [
    "With a template, subject and bodies of the request are checked and replaced.",
    [at.decide("renderTemplate")],
    [wireTemplates("are sent as published, whatever becomes of the draft, and the log says which")],
    "0027-templates"
  ],
  [
    "Mustache, rendered at acceptance and stored; escaped in HTML, raw elsewhere.",
    [at.domain("Mustache"), at.decide("renderTemplate")],
    [
      mustache("render what the library mustache renders, and refuse what it refuses"),
      rendering("is escaped in HTML and nowhere else"),
      rendering("never lets a value in HTML begin a tag or end an attribute")
    ],
    "0027-templates"
  ],
  [
    "A control character in a header's field is refused, in a rendered subject too.",
    [at.domain("TextRule"), at.decide("renderTemplate")],
    [sendRequest("%s"), rendering("puts no control character, and not nothing, and not too much, into a subject")]
  ],
  [
    "What becomes a header field is checked again before a transport gets it; a message that fails is not sent.",
    ["packages/core/src/internal/checkedTransport.ts", at.decide("settleAttempt")],
    [
      checkedTransport("refuses a message with a broken %s, and hands nothing over"),
      checkedTransport("fails with sending_failed for its %s, and no transport gets it")
    ],
    "0034-checked-input"
  ],
  [
    "In process every use case refuses what the wire refuses, and writes nothing.",
    ["packages/core/src/internal/validated.ts"],
    [hostileInput("refuses a hostile %s and writes nothing")],
    "0034-checked-input"
  ],
  [
    "Metadata has at most 50 keys of 40 characters and 4 KiB as JSON; it is shown in the detail.",
    [at.domain("SendRequest")],
    [sendRequest("%s"), wire("shows a delivery in full, bare")],
    "0021-field-limits"
  ],
  [
    "Addresses are bare, at most 254 octets, IDN as A-labels; SMTPUTF8 only where the transport declares it.",
    [at.domain("Address")],
    [address("refuses %j"), sending("refuses SMTPUTF8 mailboxes where the transport lacks it")],
    "0010-addresses"
  ],
  ["`html` and `text` have at most 2 MiB each.", [at.domain("SendRequest")], [sendRequest("%s")], "0021-field-limits"],
  [
    "`scheduledAt` is ISO 8601 with an offset in any of its forms, seconds optional, and a real date, in the future and within 30 days, shown back in UTC.",
    [at.domain("Instant"), at.domain("SendingWindow")],
    [
      instant("reads %s"),
      instant("refuses %j"),
      sending("refuses a time %s ms ahead: %s"),
      wire("shows the scheduled time %s in UTC")
    ]
  ],
  [
    "Plan limits are all or nothing for a send; usage is counted whether or not a limit is set.",
    [at.domain("Plan"), at.decide("acceptSend")],
    [sending("hold all or nothing for a send"), sending("count usage when no limit is set")],
    "0015-limits"
  ],
  [
    "The ledger of waiting, daily and allowance moves with each delivery.",
    [at.domain("DeliveryTable")],
    [
      model("does what the model does"),
      machine("charges a delivery at most once, and keeps a charge exactly in the statuses after a hand-off"),
      handOffs("gives the charge back when no attempt reached the relay")
    ],
    "0015-limits"
  ],
  [
    "Due, and the key revoked since: `failed`; merely expired: sent. Due, and the domain no longer verified: `failed`.",
    [at.decide("releaseDue")],
    [sending("fails when its key was revoked, but not when it merely expired")],
    "0004-suppressed-recipients"
  ],
  [
    "In process a send may say what to do when an outcome is uncertain and when it is too late.",
    [at.domain("SendRequest")],
    [
      handOffs("gives up what may have arrived when the send says so, and tries twice otherwise"),
      handOffs("does not send what the send said would be too late")
    ],
    "0006-hand-off"
  ],
  [
    "In process a send may add header fields, `List-Unsubscribe` among them; those that Mailkeep writes are refused.",
    [at.domain("HeaderField")],
    [handOffs("carries the header fields that the send added, the same on every attempt"), headerField("cannot be %s")],
    "0030-header-fields"
  ],
  [
    "A delivery's contact is the one that has the address at acceptance.",
    [at.decide("acceptSend")],
    [sending("stores the contact that has the address at acceptance")],
    "0012-contacts"
  ]
])
