/**
 * `mailkeep suppressions`: the addresses that get no mail, and the reasons.
 */
import type { Suppression } from "@mailkeep/core"
import { formatInstant, Suppressions } from "@mailkeep/core"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { data, json, project, search } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { print, table } from "../output.ts"
import { firstItems } from "../pages.ts"

const suppressionForOutput = ({ email, reason, reasons }: Suppression) => ({
  email,
  reason,
  reasons: reasons.map(({ reason, since }) => ({ reason, since: formatInstant(since) }))
})

const limit = Flag.Int("limit").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  Flag.withDescription("The number of addresses; default all"),
  Flag.optional,
  Flag.map(Option.getOrElse(() => Infinity))
)

const list = Command.make("list", { data, project, json, search, limit }, ({ data, project, json, search, limit }) =>
  Effect.gen(function* () {
    const service = yield* Suppressions
    const { items, hasMore } = yield* firstItems((page) => service.list(project, { search, ...page }), limit)
    const all = items.map(suppressionForOutput)
    const rows = all.map(({ email, reasons }) => [email ?? "", reasons.map(({ reason }) => reason).join(" ")])
    const hint = hasMore ? "\nThere are more. Leave out --limit to see all" : ""
    yield* print(json, { suppressions: all, hasMore }, `${table([["EMAIL", "REASONS"], ...rows])}${hint}`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("List suppressed addresses"))

const email = Argument.String("email")

const add = Command.make("add", { email, data, project, json }, ({ email, data, project, json }) =>
  Effect.gen(function* () {
    const added = yield* (yield* Suppressions).addReason(project, email, "manual")
    yield* print(json, suppressionForOutput(added), `${added.email ?? email} suppressed`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("Suppress an address, so that it gets no mail"))

const remove = Command.make("remove", { email, data, project, json }, ({ email, data, project, json }) =>
  Effect.gen(function* () {
    yield* (yield* Suppressions).delete(project, email)
    yield* print(json, { email, removed: true }, `${email} gets mail again`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("Remove every reason that suppresses an address"))

export const suppressions = Command.make("suppressions").pipe(
  Command.withDescription("Suppressed addresses, which get no mail"),
  Command.withSubcommands([list, add, remove])
)
