/**
 * Clarifications on sends.
 */
import {
  address,
  at,
  checkedTransport,
  clarified,
  handedOverHeaders,
  handOffFinalizing,
  handOffRetries,
  headerField,
  hostileInput,
  instant,
  machine,
  model,
  mustache,
  refusals,
  rendering,
  scheduledSending,
  sending,
  sendingLimits,
  sendInput,
  sendRequest,
  suppressionRaces,
  wire,
  wireDeliveryLog,
  wireTemplateSends
} from "./proofs.ts"

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
    [
      handedOverHeaders("hands each of several recipients a separate copy, and shows cc but not bcc in the headers"),
      handedOverHeaders(
        "gives separate copies a Message-ID each, and the copies with cc and bcc that of the first delivery"
      )
    ],
    "0010-addresses"
  ],
  [
    "An immediate send to a suppressed recipient is a `suppressed` delivery with its reason, not counted as queued.",
    [at.decide("acceptSend")],
    [sending("records a delivery for a suppressed recipient, and does not count it")],
    "0004-suppressed-recipients"
  ],
  [
    "The suppression of a scheduled delivery is checked when it is due and once more before the end of data.",
    [at.decide("queueDue"), at.decide("beginAttempt")],
    [
      scheduledSending("suppresses a due delivery when its recipient was suppressed meanwhile"),
      handOffFinalizing("stops before finalizing when the recipient is suppressed during the attempt"),
      suppressionRaces("finalizes no delivery after its suppression is committed, and hands over all others")
    ],
    "0004-suppressed-recipients"
  ],
  [
    "A template that is unknown, archived or unpublished is 400 at `templateId`.",
    [at.service("Sending")],
    [wireTemplateSends("refuses a send when its template is unpublished, archived, unknown or of another project")],
    "0027-templates"
  ],
  [
    "Each variable that is missing, unknown or of another type is named. Variables without a template are refused.",
    [at.decide("renderTemplate"), at.domain("SendRequest")],
    [
      wireTemplateSends("refuses a send when a template variable is missing, has another type or is not declared"),
      sendRequest("refuses a send with %s")
    ],
    "0027-templates"
  ],
  [
    "With a template, the subject and bodies of the request are validated and replaced.",
    [at.decide("renderTemplate")],
    [wireTemplateSends("sends the published version of a template when the draft differs, and logs the template")],
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
    ["packages/core/src/internal/delivery/checkedTransport.ts", at.decide("finishAttempt")],
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
    [
      sendRequest("refuses a send with %s"),
      wireDeliveryLog("shows a delivery with all fields, without a data envelope")
    ],
    "0021-field-limits"
  ],
  [
    "Addresses are bare, with at most 254 bytes and IDN as A-labels. SMTPUTF8 is used only when the transport declares it.",
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
    [at.domain("Plan"), at.decide("usageChange")],
    [
      sendingLimits("refuses a whole send when the plan permits only a part of it"),
      sendingLimits("counts usage when no limit is set")
    ],
    "0015-limits"
  ],
  [
    "Each delivery changes the counters for scheduled recipients, daily sends and allowance.",
    [at.domain("DeliveryTable")],
    [
      model("gives the same results as the model"),
      machine("charges a delivery at most once, exactly in the statuses that count as usage"),
      handOffRetries("refunds the charge when no attempt reached the relay")
    ],
    "0015-limits"
  ],
  [
    "A due delivery is `failed` when its API key was revoked or its domain is no longer verified. It is sent when its API key merely expired.",
    [at.decide("queueDue")],
    [scheduledSending("fails a due delivery when its API key was revoked, but not when the key expired")],
    "0004-suppressed-recipients"
  ],
  [
    "In process, a send may set the policy for an ambiguous attempt and an expiry time.",
    [at.domain("SendOptions")],
    [
      handOffRetries("fails an ambiguous delivery at once when the send says so, and after two retries otherwise"),
      handOffRetries("does not hand over a delivery after the expiry time of its send")
    ],
    "0006-hand-off"
  ],
  [
    "In process, a send may add header fields such as `List-Unsubscribe`. Fields that Mailkeep writes are refused.",
    [at.domain("HeaderField")],
    [
      handedOverHeaders("hands over the header fields of the send on every attempt"),
      headerField("refuses the header field %s")
    ],
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
      sendInput("allows a send of a program with %s"),
      sending("allows names in addresses, a Date, undefined fields and no idempotency key from a program"),
      sending("refuses names in addresses from the principal of an API key, as the wire does")
    ],
    "0010-addresses"
  ]
])
