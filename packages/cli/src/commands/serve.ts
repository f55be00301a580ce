/**
 * `mailkeep serve`: the interface over HTTP, the dispatcher, the relay of events and the checks of domains, in one process, until it is told to stop.
 * `mailkeep start` is the same for a first look, with a project to try it on.
 */
import type { Plan, WebhookTargetRules } from "@mailkeep/core"
import { ApiKeys, Dispatcher, Domains, EventRelay } from "@mailkeep/core"
import * as NodeMailServer from "@mailkeep/http/node"
import { Clock, Effect, Layer, Redacted, Scope } from "effect"
import { Command } from "effect/cli"
import { data, dns, grace, host, json, mailHost, plan, port, transport, webhookTargets } from "../flags.ts"
import * as MailHome from "../mailHome.ts"
import { releaseMemory } from "../memoryRelease.ts"
import { exitWith, print } from "../output.ts"

interface Serving {
  readonly data: string
  readonly host: string
  readonly port: number
  readonly plan: Plan
  readonly dns: ReadonlyArray<string>
  readonly mailHost: string
  readonly webhookTargets: WebhookTargetRules
  readonly grace: number
}

/**
 * Listens and dispatches for as long as the scope lasts; `announce` runs once it listens. When the scope closes, the server and the
 * loops stop at the same time, so one grace bounds them all.
 */
const serving = <R>(
  { host, port, grace: graceMillis, ...home }: Serving,
  announce: (url: string) => Effect.Effect<void, never, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const parts = yield* Scope.fork(yield* Effect.scope, "parallel")
      for (const loop of [(yield* Dispatcher).run, (yield* EventRelay).run, (yield* Domains).run])
        yield* Effect.forkIn(loop, parts)
      yield* Effect.forkIn(releaseMemory(), parts)
      const server = yield* Layer.buildWithScope(
        NodeMailServer.layerNode({ host, port, graceMillis }),
        yield* Scope.fork(parts)
      )
      const url = yield* Effect.provideContext(NodeMailServer.url, server)
      yield* announce(url)
      return yield* Effect.never
    })
  ).pipe(
    Effect.catchTag("ServeError", ({ cause }) =>
      exitWith(`cannot listen on ${host}:${port}: ${String((cause as Error).message)}`)
    ),
    MailHome.at({ ...home, graceMillis })
  )

const flags = { data, host, port, transport, json, plan, dns, mailHost, webhookTargets, grace }

export const serve = Command.make("serve", flags, ({ json, ...asked }) =>
  serving(asked, (url) => print(json, { url }, `Mailkeep listens on ${url}`))
).pipe(Command.withDescription("Serve the interface over HTTP, send what is due, push events and check domains"))

const demo = { project: "prj_demo", domain: "demo.example", keyName: "start" }

/** A verified domain, and a fresh key in place of the one of the run before. */
const prepareDemo = Effect.gen(function* () {
  const domains = yield* Domains
  const keys = yield* ApiKeys
  yield* domains.ensure(demo.project, { domain: demo.domain, verified: true })
  for (const key of yield* keys.list(demo.project))
    if (key.name === demo.keyName && key.revokedAt === null) yield* keys.revoke(key.id)
  const { printed } = yield* keys.issue(demo.project, {
    name: demo.keyName,
    permissions: ["email.send", "email.full_access"]
  })
  return Redacted.value(printed)
})

const firstLook = (url: string, key: string, now: number): string => `
Mailkeep listens on ${url}
Project ${demo.project}, verified domain ${demo.domain}, API key ${key}

Send a message:

curl -sS ${url}/api/v1/emails/send \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: first-look-${now}' \\
  -d '{"from":"hello@${demo.domain}","to":"ada@example.com","subject":"First mail","text":"It works."}'

See what became of it:

curl -sS ${url}/api/v1/emails/logs \\
  -H 'Authorization: Bearer ${key}'

The API is described at ${url}/docs. Ctrl-C stops the server; what it knows stays in its data folder.
Not yet: mail really leaving (the stub transport delivers to nobody).
`

export const start = Command.make("start", flags, ({ json, ...asked }) =>
  serving(asked, (url) =>
    Effect.gen(function* () {
      const key = yield* Effect.orDie(prepareDemo)
      const now = yield* Clock.currentTimeMillis
      yield* print(json, { url, project: demo.project, domain: demo.domain, key }, firstLook(url, key, now))
    })
  )
).pipe(
  Command.withDescription("Serve for a first look: makes a project, a verified domain and a key, and says what to try")
)
