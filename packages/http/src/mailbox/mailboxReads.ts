/**
 * What the pages of the mailbox read of the log.
 */
import type { DeliveryLog, DeliveryStatus, DeliveryStory, StoreUnavailable } from "@mailkeep/core"
import type { CapturedMail } from "@mailkeep/core/binding"
import { pageLimitMax } from "@mailkeep/core/binding"
import { Effect } from "effect"

type Log = DeliveryLog["Service"]

/** The story of a delivery, or `null` if it has been deleted. */
export const storyOf = (
  log: Log,
  { projectId, deliveryId }: Pick<CapturedMail, "projectId" | "deliveryId">
): Effect.Effect<DeliveryStory | null, StoreUnavailable> =>
  log.explain(projectId, deliveryId).pipe(
    Effect.catchTags({
      DeliveryNotFound: () => Effect.succeed(null),
      // The ids come from the core, so that they are valid.
      InvalidArgument: Effect.die
    })
  )

const newestOf = (log: Log, projectId: string) =>
  Effect.map(
    Effect.catchTag(log.list(projectId, { limit: pageLimitMax }), "InvalidArgument", Effect.die),
    ({ items }) => items
  )

/** The statuses of the mails, without those whose deliveries have been deleted. Most are among the newest deliveries of their projects. */
export const statusesOf = (
  log: Log,
  mails: ReadonlyArray<CapturedMail>
): Effect.Effect<ReadonlyMap<string, DeliveryStatus>, StoreUnavailable> =>
  Effect.gen(function* () {
    const statuses = new Map<string, DeliveryStatus>()
    for (const projectId of new Set(mails.map((mail) => mail.projectId)))
      for (const { id, status } of yield* newestOf(log, projectId)) statuses.set(id, status)
    for (const mail of mails) {
      if (statuses.has(mail.deliveryId)) continue
      const story = yield* storyOf(log, mail)
      if (story !== null) statuses.set(mail.deliveryId, story.status)
    }
    return statuses
  })

/** A text that changes when the list changes. */
export const listState = (
  version: number,
  mails: ReadonlyArray<CapturedMail>,
  statuses: ReadonlyMap<string, DeliveryStatus>
): string => `${version} ${mails.map(({ deliveryId }) => statuses.get(deliveryId) ?? "deleted").join(" ")}`

/** A text that changes when the delivery changes. */
export const mailState = (mail: CapturedMail, story: DeliveryStory | null): string =>
  story === null
    ? "deleted"
    : `${mail.attempt} ${story.status} ${story.entries.map(({ kind }) => kind).join(" ")} ${story.now.waitsFor}`
