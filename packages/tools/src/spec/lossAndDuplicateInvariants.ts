/**
 * The invariants by which no mail is lost, and none is sent twice without a mark, with their proofs.
 */
import type { InvariantArea } from "./Invariant.ts"
import {
  anyHandOffResult,
  attachmentLaw,
  calls,
  changedFile,
  commitThread,
  composed,
  crashPoints,
  deadWorker,
  fairness,
  freeze,
  fullDisk,
  groups,
  kill,
  lateWorker,
  law,
  lockedFile,
  olderFile,
  opening,
  outcomeLaw,
  power,
  relay,
  signed,
  simulation,
  surroundings
} from "./faultProofs.ts"
import {
  attachments,
  dispatcher,
  dispatcherRun,
  handedOverHeaders,
  handOffRetries,
  refusals,
  sending
} from "./proofs.ts"

export const lossAndDuplicateInvariants: ReadonlyArray<InvariantArea> = [
  [
    "Acceptance and durability",
    [
      [
        "Acknowledged data survives every kill and every power cut",
        [kill, power, calls, law("durability")("durability/acknowledged-survives-a-kill")]
      ],
      [
        "A message, all its deliveries and its idempotency record are stored together or not at all",
        [law("commit")("commit/all-or-nothing"), kill, calls]
      ],
      [
        "A failed commit is unknown: the next request with its idempotency key gets the correct answer",
        [calls, crashPoints]
      ],
      [
        "A store that does not sync its commits does not open",
        [opening("sets and checks that every commit is synced")],
        "a check of the settings while it runs"
      ],
      [
        "Full, read-only, locked or missing storage is a typed failure, and the store recovers when the cause is gone",
        [
          fullDisk("reports a full disk, keeps acknowledged commits, and continues when the disk has space again"),
          opening("refuses a file without write permission"),
          changedFile("commits again when the moved file is at its path again"),
          surroundings(
            "refuses sends while the disk is full, keeps acknowledged sends, and accepts sends after space is freed"
          ),
          surroundings(
            "acknowledges no send while the store file is missing, and loses no acknowledged send after the file returns"
          )
        ]
      ],
      [
        "No call of the store blocks the event loop",
        [
          groups("waits five seconds on the event loop for a lock of another connection, then refuses the commit"),
          commitThread(
            "leaves the event loop free while another connection has the lock, and commits when the lock is released"
          )
        ],
        "a bound for the reads, which run on the thread of the caller and are only measured"
      ],
      [
        "A hand-off sends exactly the content that was stored at acceptance",
        [
          outcomeLaw("outcome/message-arrives-unchanged"),
          attachmentLaw("outcome/files-arrive-unchanged"),
          attachmentLaw("outcome/no-part-of-a-file"),
          attachments("returns a delivery to the queue and sends nothing when the stored content %s"),
          relay
        ]
      ],
      [
        "A killed migration leaves a file that opens or is refused with a typed failure",
        [
          calls,
          lockedFile("migrates a file once when several processes open it at once"),
          olderFile("keeps its deliveries when a process is killed at any statement of its migration, from version %i")
        ]
      ]
    ]
  ],
  [
    "Claims and attempts",
    [
      [
        "At most one live worker has a claim on a delivery, and a worker that lost its claim can change nothing, except to record a late acceptance (decision 0006)",
        [
          law("claims")("claim/one-claimant-each"),
          law("claimFences")("claim/late-worker-is-fenced"),
          law("processes")("processes/one-claimant-each"),
          kill,
          simulation
        ]
      ],
      [
        "A delivery is handed over a bounded number of times",
        [simulation, deadWorker("fails a delivery that kills its worker three times")]
      ],
      ["A duplicate is possible only where an attempt is marked as ambiguous", [kill, simulation, crashPoints]],
      [
        "A send that asks for at most one copy causes at most one copy",
        [
          simulation,
          anyHandOffResult("fails an ambiguous attempt without a retry when the send permits no second copy"),
          handOffRetries("fails an ambiguous delivery at once when the send says so, and after two retries otherwise")
        ]
      ],
      [
        "Every attempt of a delivery has the same Message-ID, sender and date",
        [
          handedOverHeaders("hands over the same Message-ID and date on every attempt"),
          composed("gives the same bytes each time, and other boundaries for another content"),
          signed("writes the same bytes each time"),
          simulation
        ]
      ],
      [
        "The deliveries of a dead worker can be claimed when its lease has ended",
        [
          deadWorker("recovers the delivery of a dead worker only after its lease ends"),
          lateWorker("%s the hand-off when the finalizing commit takes %d ms of a lease of 30 s"),
          lateWorker("settles the delivery after a late outcome %s, without another hand-off"),
          freeze,
          law("claims")("claim/lapsed-lease-is-claimable"),
          kill
        ]
      ],
      [
        "A delivery that kills its workers fails, and a bad row delays no other delivery",
        [
          deadWorker("fails a delivery that kills its worker three times"),
          dispatcher("hands over other deliveries when one delivery has no message")
        ]
      ],
      [
        "One project's backlog delays no other project",
        [
          fairness(
            "hands over the first delivery of a project in the first round, behind the backlog of another project"
          ),
          fairness("hands over the first delivery of each project and lane within the first round"),
          fairness(
            "hands over mail of a project while the hand-offs of another project hang, and stays idle meanwhile"
          ),
          law("claimFairness")("claim/round-robin-over-projects"),
          law("claimFairness")("claim/limit-of-each-project")
        ]
      ],
      [
        "A worker that shuts down claims nothing more and leaves no delivery in sending",
        [
          dispatcherRun("waits for hand-offs at shutdown, then returns them to the queue and ends its lease"),
          dispatcherRun("ends its lease when it stops")
        ]
      ]
    ]
  ],
  [
    "Idempotency",
    [
      [
        "The same idempotency key and request get the same answer until the idempotency key expires",
        [
          sending("returns the same answer for the same idempotency key and request, and charges once"),
          sending("replays a scheduled send until 30 days after its scheduled time"),
          kill,
          simulation
        ]
      ],
      [
        "Identical requests at the same time are carried out once",
        [
          sending("creates one message when concurrent sends have one idempotency key"),
          law("idempotency")("idempotency/one-of-many-recorded")
        ]
      ],
      ["A crash between the commit and its answer changes no later answer", [crashPoints, kill, calls]],
      [
        "An idempotency key belongs to one project and reveals nothing to another",
        [
          refusals("keeps the idempotency keys, contacts and suppressions of each project separate"),
          law("isolation")("isolation/one-name-in-two-projects")
        ]
      ],
      [
        "Another request with a used idempotency key is refused, and nothing is sent",
        [sending("refuses a used idempotency key with another request")]
      ],
      [
        "A second identical request waits for the first and gets its answer",
        [sending("creates one message when concurrent sends have one idempotency key")]
      ],
      [
        "A refused request does not use its idempotency key",
        [
          sending("does not record the idempotency key of a refused send"),
          refusals("does not use up an idempotency key when it refuses the send")
        ]
      ]
    ]
  ]
]
