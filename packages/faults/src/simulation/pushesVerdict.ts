/**
 * What must be true of events and webhooks once everything has calmed down: each event that came while a webhook stood reached it, or
 * was given up after the whole schedule.
 */
import type { MailStoreShape } from "@mailkeep/core"
import type { History } from "./history.ts"
import { readNow } from "./history.ts"

const triesMax = 10

const pushesTo = (raw: MailStoreShape, projectId: string, consumer: string) =>
  readNow(raw, [{ _tag: "PushPage", projectId, consumer, after: null, limit: 10_000 }])[0]

export const pushesOf = (raw: MailStoreShape, { webhooks }: Pick<History, "webhooks">) =>
  [...webhooks].flatMap(([projectId, ids]) => ids.flatMap((consumer) => pushesTo(raw, projectId, consumer)))

export const pushesVerdict = (
  raw: MailStoreShape,
  { webhooks, owed }: Pick<History, "webhooks" | "owed">,
  taken: ReadonlySet<string>
): ReadonlyArray<string> =>
  [...webhooks].flatMap(([projectId, ids]) =>
    ids.flatMap((consumer) => {
      const pushes = pushesTo(raw, projectId, consumer)
      const byEvent = Map.groupBy(pushes, ({ eventId }) => eventId)
      return [
        ...(owed.get(consumer) ?? []).flatMap((event) =>
          byEvent.get(event as (typeof pushes)[number]["eventId"])?.length === 1
            ? []
            : [`${consumer} has not one push of ${event}`]
        ),
        ...pushes.flatMap(({ id, status, attempts }) => {
          if (status === "delivered") return taken.has(id) ? [] : [`${id} is delivered, and the webhook has nothing`]
          return status === "failed" && attempts >= triesMax ? [] : [`${id} is left ${status} after ${attempts} tries`]
        })
      ]
    })
  )
