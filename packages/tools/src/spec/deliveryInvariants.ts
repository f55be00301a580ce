/**
 * The invariants of the times, the states and the usage of deliveries, with their proofs.
 */
import type { InvariantArea } from "./Invariant.ts"
import {
  calls,
  clockSetBack,
  kill,
  lateWorker,
  law,
  lintRule,
  model,
  power,
  simulation,
  surroundings,
  sweeping
} from "./faultProofs.ts"
import {
  bucket,
  dispatcherRun,
  feedback,
  handOffRetries,
  handOffs,
  machine,
  relayLimit,
  reportSequences,
  scheduledSending,
  sending,
  sendingLimits,
  sharedRateLimiter
} from "./proofs.ts"

export const deliveryInvariants: ReadonlyArray<InvariantArea> = [
  [
    "Scheduling and time",
    [
      [
        "A scheduled delivery is never sent before its time, and is sent soon after it",
        [
          scheduledSending("sends no delivery before its scheduled time"),
          dispatcherRun("wakes when the next delivery is due"),
          simulation
        ]
      ],
      [
        "A clock jump duplicates and loses nothing",
        [
          surroundings(
            "sends each delivery once when the clock jumps a day ahead: early if due that day, otherwise on time"
          ),
          surroundings("sends a queued delivery once and at once after the clock was set a day back"),
          clockSetBack("delays a delivery that is $name by a lease at most, $jump ms back, before a start"),
          clockSetBack("delays a delivery that is $name by a lease at most, $jump ms back, while it runs"),
          clockSetBack("keeps the claims of a live worker when the clock is set back"),
          clockSetBack("sends a scheduled delivery at its time by the clock that was set back, and not before"),
          law("clockSetBack")("claim/due-before-its-wait-began"),
          lateWorker("recovers no delivery under way when the wall clock jumps a day ahead"),
          sweeping("replays a send after the clock was 40 days ahead and returned"),
          simulation
        ]
      ],
      [
        "After a pause of the dispatcher, every due delivery is sent once",
        [
          kill,
          handOffRetries("tries a delivery once after its lifetime when no dispatcher ran before"),
          relayLimit("always allows a try within a minute, and never more than the limit")
        ]
      ],
      [
        "Either a cancellation or a claim succeeds, and a canceled delivery is never handed over",
        [scheduledSending("hands over no canceled message when a cancel races the release"), kill, simulation]
      ],
      [
        "A rescheduled send keeps its idempotency key, and the new time is validated like the first",
        [
          sending("keeps the idempotency key of a rescheduled send for 30 days after its new time"),
          scheduledSending("reschedules a message to another time and day")
        ]
      ],
      [
        "No timer is longer than the maximum of the runtime",
        [lintRule("Time is Effect's Clock; a long timer overflows after 24.8 days.")]
      ]
    ]
  ],
  [
    "States, events, accounting",
    [
      ["Only the transitions of the table occur", [machine("decides the transition from %s on %s"), simulation]],
      [
        "A transition, its event and its charge are one commit",
        [law("outbox")("outbox/event-exists-with-its-commit"), kill, power, calls, simulation]
      ],
      [
        "Reports lead to the same status in any order and repetition",
        [
          machine("gives the same status for reports in any order and repetition"),
          reportSequences("ends in the same status for every order and repetition"),
          feedback("agrees on the status over both stores, however the reports arrive"),
          simulation
        ]
      ],
      ["Every delivery leaves the statuses scheduled, queued and sending", [simulation, kill]],
      [
        "A failed or bounced delivery has a reason and the relay's reply",
        [
          handOffs("appends the event in the commit of its transition"),
          handOffs("records every attempt with the reply of the relay")
        ]
      ],
      [
        "The allowance is charged once when a delivery is queued, and refunded if the delivery ends before an attempt reached the relay",
        [model, kill, simulation]
      ],
      [
        "A scheduled send counts on its scheduled day, and its count is refunded when it is not sent",
        [
          sendingLimits("counts a scheduled send on its scheduled day"),
          sendingLimits("limits the recipients of scheduled messages"),
          model
        ]
      ],
      [
        "A rate limit holds over any time span, and a request after Retry-After is allowed",
        [
          bucket("allows at most its size and the refilled tokens over any span"),
          bucket("allows a request after retryAfterSeconds"),
          bucket("refuses for at most one window after the clock jumps in either direction"),
          sharedRateLimiter("allows exactly the requests of a small limit over all processes"),
          sharedRateLimiter(
            "allows at most one twentieth more for each process of a large limit, and sends few statements"
          )
        ]
      ]
    ]
  ]
]
