/**
 * The invariants of webhooks, suppressions and contacts, with their proofs.
 */
import type { InvariantArea } from "./Invariant.ts"
import { bounces, kill, law, power, replies, simulation } from "./faultProofs.ts"
import {
  address,
  bounceListener,
  contacts,
  eventRetries,
  eventSender,
  feedback,
  handOffFinalizing,
  handOffs,
  openAddress,
  propertyValues,
  storm,
  suppressionRaces,
  unsubscribeLinks,
  unsubscribePage,
  verified
} from "./proofs.ts"

export const recipientInvariants: ReadonlyArray<InvariantArea> = [
  [
    "Webhooks",
    [
      [
        "Every event reaches each live endpoint at least once, or its event delivery fails with a reason",
        [
          storm("delivers each event at least once to a failing endpoint and to a healthy one, a few at a time"),
          eventRetries("retries an event delivery under the same id after its process died"),
          eventRetries("retries an event delivery by its schedule under one id, and fails it after ten attempts"),
          law("eventDeliveries")("events/one-claimant-each"),
          simulation
        ]
      ],
      [
        "An event delivery has the same id on every attempt, and its signature verifies",
        [
          eventRetries("retries an event delivery by its schedule under one id, and fails it after ten attempts"),
          verified("verifies an event delivery with its secret, and with both secrets during a rotation"),
          verified("does not verify an event delivery that is altered or older than five minutes")
        ]
      ],
      [
        "Only 2xx is a success, no redirect is followed, and a slow endpoint delays no other",
        [
          openAddress("does not follow a redirect and does not use a proxy"),
          openAddress("reads only a limited part of a response body"),
          eventRetries("counts no answer within 15 seconds and a lost connection as failures"),
          eventSender("disables a webhook that wants no more events, and fails its pending event deliveries"),
          eventSender("delivers to other subscribers while one subscriber hangs")
        ]
      ],
      [
        "No request reaches a forbidden address",
        [
          openAddress("refuses a host when any of its addresses is not public, and resolves the host at every attempt"),
          openAddress("connects to the checked address although the host name resolves to another address afterwards"),
          eventSender("refuses a webhook URL that is not public or not https")
        ]
      ],
      [
        "Each event of a delivery has a sequence number",
        [
          kill,
          power,
          simulation,
          eventSender("sends each event once to each webhook that wants it, and to no other webhook")
        ]
      ]
    ]
  ],
  [
    "Suppression, contacts, feedback",
    [
      [
        "After a suppression, no hand-off to the address begins and none sends its end of data",
        [
          simulation,
          suppressionRaces("finalizes no delivery after its suppression is committed, and hands over all others"),
          handOffFinalizing("stops before finalizing when the recipient is suppressed during the attempt")
        ]
      ],
      [
        "A report without a proven origin changes nothing",
        [
          feedback("changes nothing for a forged, an expired and a foreign address"),
          bounceListener("refuses %s before it reads the message, and counts it"),
          bounces
        ]
      ],
      [
        "A temporary refusal, or a refusal because of content or sender, suppresses no address",
        [
          replies("attributes a refused greeting and a 421 reply to the relay, not to the recipient"),
          replies("decides whether a refusal at %s with %s %s is about the recipient"),
          handOffs("suppresses an address after a hard bounce, and no other address"),
          bounces
        ]
      ],
      [
        "An address has the same identity everywhere",
        [
          address("parses a canonical address to itself"),
          address("gives one canonical address for every case and Unicode composition")
        ]
      ],
      [
        "A project has one contact per address, even when many are created at the same time",
        [
          contacts("creates one contact when 100 creates with one address run at once"),
          law("contacts")("contacts/one-of-many-created")
        ]
      ],
      [
        "A one-click unsubscribe needs no login, and a GET changes nothing",
        [
          unsubscribePage("shows a button and changes nothing"),
          unsubscribePage("unsubscribes on the POST of a mailbox provider, and on its repetition"),
          unsubscribeLinks("gives each copy a signed link and the field for one click")
        ]
      ],
      [
        "An update keeps the omitted fields and clears the fields that it sets to null or empty text",
        [
          contacts("keeps fields that an update omits, and clears fields that it sets to empty"),
          propertyValues("sets custom properties by key in any case, and refuses undefined keys and other types")
        ]
      ]
    ]
  ]
]
