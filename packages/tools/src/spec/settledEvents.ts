/**
 * What the interface leaves open of events and webhooks, as decided.
 */
import {
  answers,
  at,
  commandRecords,
  machine,
  openAddress,
  relay,
  settled,
  signing,
  storm,
  verified,
  webhookTarget,
  webhookTests,
  wireWebhooks
} from "./proofs.ts"

export const eventsAndWebhooks = settled(8, "Events and webhooks", [
  [
    "Webhooks are listed, created, shown, changed and deleted; the secret is shown once.",
    [at.api("Webhooks"), at.handler("webhooks")],
    [
      wireWebhooks("show their secret when they are made and when it is rotated, and never again"),
      wireWebhooks("are changed, disabled, enabled and deleted"),
      wireWebhooks("are refused by form, by field"),
      wireWebhooks("are their project's alone")
    ],
    "0028-webhooks"
  ],
  [
    "After a rotation the old secret signs too for 24 h.",
    [at.service("Webhooks"), "packages/core/src/internal/webhookSigning.ts"],
    [
      relay("signs with the newest secret and, for a day after a rotation, with the one before"),
      verified("verifies under its secret, and under both while a rotation lasts")
    ],
    "0028-webhooks"
  ],
  [
    "A test event goes at once; what was pushed is listed with its attempts and can be pushed again.",
    [at.service("Webhooks"), at.service("EventRelay")],
    [
      wireWebhooks("show what was pushed with every attempt, and push it again"),
      relay("replays what has settled, from the beginning of its schedule"),
      commandRecords("a webhook gets what the server pushes, a test at once, and an event again")
    ],
    "0028-webhooks"
  ],
  [
    "One test of a webhook, four of a project and sixteen in a process run at once; one more is refused with 429 and the time to wait.",
    [at.service("Webhooks"), "packages/core/src/internal/webhookTests.ts"],
    [
      webhookTests("at once: %s, and refuse the others for 15 s at most"),
      wireWebhooks("are tested one at a time, and a second test is refused with the time to wait")
    ],
    "0028-webhooks"
  ],
  [
    "Standard Webhooks, unmodified: one id on every try, a timestamp and a signature.",
    ["packages/core/src/internal/webhookSigning.ts"],
    [
      signing("is that of the specification's own example"),
      verified("does not verify with anything altered, or later than five minutes"),
      relay("tries again after each wait of the schedule, under one id, and gives up after ten tries")
    ],
    "0028-webhooks"
  ],
  [
    "The body has type, timestamp and data; an email event tells the delivery, a contact event the contact.",
    [at.domain("EventBody")],
    [relay("takes each event to each webhook that wants it, once, and to none that does not")],
    "0016-events"
  ],
  [
    "Four kinds by default, eleven more by choice; `email.delayed` once a delivery.",
    [at.domain("MailEvent"), at.domain("DeliveryTable")],
    [
      wireWebhooks("show their secret when they are made and when it is rotated, and never again"),
      machine("emits on every arrival at a status that somebody may wait for, and on a delay"),
      machine("tells of a delay once, and of nothing else twice")
    ],
    "0016-events"
  ],
  [
    "At least once; silence for 15 s, anything but 2xx and a redirect are failures.",
    [at.service("EventRelay"), "packages/webhooks/src/WebhookSink.ts"],
    [
      relay("counts silence for 15 seconds and a lost connection as failures"),
      relay("leaves a push that its process died over to another, which tells it again under the same id"),
      storm("reaches a bad endpoint and a good one, each event at least once, a few at a time"),
      openAddress("does not follow a redirect, nor ask a proxy"),
      answers("counts as a success when the body %s, and the connection is closed")
    ],
    "0028-webhooks"
  ],
  [
    "410 disables; `Retry-After` is honoured; ten tries over three days; disabled after five days of nothing but failures.",
    [at.decide("settlePush")],
    [
      relay("disables a webhook that is gone, and fails what still waits for it"),
      relay("waits as long as it is asked to, within a day"),
      answers("%j asks for %j seconds"),
      relay("tries again after each wait of the schedule, under one id, and gives up after ten tries"),
      relay("disables a webhook after five days of nothing but failures, and not when one went well")
    ],
    "0028-webhooks"
  ],
  [
    "No address that is not public, and no cloud metadata service, checked as resolved at every try and pinned; `https` only; ports 443 and 8443 unless set; a switch for development allows loopback.",
    [at.domain("NetworkAddress"), at.domain("WebhookTarget"), "packages/webhooks/src/internal/openAddress.ts"],
    [
      webhookTarget("may use the ports that the rules name, and no other"),
      openAddress("goes to no port and no address that its options leave out, by whatever name"),
      relay("refuses addresses that are not public, and all but https"),
      openAddress("does not go to a name of which any address is not open, and looks again at every try"),
      openAddress("goes to the address that was looked at, whatever the name says next"),
      openAddress("is not let near this machine without the switch for development")
    ],
    "0028-webhooks"
  ],
  [
    "A slow or dead webhook delays no other.",
    [at.service("EventRelay")],
    [relay("is not slowed by a consumer that hangs: the others get theirs meanwhile")],
    "0028-webhooks"
  ],
  [
    "In process a subscription is a durable consumer with a position of its own.",
    [at.service("EventRelay")],
    [
      relay("goes on where it was, however often its process starts, and hears what happened meanwhile"),
      relay("gets every project's events in their order, and after a failure the same one again")
    ],
    "0016-events"
  ]
])
