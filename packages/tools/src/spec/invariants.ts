/**
 * What must hold whatever happens, in our own words, and what holds it: laws, tests, fault runs.
 */
import {
  address,
  bucket,
  contactGroups,
  contacts,
  dispatcher,
  handOffs,
  machine,
  openAddress,
  refusals,
  relay as eventRelay,
  sending,
  storm,
  suppressionRaces,
  verified
} from "./proofs.ts"
import { edgeInvariants } from "./edgeInvariants.ts"
import {
  calls,
  crashPoints,
  deadWorker,
  freeze,
  groups,
  kill,
  lateWorker,
  law,
  lives,
  migrating,
  model,
  opening,
  power,
  replies,
  settling,
  surroundings,
  sweeping,
  transportLaw
} from "./faultProofs.ts"

interface Proof {
  readonly file: string
  readonly title: string
}

export interface Invariant {
  /** `I9`, as it is cited. */
  readonly id: string
  readonly area: string
  readonly says: string
  readonly heldBy: ReadonlyArray<Proof>
  /** What of it is not tried yet, and what that waits for. */
  readonly waitsFor?: string
}

const relay = "a transport to a real relay"

type Row = readonly [says: string, heldBy: ReadonlyArray<Proof>, waitsFor?: string]

/** A heading and its rows. */
export type InvariantArea = readonly [area: string, rows: ReadonlyArray<Row>]

const areas: ReadonlyArray<InvariantArea> = [
  [
    "Acceptance and durability",
    [
      [
        "What was acknowledged stays, whatever is killed and whenever the power goes",
        [kill, power, calls, law("durability")("durability/acknowledged-survives-a-kill")]
      ],
      [
        "A message stands with all its deliveries and its idempotency record, or not at all",
        [law("commit")("commit/all-or-nothing"), kill, calls]
      ],
      ["A commit that failed is unknown: the next request with its key is told the truth", [calls, crashPoints]],
      [
        "A store whose commits are not synced does not open",
        [opening("sets and proves that every commit is synced")],
        "a check of the settings while it runs"
      ],
      [
        "Storage that is full, read-only, locked or gone is a typed failure, and is got over when the cause is",
        [
          opening("is full says so, keeps what it acknowledged, and goes on once there is room"),
          opening("that may not be written is refused"),
          opening("comes back goes on"),
          surroundings("refuses what it cannot hold, keeps what it acknowledged, and takes more once there is room"),
          surroundings(
            "is noticed before anything more is acknowledged, and nothing acknowledged is lost when it comes back"
          )
        ]
      ],
      [
        "No call of the store holds up the event loop",
        [groups("that holds the lock is waited for on the event loop, five seconds, then the commit is refused")],
        "a measurement under load"
      ],
      ["What is sent is what was stored at acceptance", [transportLaw("outcome/message-arrives-as-given")], relay],
      [
        "A migration that is killed leaves a file that opens, or is refused cleanly",
        [
          calls,
          opening("by several processes at once migrates it once"),
          migrating("still holds mail back from whom it held it back, and from nobody else")
        ],
        "a kill between two versions of the schema"
      ]
    ]
  ],
  [
    "Claims and attempts",
    [
      [
        "One live worker holds a delivery, and one that lost it can change nothing",
        [
          law("claims")("claim/one-claimant-each"),
          law("claims")("claim/late-worker-is-fenced"),
          law("processes")("processes/one-claimant-each"),
          kill,
          lives
        ]
      ],
      ["A delivery is handed over a bounded number of times", [lives, deadWorker("three times parks the delivery")]],
      ["A double can only be where an attempt is marked uncertain", [kill, lives, crashPoints]],
      [
        "Where a send asks for at most one copy, there is at most one",
        [
          lives,
          settling("never tries again after the dot where a second copy is not wanted"),
          handOffs("gives up what may have arrived when the send says so, and tries twice otherwise")
        ]
      ],
      [
        "Every attempt has the same Message-ID, sender and date",
        [handOffs("hands over the same Message-ID and date on every attempt"), lives],
        `signed octets: ${relay}`
      ],
      [
        "What a dead worker held can be claimed when its lease is over",
        [
          deadWorker("keeps its delivery while its lease lasts, and no longer"),
          lateWorker("%s when %d ms of a lease of 30 s pass before it returns"),
          lateWorker("%s settles the delivery, which is not sent again"),
          freeze,
          law("claims")("claim/lapsed-lease-is-claimable"),
          kill
        ]
      ],
      [
        "A delivery that kills its workers is parked; a bad row holds up no other",
        [
          deadWorker("three times parks the delivery"),
          dispatcher("in one row, which has no message, holds up no other")
        ]
      ],
      ["One project's backlog makes no other wait", [], "fair claims"],
      [
        "A worker that is told to stop takes nothing more and leaves nothing in sending",
        [
          dispatcher(
            "on shutdown waits for hand-offs under way, then sends them back to the queue, and gives its lease back"
          ),
          dispatcher("leaves no lease behind when it ends")
        ]
      ]
    ]
  ],
  [
    "Idempotency",
    [
      [
        "One key and request have one answer for as long as the key lives",
        [
          sending("answers the same key and request the same, and charges once"),
          sending("replays a scheduled send after its time, and for 30 days after that"),
          kill,
          lives
        ]
      ],
      [
        "Of identical requests at once one is carried out",
        [
          sending("makes one message of two sends at once with one key"),
          law("idempotency")("idempotency/one-of-many-recorded")
        ]
      ],
      ["A crash between the commit and its answer changes no later answer", [crashPoints, kill, calls]],
      [
        "A key belongs to a project and tells nothing to another",
        [
          refusals("have idempotency keys, contacts and suppressions of their own"),
          law("isolation")("isolation/one-name-in-two-projects")
        ]
      ],
      [
        "The same key for another request is refused, and nothing is sent",
        [sending("refuses the same key for another request")]
      ],
      [
        "A second request waits for the first and gets its answer",
        [sending("makes one message of two sends at once with one key")]
      ],
      [
        "A refusal uses no key up",
        [sending("does not use up a key by a refused send"), refusals("does not use up a key by a refusal")]
      ]
    ]
  ],
  [
    "Scheduling and time",
    [
      [
        "Nothing scheduled goes before its time, and it goes soon after",
        [sending("is never sent before its time"), dispatcher("wakes when the next delivery is due"), lives]
      ],
      [
        "A clock that jumps doubles and loses nothing",
        [
          surroundings("a day ahead sends early what was due that day, once, and what is scheduled later in its turn"),
          surroundings("a day back loses nothing: what waits is sent when the clock is there again, and once"),
          lateWorker("does not make the deliveries under way look abandoned to their own process or to another one"),
          sweeping("replays a send after a clock that was 40 days ahead has returned"),
          lives
        ],
        "mail that waits no longer than it must after a clock is set back"
      ],
      [
        "After a time of rest everything due goes once",
        [kill, handOffs("tries once more what waited past its lifetime because nobody was at work")],
        "a rate for what has piled up"
      ],
      [
        "Of a cancellation and a claim one wins; what was canceled is never handed over",
        [sending("that was canceled is never handed over, however close the race"), kill, lives]
      ],
      [
        "A new time keeps the key and is judged like the first",
        [
          sending("keeps a rescheduled send's key for 30 days after its new time"),
          sending("moves to another time and day")
        ]
      ],
      [
        "No timer is longer than a timer can be",
        [{ file: ".oxlintrc.json", title: "Time is Effect's Clock; a long timer overflows after 24.8 days." }]
      ]
    ]
  ],
  [
    "States, events, accounting",
    [
      ["Only the table's moves occur", [machine("%s on %s"), lives]],
      [
        "A move, its event and its charge are one commit",
        [law("outbox")("outbox/event-stands-with-its-commit"), kill, power, calls, lives]
      ],
      [
        "Reports in any order and repetition end in one status",
        [machine("end in one status in any order and repetition, whatever was under way")],
        "taking reports in"
      ],
      ["Every delivery comes to an end", [lives, kill]],
      [
        "What failed or bounced says why, with the relay's words",
        [
          handOffs("appends the event of its move in the same commit"),
          handOffs("records every attempt with what the relay said")
        ]
      ],
      ["The allowance is charged once for what was handed over, and for nothing else", [model, kill, lives]],
      [
        "A scheduled send counts on its own day; what waits is given back",
        [
          sending("count a scheduled send on the day it is scheduled for"),
          sending("bound the recipients waiting in scheduled messages"),
          model
        ]
      ],
      [
        "A rate limit holds over any span, and Retry-After is honest",
        [
          bucket("never allows more than its size and what refilled, over any span"),
          bucket("means what it says: a request after retryAfterSeconds is allowed"),
          bucket("refuses for no longer than one window after the clock jumps, however far and either way")
        ],
        "one limit over several processes"
      ]
    ]
  ],
  [
    "Webhooks",
    [
      [
        "Every event reaches each live endpoint at least once, or is parked with a reason",
        [
          storm("reaches a bad endpoint and a good one, each event at least once, a few at a time"),
          eventRelay("leaves a push that its process died over to another, which tells it again under the same id"),
          eventRelay("tries again after each wait of the schedule, under one id, and gives up after ten tries"),
          law("pushes")("pushes/one-claimant-each"),
          lives
        ]
      ],
      [
        "An event has one id over all tries, and its signature verifies",
        [
          eventRelay("tries again after each wait of the schedule, under one id, and gives up after ten tries"),
          verified("verifies under its secret, and under both while a rotation lasts"),
          verified("does not verify with anything altered, or later than five minutes")
        ]
      ],
      [
        "Only 2xx is success; no redirect is followed; a slow endpoint delays no other",
        [
          openAddress("does not follow a redirect, nor ask a proxy"),
          openAddress("reads no more of an answer than it has to"),
          eventRelay("counts silence for 15 seconds and a lost connection as failures"),
          eventRelay("disables a webhook that is gone, and fails what still waits for it"),
          eventRelay("is not slowed by a consumer that hangs: the others get theirs meanwhile")
        ]
      ],
      [
        "No request reaches a forbidden address",
        [
          openAddress("does not go to a name of which any address is not open, and looks again at every try"),
          openAddress("goes to the address that was looked at, whatever the name says next"),
          eventRelay("refuses addresses that are not public, and all but https")
        ]
      ],
      [
        "Each event of a delivery has its number",
        [
          kill,
          power,
          lives,
          eventRelay("takes each event to each webhook that wants it, once, and to none that does not")
        ]
      ]
    ]
  ],
  [
    "Suppression, contacts, feedback",
    [
      [
        "After a suppression no hand-over to the address begins, and none gets its final dot",
        [
          lives,
          suppressionRaces("lets no final dot go once the suppression stands, and holds back nothing else"),
          handOffs("ends before the message when the recipient is suppressed while it is under way")
        ]
      ],
      ["Feedback without a proven origin changes nothing", [], "taking reports in"],
      [
        "A temporary refusal, and one of content or sender, suppresses nobody",
        [
          replies("blames the relay, not the recipient, for greetings, connections, 421 and 454"),
          handOffs("suppresses an address that is known to be dead, and no other")
        ],
        "the corpus of real bounces"
      ],
      [
        "An address has one identity, everywhere",
        [
          address("has one identity: reading a canonical address again changes nothing"),
          address("is one in any case and any composition")
        ]
      ],
      [
        "A project has one contact at an address, however many are created at once",
        [
          contacts("a hundred creates at once with one address make one"),
          law("contacts")("contacts/one-of-many-created")
        ]
      ],
      ["One-click unsubscribes need no login, and a look changes nothing", [], "unsubscribe links"],
      [
        "An update keeps what it leaves out and clears what it says",
        [
          contacts("keep what an update leaves out, and clear what it says"),
          contactGroups(
            "are set by key in any case, shown by key as defined, and refused when undefined or of another type"
          )
        ]
      ]
    ]
  ],
  ...edgeInvariants
]

export const invariants: ReadonlyArray<Invariant> = areas
  .flatMap(([area, rows]) => rows.map((row) => [area, row] as const))
  .map(([area, [says, heldBy, waitsFor]], index) => ({
    id: `I${index + 1}`,
    area,
    says,
    heldBy,
    ...(waitsFor === undefined ? {} : { waitsFor })
  }))
