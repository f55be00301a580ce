/**
 * `mailkeep keys`: creates, lists and revokes API keys. A running server on the same data folder applies each change at once.
 */
import type { ApiKey } from "@mailkeep/core"
import { ApiKeys, formatInstant } from "@mailkeep/core"
import { formatInstantOrNull } from "@mailkeep/core/binding"
import { Console, Effect, Option, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { data, domainScope, expiresAt, json, keyName, permission, project } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { print, table } from "../output.ts"
import { warnOfUnknownProject } from "../unknownProject.ts"

const apiKeyForOutput = (apiKey: ApiKey) => ({
  id: apiKey.id,
  project: apiKey.projectId,
  name: apiKey.name,
  permissions: apiKey.permissions,
  domainScope: apiKey.domainScope,
  createdAt: formatInstant(apiKey.createdAt),
  expiresAt: formatInstantOrNull(apiKey.expiresAt),
  revokedAt: formatInstantOrNull(apiKey.revokedAt),
  lastUsedAt: formatInstantOrNull(apiKey.lastUsedAt)
})

/** Clients of other servers of this interface may expect that `email.full_access` alone is enough. */
const cannotSend =
  "This API key cannot send mail: email.full_access does not include email.send. Add --permission email.send for a key that sends."

const create = Command.make(
  "create",
  { data, project, permission, domainScope, expiresAt, name: keyName, json },
  ({ data, project, permission, domainScope, expiresAt, name, json }) =>
    Effect.gen(function* () {
      const created = yield* (yield* ApiKeys).create(project, {
        permissions: permission,
        domainScope: domainScope.length === 0 ? undefined : domainScope,
        name,
        expiresAt: Option.getOrUndefined(expiresAt)
      })
      const secret = Redacted.value(created.secret)
      const { id, ...rest } = apiKeyForOutput(created.apiKey)
      yield* print(json, { id, key: secret, ...rest }, `${id}\n${secret}\nKeep it now: it is not shown again.`)
      if (rest.permissions.includes("email.full_access") && !rest.permissions.includes("email.send"))
        yield* Console.error(cannotSend)
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Create an API key and print its secret once"))

const list = Command.make("list", { data, project, json }, ({ data, project, json }) =>
  Effect.gen(function* () {
    const keys = yield* (yield* ApiKeys).list(project)
    if (keys.length === 0) yield* warnOfUnknownProject(project)
    const rows = keys.map((apiKey) => {
      const { id, name, permissions, domainScope, revokedAt, lastUsedAt } = apiKeyForOutput(apiKey)
      return [id, name, permissions.join(" "), domainScope?.join(" ") ?? "any", lastUsedAt ?? "never", revokedAt ?? ""]
    })
    const heading = ["ID", "NAME", "PERMISSIONS", "DOMAINS", "LAST USED", "REVOKED"]
    yield* print(json, { keys: keys.map(apiKeyForOutput) }, table([heading, ...rows]))
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("List a project's API keys without their secrets"))

const revoke = Command.make(
  "revoke",
  {
    id: Argument.String("key-id").pipe(Argument.withDescription("The id of the API key, such as key_01h…")),
    data,
    json
  },
  ({ id, data, json }) =>
    Effect.gen(function* () {
      const apiKey = yield* (yield* ApiKeys).revoke(id)
      yield* print(json, apiKeyForOutput(apiKey), `${apiKey.id} revoked`)
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Revoke an API key at once; its scheduled messages are not sent"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke])
)
