/**
 * The invariants of tenancy, of the wire format and of bounds, with their proofs.
 */
import {
  access,
  address,
  attachment,
  dispatcher,
  everyResponse,
  expressions,
  handedOverHeaders,
  log,
  personalData,
  refusals,
  requestSpan,
  retention,
  sending,
  sendRequest,
  tracing,
  wire
} from "./proofs.ts"
import {
  attack,
  composed,
  envelope,
  fuzz,
  groups,
  injection,
  law,
  outbox,
  relay,
  encryptionFaults,
  signed,
  tampering,
  transactions,
  transportLaw,
  within,
  withinRefusals
} from "./faultProofs.ts"
import type { InvariantArea } from "./Invariant.ts"

export const edgeInvariants: ReadonlyArray<InvariantArea> = [
  [
    "Tenancy, keys, API",
    [
      [
        "A project sees nothing of another project, by id, list, cursor, search or idempotency key",
        [
          refusals("shows a project no record of another project by its id"),
          refusals("shows a project no record of another project in a list, a filter or a search"),
          law("isolation")("isolation/no-project-sees-another")
        ]
      ],
      [
        "All invalid API keys are refused in the same way, and a revocation takes effect at once",
        [
          access("refuses a missing, malformed, unknown, wrong, revoked or expired API key with the same message"),
          refusals("refuses a revoked and an expired API key at once and with the same response")
        ],
        "a timing test"
      ],
      [
        "A cursor that was altered, or belongs to another project, is refused",
        [
          log("refuses a cursor that is altered or of another project or filter, and allows another limit"),
          refusals("refuses the cursor of another project")
        ]
      ],
      [
        "A listing over all pages shows each row that exists throughout exactly once",
        [
          law("log")("log/walk-is-complete"),
          law("log")("log/ties-are-listed-once"),
          log("lists existing deliveries exactly once while new deliveries arrive")
        ]
      ],
      ["Every answer has its documented status and shape, and no input causes a 5xx", [fuzz]],
      [
        "No log, error or span contains a secret or message content",
        [
          access("stores no secret of an API key"),
          wire("does not repeat sent data in an error"),
          transportLaw("redaction/content-stays-inside"),
          personalData("contains no address, subject, body or secret"),
          requestSpan("ends the span of a request that fails by a bug with the status alone"),
          tracing("keeps the name and the allowed attributes, and drops all others and the log lines")
        ]
      ]
    ]
  ],
  [
    "Wire format",
    [
      [
        "No bytes in any field create another header, recipient or command",
        [
          sendRequest("throws no error for any send, and repeats no value of the request in an issue"),
          attachment("accepts only file names that stay one harmless line"),
          injection
        ]
      ],
      [
        "Lines, folding and encoding follow the standards",
        [
          composed("writes only short lines of ASCII that end with CR LF, for every text"),
          composed("writes only short lines of ASCII for every field with ids or URLs that a send may have"),
          composed("keeps sender name, subject and header fields for every text of one line"),
          relay
        ]
      ],
      [
        "DKIM signatures verify and cover the unsubscribe headers",
        [
          signed("makes a signature that another program verifies"),
          signed("signs six fields once more than they occur, and the fields of a list when they occur"),
          relay,
          tampering
        ]
      ],
      [
        "SMTPUTF8 is used only when the relay offers it",
        [
          address("reports which mailboxes need SMTPUTF8"),
          sending("refuses SMTPUTF8 mailboxes when the transport does not support them"),
          envelope("asks for SMTPUTF8 when an address of the envelope or of the header needs it"),
          envelope("refuses an address that is not ASCII when the relay does not take it")
        ]
      ],
      [
        "No recipient sees a Bcc address",
        [
          handedOverHeaders(
            "hands each of several recipients a separate copy, and shows cc but not bcc in the headers"
          ),
          relay
        ]
      ],
      [
        "Where TLS is required, nothing is sent unencrypted",
        [encryptionFaults("ends as expected, and leaves the transport usable, after $fault")]
      ]
    ]
  ],
  [
    "Bounds",
    [
      [
        "Memory is bounded",
        [fuzz, attack, groups("refuses commits when too many wait, and keeps none of the refused")],
        "a long run with a large backlog"
      ],
      [
        "Every input takes at most linear time, and every parser has limits",
        [
          address("parses hostile input in linear time"),
          sendRequest("returns a bounded number of issues, however many fields or entries a send has"),
          everyResponse("answers within five seconds when a body is declared too large and does not arrive"),
          expressions("refuses %s, which takes %s time"),
          fuzz,
          attack
        ]
      ],
      [
        "Expired records are deleted, and no others",
        [
          law("sweeps")("sweep/expired-keys-only"),
          law("sweeps")("sweep/touches-its-kind-alone"),
          law("messageSweeps")("messages/only-ended"),
          law("messageSweeps")("messages/with-all-that-is-theirs"),
          law("messageSweeps")("messages/contents-with-the-last-message"),
          dispatcher("deletes expired events and idempotency keys"),
          retention("deletes files, bodies, events and the message, each after its own time")
        ]
      ]
    ]
  ],
  [
    "The product's own transaction",
    [
      [
        "A send in a transaction of the product commits and rolls back with it",
        [
          within("sends when the transaction of the product commits"),
          within("keeps nothing of a transaction that rolls back"),
          outbox("sends what committed and not what rolled back, and removes it"),
          transactions
        ]
      ],
      [
        "A transaction that cannot carry mail safely is refused, and nothing is written",
        [
          withinRefusals("refuses a connection to another file, and accepts another path of the same file"),
          withinRefusals("refuses a connection with synchronous = %s, and says what to set"),
          withinRefusals("refuses a deferred transaction with an old snapshot, and says how to begin"),
          withinRefusals("refuses a plan that is a promise, and writes nothing later")
        ]
      ],
      [
        "A row of the outbox is sent once, however often and by however many processes it is drained",
        [
          outbox("sends each row once when the removal fails and when several drains run at once"),
          outbox("sends a message now whose scheduled time has passed in the outbox, also after a drain that was lost"),
          transactions
        ]
      ]
    ]
  ]
]
