/**
 * `mailkeep logs`: the deliveries of a project and their status; with `--follow` each change when it occurs.
 */
import type { DeliverySummary, ListDeliveriesInput } from "@mailkeep/core"
import { DeliveryLog, deliveryStatuses, formatInstant } from "@mailkeep/core"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { data, json, limit, project, search } from "../flags.ts"
import * as DataFolder from "../dataFolder.ts"
import { untilPipeCloses } from "../files.ts"
import { print, printable, table } from "../output.ts"
import { firstItems } from "../pages.ts"

const deliveryForOutput = ({ id, createdAt, recipient, subject, status }: DeliverySummary) => ({
  id,
  createdAt: formatInstant(createdAt),
  recipient,
  subject,
  status
})

const line = (one: DeliverySummary): string =>
  [formatInstant(one.createdAt), one.status.padEnd(10), one.id, one.recipient, one.subject].map(printable).join("  ")

/** The interval at which a follower reads, and the number of newest deliveries that it compares. */
const everyDuration = "1 second"
const followedMax = 100

/** The newest deliveries that match. */
const newest = (projectId: string, filters: ListDeliveriesInput, limit: number) =>
  Effect.gen(function* () {
    const log = yield* DeliveryLog
    const { items } = yield* firstItems((page) => log.list(projectId, { ...filters, ...page }), limit)
    return items
  })

/** Reports each delivery when it appears and whenever its status changes. */
const following = (
  projectId: string,
  filters: ListDeliveriesInput,
  report: (one: DeliverySummary) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const last = new Map<string, string>()
    while (true) {
      const found = yield* newest(projectId, filters, followedMax)
      for (const one of found.toReversed())
        if (last.get(one.id) !== one.status) {
          last.set(one.id, one.status)
          yield* report(one)
        }
      for (const id of [...last.keys()].slice(0, Math.max(0, last.size - 10 * followedMax))) last.delete(id)
      yield* Effect.sleep(everyDuration)
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
      Flag.withDescription("Print each change as one line until the command is interrupted")
    )
  },
  ({ data, project, json, limit, search, status, recipient, follow }) =>
    Effect.gen(function* () {
      const filters = { status, recipient, search }
      if (follow) {
        const report = (one: DeliverySummary) => print(json, deliveryForOutput(one), line(one))
        return yield* untilPipeCloses(following(project, filters, report))
      }
      const found = yield* newest(project, filters, limit)
      const rows = found.map((one) => [formatInstant(one.createdAt), one.status, one.id, one.recipient, one.subject])
      yield* print(
        json,
        { deliveries: found.map(deliveryForOutput) },
        table([["CREATED", "STATUS", "ID", "RECIPIENT", "SUBJECT"], ...rows])
      )
    }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("List deliveries, newest first; --follow prints each change when it occurs"))
