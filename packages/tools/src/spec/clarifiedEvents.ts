/**
 * Clarifications on events and webhooks.
 */
import {
  answers,
  at,
  clarified,
  commandRecords,
  eventRetries,
  eventSender,
  eventSignatures,
  machine,
  openAddress,
  signing,
  storm,
  subscriptions,
  verified,
  webhookTests,
  webhookUrl,
  wireWebhooks
} from "./proofs.ts"

export const eventsAndWebhooks = clarified(8, "Events and webhooks", [
  [
    "Webhooks are listed, created, shown, changed and deleted; the secret is shown once.",
    [at.api("Webhooks"), at.handler("webhooks")],
    [
      wireWebhooks("shows the secret of a webhook only when it creates the webhook or rotates the secret"),
      wireWebhooks("changes, disables, enables and deletes a webhook"),
      wireWebhooks("refuses an invalid webhook and names the wrong field"),
      wireWebhooks("answers 404 for a webhook of another project")
    ],
    "0028-webhooks"
  ],
  [
    "After a rotation, the old secret also signs for 24 h.",
    [at.service("Webhooks"), "packages/core/src/internal/webhook/webhookSigning.ts"],
    [
      eventSignatures("signs with the newest secret, and for one day after a rotation also with the previous secret"),
      verified("verifies an event delivery with its secret, and with both secrets during a rotation")
    ],
    "0028-webhooks"
  ],
  [
    "A test event is sent at once. Event deliveries are listed with their attempts and can be replayed.",
    [at.service("Webhooks"), at.service("EventSender")],
    [
      wireWebhooks("shows the event deliveries of a webhook with every attempt, and replays one"),
      eventRetries("replays an ended event delivery from the start of its schedule"),
      commandRecords("delivers events to a webhook, sends a test at once, and replays an event")
    ],
    "0028-webhooks"
  ],
  [
    "At most one test of a webhook, four of a project and sixteen in a process run at the same time. One more is refused with 429 and the time to wait.",
    [at.service("Webhooks"), "packages/core/src/internal/webhook/webhookTestLimiter.ts"],
    [
      webhookTests("limits concurrent webhook tests to %s, and refuses the others for at most 15 s"),
      wireWebhooks("runs one test of a webhook at a time, and refuses a second test with the time to wait")
    ],
    "0028-webhooks"
  ],
  [
    "The format is Standard Webhooks, unmodified: the same id on every attempt, a timestamp and a signature.",
    ["packages/core/src/internal/webhook/webhookSigning.ts"],
    [
      signing("matches the example of the specification"),
      verified("does not verify an event delivery that is altered or older than five minutes"),
      eventRetries("retries an event delivery by its schedule under one id, and fails it after ten attempts")
    ],
    "0028-webhooks"
  ],
  [
    "The body has type, timestamp and data; an email event contains the delivery, a contact event the contact.",
    [at.domain("WebhookBody")],
    [eventSender("sends each event once to each webhook that wants it, and to no other webhook")],
    "0016-events"
  ],
  [
    "A webhook gets four kinds by default and can select eleven more; `email.delayed` occurs once per delivery.",
    [at.domain("MailEvent"), at.domain("DeliveryTable")],
    [
      wireWebhooks("shows the secret of a webhook only when it creates the webhook or rotates the secret"),
      machine("emits an event for every reported status and for a delay"),
      machine("emits email.delayed only for the first deferral, and email.bounced each time")
    ],
    "0016-events"
  ],
  [
    "An event is sent at least once. No answer within 15 s, a redirect, or any status other than 2xx is a failure.",
    [at.service("EventSender"), "packages/webhooks/src/WebhookSink.ts"],
    [
      eventRetries("counts no answer within 15 seconds and a lost connection as failures"),
      eventRetries("retries an event delivery under the same id after its process died"),
      storm("delivers each event at least once to a failing endpoint and to a healthy one, a few at a time"),
      openAddress("does not follow a redirect and does not use a proxy"),
      answers("reports an accepted event for a 2xx status when the body %s, and closes the connection")
    ],
    "0028-webhooks"
  ],
  [
    "410 disables the webhook, and `Retry-After` is honoured. An event delivery has ten attempts over three days. Five days with only failures disable the webhook.",
    [at.decide("finishEventDelivery")],
    [
      eventSender("disables a webhook that wants no more events, and fails its pending event deliveries"),
      eventRetries("waits for the retry-after time of the endpoint, up to one day"),
      answers("reads the Retry-After header %j as %j seconds"),
      eventRetries("retries an event delivery by its schedule under one id, and fails it after ten attempts"),
      eventSender("disables a webhook after five days of failures only, and not after a success")
    ],
    "0028-webhooks"
  ],
  [
    "Only public addresses are allowed, and no cloud metadata service. Every attempt checks the resolved address and connects to exactly that address. Only `https` is allowed, on ports 443 and 8443 unless set. A switch for development allows loopback.",
    [at.domain("NetworkAddress"), at.domain("WebhookUrl"), "packages/webhooks/src/internal/allowedAddress.ts"],
    [
      webhookUrl("allows only the ports of the rules"),
      openAddress("sends to no port and no address that its options exclude, whatever the host name"),
      eventSender("refuses a webhook URL that is not public or not https"),
      openAddress("refuses a host when any of its addresses is not public, and resolves the host at every attempt"),
      openAddress("connects to the checked address although the host name resolves to another address afterwards"),
      openAddress("refuses a loopback address without the development option")
    ],
    "0028-webhooks"
  ],
  [
    "A slow or dead webhook delays no other.",
    [at.service("EventSender")],
    [eventSender("delivers to other subscribers while one subscriber hangs")],
    "0028-webhooks"
  ],
  [
    "In process, a subscription is a durable subscriber with its own position.",
    [at.service("EventSender")],
    [
      subscriptions("continues a subscription at its position after each start of the process"),
      subscriptions("gives a handler the events of every project in order, and the same event again after a failure")
    ],
    "0016-events"
  ]
])
