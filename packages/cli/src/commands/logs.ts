/**
 * `mailkeep logs`: the deliveries of a project and their status; with `--follow` each change when it occurs.
 */
import type { DeliverySummary, ListDeliveriesInput } from "@mailkeep/core"
import { DeliveryLog, deliveryStatuses, formatInstant } from "@mailkeep/core"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { data, json, limit, project, search } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { untilStdoutFails } from "../files.ts"
import { print, printable, table, untilInterrupted } from "../output.ts"
import { firstItems } from "../pages.ts"
import { warnOfUnknownProject } from "../unknownProject.ts"

const deliveryForOutput = ({ id, createdAt, recipient, subject, status }: DeliverySummary) => ({
  id,
  createdAt: formatInstant(createdAt),
  recipient,
  subject,
  status
})

const line = (one: DeliverySummary): string =>
  [formatInstant(one.createdAt), one.status.padEnd(10), one.id, one.recipient, one.subject].map(printable).join("  ")

/** The interval at which a follower reads. */
const everyDuration = "1 second"
/** A follower compares so many of the newest deliveries, and more after a burst. */
const followedMin = 100
const followedMax = 1000
/** The number of deliveries whose last status a follower knows. */
const rememberedMax = 10 * followedMax

/** The newest deliveries that match. */
const newest = (projectId: string, filters: ListDeliveriesInput, limit: number) =>
  Effect.gen(function* () {
    const log = yield* DeliveryLog
    const { items } = yield* firstItems((page) => log.list(projectId, { ...filters, ...page }), limit)
    return items
  })

const isUnderWay = ({ status }: DeliverySummary): boolean => status === "queued" || status === "sending"

/**
 * The newest deliveries, down to those of the last read, and to each one that was under way then. The follower thus misses no delivery of a burst
 * and no end of one, up to `followedMax` deliveries.
 */
const readSince = (projectId: string, filters: ListDeliveriesInput, lastRead: ReadonlyArray<DeliverySummary>) =>
  Effect.gen(function* () {
    const needed = lastRead.filter((one, index) => index === 0 || isUnderWay(one))
    for (let limit = followedMin; ; limit = Math.min(2 * limit, followedMax)) {
      const found = yield* newest(projectId, filters, limit)
      const ids = new Set(found.map(({ id }) => id))
      if (found.length < limit || limit === followedMax || needed.every(({ id }) => ids.has(id))) return found
    }
  })

/**
 * Reports the newest `limit` deliveries, then each one when it appears, and any whenever its status changes. Fails if the first read fails, or if the store
 * fails for good. After another failure of the store, it warns once and continues.
 */
export const following = (
  projectId: string,
  filters: ListDeliveriesInput,
  limit: number,
  report: (one: DeliverySummary) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    let found = yield* readSince(projectId, filters, [])
    if (found.length === 0) yield* warnOfUnknownProject(projectId)
    const last = new Map(found.slice(limit).map(({ id, status }) => [id, status] as const))
    let answers = true
    const nextRead = Effect.suspend(() => readSince(projectId, filters, found)).pipe(
      Effect.tap(() => Effect.sync(() => (answers = true))),
      Effect.catchTag("StoreUnavailable", (failure) => {
        if (!failure.isRetryable) return Effect.fail(failure)
        const { reason } = failure
        const warning = answers
          ? Effect.logWarning("The store does not answer. The changes follow after it answers.", { reason })
          : Effect.void
        answers = false
        return Effect.as(warning, found)
      })
    )
    while (true) {
      for (const one of found.toReversed())
        if (last.get(one.id) !== one.status) {
          last.set(one.id, one.status)
          yield* report(one)
        }
      for (const id of [...last.keys()].slice(0, Math.max(0, last.size - rememberedMax))) last.delete(id)
      yield* Effect.sleep(everyDuration)
      found = yield* nextRead
    }
  })

export const logs = Command.make(
  "logs",
  {
    data,
    project,
    json,
    limit,
    search,
    status: Flag.Literals("status", deliveryStatuses).pipe(
      Flag.withDescription("Show only deliveries with this status"),
      Flag.optional,
      Flag.map(Option.getOrNull)
    ),
    recipient: Flag.String("recipient").pipe(
      Flag.withDescription("Show only deliveries to this address"),
      Flag.optional,
      Flag.map(Option.getOrNull)
    ),
    follow: Flag.Boolean("follow").pipe(
      Flag.withAlias("f"),
      Flag.withDefault(false),
      Flag.withDescription("Print the newest deliveries, then each change as one line until the command is interrupted")
    )
  },
  ({ data, project, json, limit, search, status, recipient, follow }) =>
    Effect.gen(function* () {
      const filters = { status, recipient, search }
      if (follow) {
        const report = (one: DeliverySummary) => print(json, deliveryForOutput(one), line(one))
        return yield* untilInterrupted(untilStdoutFails(following(project, filters, limit, report)))
      }
      const found = yield* newest(project, filters, limit)
      if (found.length === 0) yield* warnOfUnknownProject(project)
      const rows = found.map((one) => [formatInstant(one.createdAt), one.status, one.id, one.recipient, one.subject])
      yield* print(
        json,
        { deliveries: found.map(deliveryForOutput) },
        table([["CREATED", "STATUS", "ID", "RECIPIENT", "SUBJECT"], ...rows])
      )
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("List deliveries, newest first; --follow prints each change when it occurs"))
