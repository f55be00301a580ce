/**
 * `mailkeep explain`: what happened to one delivery, and what it waits for.
 */
import type { DeliveryStory } from "@mailkeep/core"
import { DeliveryLog, formatInstant } from "@mailkeep/core"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { data, json, project } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { print, table } from "../output.ts"

const instantFields: ReadonlySet<string> = new Set([
  "at",
  "dueAt",
  "expiresAt",
  "leaseUntil",
  "nextAttemptAt",
  "scheduledAt",
  "since",
  "until"
])

/** The story with each instant as a text, as the other commands print it. */
export const storyForOutput = (story: DeliveryStory): unknown =>
  JSON.parse(
    JSON.stringify(story, (name, value: unknown) =>
      instantFields.has(name) && typeof value === "number" ? formatInstant(value) : value
    )
  )

const storyForPeople = ({ deliveryId, recipient, status, reason, entries, now }: DeliveryStory): string => {
  const rows = entries.map(({ at, text }) => [at === null ? "" : formatInstant(at), text])
  const state = reason === null ? status : `${status} (${reason})`
  return [`${deliveryId} to ${recipient}: ${state}`, table(rows), now.text].join("\n")
}

const deliveryId = Argument.String("delivery-id").pipe(
  Argument.withDescription("The id of the delivery, such as del_01h…, from mailkeep logs")
)

export const explain = Command.make(
  "explain",
  { deliveryId, data, project, json },
  ({ deliveryId, data, project, json }) =>
    Effect.gen(function* () {
      const story = yield* (yield* DeliveryLog).explain(project, deliveryId)
      yield* print(json, storyForOutput(story), storyForPeople(story))
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Explain one delivery: what happened to it, why, and what it waits for"))
