/**
 * `mailkeep keys`: issue, list and revoke API keys. Works while a server runs on the same files, which honours it at once.
 */
import type { ApiKey } from "@mailkeep/core"
import { ApiKeys, formatInstant, formatInstantOrNull } from "@mailkeep/core"
import { Effect, Option, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { data, domainScope, expiresAt, json, keyName, permission, project } from "../flags.ts"
import * as MailHome from "../mailHome.ts"
import { print, table } from "../output.ts"

const shown = (key: ApiKey) => ({
  id: key.id,
  project: key.projectId,
  name: key.name,
  permissions: key.permissions,
  domainScope: key.domainScope,
  createdAt: formatInstant(key.createdAt),
  expiresAt: formatInstantOrNull(key.expiresAt),
  revokedAt: formatInstantOrNull(key.revokedAt),
  lastUsedAt: formatInstantOrNull(key.lastUsedAt)
})

const create = Command.make(
  "create",
  { data, project, permission, domainScope, expiresAt, name: keyName, json },
  ({ data, project, permission, domainScope, expiresAt, name, json }) =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const { key, printed } = yield* keys.issue(project, {
        permissions: permission,
        domainScope,
        name,
        ...(Option.isSome(expiresAt) ? { expiresAt: expiresAt.value } : {})
      })
      const secret = Redacted.value(printed)
      const { id, ...rest } = shown(key)
      yield* print(json, { id, key: secret, ...rest }, `${key.id}\n${secret}\nKeep it now: it is not shown again.`)
    }).pipe(MailHome.at({ data }))
).pipe(Command.withDescription("Make a key and print it, once"))

const list = Command.make("list", { data, project, json }, ({ data, project, json }) =>
  Effect.gen(function* () {
    const keys = yield* (yield* ApiKeys).list(project)
    const rows = keys.map((key) => {
      const { id, name, permissions, domainScope, revokedAt, lastUsedAt } = shown(key)
      return [id, name, permissions.join(" "), domainScope?.join(" ") ?? "any", lastUsedAt ?? "never", revokedAt ?? ""]
    })
    const heading = ["ID", "NAME", "PERMISSIONS", "DOMAINS", "LAST USED", "REVOKED"]
    yield* print(json, { keys: keys.map(shown) }, table([heading, ...rows]))
  }).pipe(MailHome.at({ data }))
).pipe(Command.withDescription("List a project's keys; their secrets are not kept"))

const revoke = Command.make(
  "revoke",
  { id: Argument.String("key-id").pipe(Argument.withDescription("Such as key_01h…")), data, json },
  ({ id, data, json }) =>
    Effect.gen(function* () {
      const key = yield* (yield* ApiKeys).revoke(id)
      yield* print(json, shown(key), `${key.id} revoked`)
    }).pipe(MailHome.at({ data }))
).pipe(Command.withDescription("Make a key stop working, at once and for what it scheduled"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke])
)
