/**
 * The invariants of tenancy, of the wire and of bounds, and what holds each.
 */
import {
  access,
  address,
  dispatcher,
  everyResponse,
  handOffs,
  log,
  refusals,
  sending,
  sendRequest,
  wire
} from "./proofs.ts"
import { attack, fuzz, groups, law, transportLaw } from "./faultProofs.ts"
import type { InvariantArea } from "./invariants.ts"

const relay = "a transport to a real relay"

export const edgeInvariants: ReadonlyArray<InvariantArea> = [
  [
    "Tenancy, keys, API",
    [
      [
        "Nothing of another project is seen, by id, list, cursor, search or key",
        [
          refusals("see nothing of each other by an id"),
          refusals("see nothing of each other by a list, a filter or a search"),
          law("isolation")("isolation/no-project-sees-another")
        ]
      ],
      [
        "All keys that are not accepted are refused alike; a revocation counts at once",
        [
          access("are refused alike when missing, malformed, unknown, wrong, revoked or expired"),
          refusals("ends with a revocation and with expiry, at once and alike")
        ],
        "a test of timing"
      ],
      [
        "A cursor that was altered, or is another's, is refused",
        [
          log("refuses a cursor that was altered, of another project or of other filters; the limit may change"),
          refusals("cannot use each other's cursor")
        ]
      ],
      [
        "A walk shows what stood throughout exactly once",
        [
          law("log")("log/walk-is-complete"),
          law("log")("log/ties-are-listed-once"),
          log("shows rows that stood throughout a walk exactly once although others come")
        ]
      ],
      ["Every answer has its documented status and shape; no input is answered with a 5xx", [fuzz]],
      [
        "No secret and no content is in a log, an error or a span",
        [
          access("keep no secret: nothing in the store is the printed key"),
          wire("never repeats what was sent in an error"),
          transportLaw("redaction/content-stays-inside")
        ]
      ]
    ]
  ],
  [
    "Wire format",
    [
      [
        "No octets in any field make another header, recipient or command",
        [sendRequest("never by a thrown error, whatever comes, and never with what came in a message")],
        relay
      ],
      ["Lines, folding and encoding are as the standards say", [], relay],
      ["DKIM verifies, and covers the unsubscribe headers", [], relay],
      [
        "SMTPUTF8 is used only where it is offered",
        [
          address("tells which mailboxes need SMTPUTF8"),
          sending("refuses SMTPUTF8 mailboxes where the transport lacks it")
        ],
        relay
      ],
      [
        "No Bcc address is seen by anybody",
        [handOffs("shows several recipients each their own copy, and cc the same headers without bcc")],
        relay
      ],
      ["Where TLS is required nothing goes in clear", [], relay]
    ]
  ],
  [
    "Bounds",
    [
      [
        "Memory is bounded",
        [fuzz, attack, groups("are refused when too many wait, and none of the refused is kept")],
        "a long run with a large backlog"
      ],
      [
        "No input takes more than linear time; every parser has its limits",
        [
          address("reads hostile input in linear time"),
          sendRequest("with a bounded answer, however many fields or entries there are"),
          everyResponse("answers a body that is declared too large and does not come within five seconds"),
          fuzz,
          attack
        ],
        "a check of every regular expression"
      ],
      [
        "What has had its time is swept, and nothing else",
        [
          law("outbox")("sweep/expired-keys-only"),
          law("outbox")("sweep/touches-its-kind-alone"),
          dispatcher("forgets events and idempotency keys when their time is over")
        ],
        "attempts and messages"
      ]
    ]
  ]
]
