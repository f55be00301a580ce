import type { DeliveryStory } from "@mailkeep/core"
import { expect, it } from "vitest"
import { storyForOutput } from "../src/commands/explain.ts"

const at = Date.parse("2026-12-01T09:00:00Z")

/** Every field of a story that is an instant. */
const story = {
  deliveryId: "del_1",
  messageId: "msg_1",
  recipient: "ada@example.org",
  recipientKind: "to",
  status: "sending",
  reason: null,
  entries: [
    {
      kind: "accepted",
      at,
      text: "",
      source: "api",
      apiKey: null,
      idempotencyKey: null,
      scheduledAt: at,
      expiresAt: at
    },
    { kind: "suppressed", at: null, text: "", reason: "manual", since: at },
    { kind: "claimed", at, text: "", worker: "w", leaseUntil: at },
    { kind: "retry", at, text: "", attempt: 2, dueAt: at },
    {
      kind: "event",
      at,
      text: "",
      eventId: "evt_1",
      eventKind: "email.delivered",
      eventDeliveries: [
        { id: "evd_1", subscriber: "whk_1", name: null, status: "pending", attemptCount: 1, nextAttemptAt: at }
      ]
    }
  ],
  now: { waitsFor: "hand_off", until: at, text: "" }
} as unknown as DeliveryStory

it("prints each instant of a story as a text, and no other number", () => {
  const printed = JSON.stringify(storyForOutput(story))
  expect(printed).not.toContain(String(at))
  expect(printed.split("2026-12-01T09:00:00.000Z")).toHaveLength(JSON.stringify(story).split(String(at)).length)
  expect(printed).toContain('"attempt":2')
})
