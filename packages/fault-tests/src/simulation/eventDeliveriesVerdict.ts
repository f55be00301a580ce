/**
 * Checks the event deliveries at the end of a simulation, after all faults have stopped. Each event that was appended while a webhook
 * existed has reached the webhook, or its delivery failed after every scheduled attempt.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import type { History } from "./history.ts"
import { readNow } from "./history.ts"

const attemptsMax = 10

const eventDeliveriesTo = (raw: MailStoreShape, projectId: string, subscriber: string) =>
  readNow(raw, [{ _tag: "EventDeliveryPage", projectId, subscriber, after: null, limit: 10_000 }])[0]

export const eventDeliveriesOf = (raw: MailStoreShape, { webhooks }: Pick<History, "webhooks">) =>
  [...webhooks].flatMap(([projectId, ids]) =>
    ids.flatMap((subscriber) => eventDeliveriesTo(raw, projectId, subscriber))
  )

/** Returns a message for each problem. */
export const eventDeliveriesVerdict = (
  raw: MailStoreShape,
  { webhooks, expectedEvents }: Pick<History, "webhooks" | "expectedEvents">,
  received: ReadonlySet<string>
): ReadonlyArray<string> =>
  [...webhooks].flatMap(([projectId, ids]) =>
    ids.flatMap((subscriber) => {
      const eventDeliveries = eventDeliveriesTo(raw, projectId, subscriber)
      const byEvent = Map.groupBy(eventDeliveries, ({ eventId }) => eventId)
      return [
        ...(expectedEvents.get(subscriber) ?? []).flatMap((event) =>
          byEvent.get(event as (typeof eventDeliveries)[number]["eventId"])?.length === 1
            ? []
            : [`${subscriber} does not have exactly one event delivery of ${event}`]
        ),
        ...eventDeliveries.flatMap(({ id, attemptCount, latestAttempts }) => {
          const answered = latestAttempts.filter((attempt) => attempt.status !== null).length
          return answered > attemptCount
            ? [`${id} counts ${attemptCount} attempts, but the webhook answered ${answered}`]
            : []
        }),
        ...eventDeliveries.flatMap(({ id, status, attemptCount }) => {
          if (status === "delivered")
            return received.has(id) ? [] : [`${id} is delivered, but the webhook did not receive it`]
          return status === "failed" && attemptCount >= attemptsMax
            ? []
            : [`${id} is still ${status} after ${attemptCount} attempts`]
        })
      ]
    })
  )
