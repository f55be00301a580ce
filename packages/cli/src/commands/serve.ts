/**
 * `mailkeep serve` runs the HTTP interface, the dispatcher, the event sender and the domain checks in one process until it is interrupted.
 * `mailkeep start` does the same with a demo project.
 */
import type { Plan } from "@mailkeep/core"
import type { WebhookUrlRules } from "@mailkeep/core/binding"
import { hostAndPort } from "@mailkeep/core/binding"
import { ApiKeys, Domains, MailCore } from "@mailkeep/core"
import * as NodeMailServer from "@mailkeep/http/node"
import { Clock, Effect, Layer, Redacted, Scope } from "effect"
import { Command } from "effect/cli"
import { data, dns, grace, host, json, mailHost, plan, port, retention, webhookRules } from "../flags.ts"
import type { RetentionDays, StoreChoice } from "../commandCore.ts"
import { withCore } from "../commandCore.ts"
import type { ListenerOptions, OpenPorts } from "../listeners.ts"
import { openListeners } from "../listeners.ts"
import type { TransportChoice } from "../mailFlags.ts"
import { flagWithoutPort, inbound, operations, transport } from "../mailFlags.ts"
import { releaseMemory } from "../memoryRelease.ts"
import { exitWith, print, untilInterrupted } from "../output.ts"
import { mailboxUrl, portLines, servingLines, transportName } from "./servingLines.ts"

interface Serving {
  readonly data: StoreChoice
  readonly host: string
  readonly port: number
  readonly plan: Plan
  readonly dns: ReadonlyArray<string>
  readonly mailHost: string
  readonly webhookRules: WebhookUrlRules
  readonly grace: number
  readonly retention: RetentionDays
  readonly transport: TransportChoice
  /** Whether to serve the development mailbox. */
  readonly mailbox?: boolean
  readonly inbound: Omit<ListenerOptions, "host" | "graceMillis" | "operationsPort" | "operationsHost"> & {
    readonly bounceDomain: string | undefined
    readonly unsubscribeUrl: string | undefined
  }
  readonly operations: { readonly operationsPort: number | undefined; readonly operationsHost: string | undefined }
}

/**
 * Listens and dispatches until the scope closes; `announce` runs once the server listens. When the scope closes, the server and the loops
 * stop at the same time, so one grace period bounds them all.
 */
const serving = <R>(
  { host, port, grace: graceMillis, inbound, operations, mailbox = false, ...core }: Serving,
  announce: (url: string, ports: OpenPorts) => Effect.Effect<void, never, R>
) => {
  const problem = flagWithoutPort({ ...inbound, ...operations })
  if (problem !== undefined) return exitWith(problem)
  return Effect.scoped(
    Effect.gen(function* () {
      const loops = yield* Scope.fork(yield* Effect.scope, "parallel")
      const server = yield* Layer.buildWithScope(
        NodeMailServer.layerNode({ host, port, graceMillis, mailbox }),
        yield* Scope.fork(loops)
      )
      const ports = yield* openListeners({ ...inbound, ...operations, host, graceMillis }, yield* Scope.fork(loops))
      // Only now, so that a server that cannot open its ports sends nothing.
      yield* Effect.forkIn(MailCore.run, loops)
      yield* Effect.forkIn(releaseMemory(), loops)
      const url = yield* Effect.provideContext(NodeMailServer.url, server)
      yield* announce(url, ports)
      return yield* Effect.never
    })
  ).pipe(
    Effect.catchTag("ServeError", ({ cause }) =>
      exitWith(`cannot listen on ${hostAndPort(host, port)}: ${String((cause as Error).message)}`)
    ),
    withCore({
      ...core,
      keepsMail: mailbox,
      commitThread: "worker",
      graceMillis,
      bounceDomain: inbound.bounceDomain,
      unsubscribeUrl: inbound.unsubscribeUrl
    }),
    untilInterrupted
  )
}

const flags = {
  data,
  host,
  port,
  transport,
  json,
  plan,
  dns,
  mailHost,
  webhookRules,
  grace,
  retention,
  inbound,
  operations
}

export const serve = Command.make("serve", flags, ({ json, ...options }) =>
  serving(options, (url, ports) =>
    print(
      json,
      { url, transport: transportName(options.transport), ...ports },
      servingLines(url, ports, options.transport)
    )
  )
).pipe(Command.withDescription("Serve the interface over HTTP, send due messages, deliver events and check domains"))

const demo = { project: "prj_demo", domain: "demo.example", keyName: "start" }

/** Makes sure that a verified domain exists, and replaces the API key of the previous run. */
const prepareDemo = Effect.gen(function* () {
  const domains = yield* Domains
  const apiKeys = yield* ApiKeys
  yield* domains.ensure(demo.project, { domain: demo.domain, verified: true })
  for (const { id, name, revokedAt } of yield* apiKeys.list(demo.project))
    if (name === demo.keyName && revokedAt === null) yield* apiKeys.revoke(id)
  const { secret } = yield* apiKeys.create(demo.project, {
    name: demo.keyName,
    permissions: ["email.send", "email.full_access"]
  })
  return Redacted.value(secret)
})

/** Whether `mailkeep start` serves the mailbox: only without a relay, and not in production. */
const hasMailbox = (transport: TransportChoice): boolean =>
  transport === "stub" && process.env["NODE_ENV"] !== "production"

interface FirstLook {
  readonly url: string
  readonly key: string
  /** The address of the mailbox, if this machine can open it. */
  readonly mailbox: string | null
  readonly ports: OpenPorts
  readonly now: number
  readonly transport: TransportChoice
}

const firstLook = ({ url, key, mailbox, ports, now, transport }: FirstLook): string => `
Mailkeep listens on ${url}${[
  ...(mailbox === null ? [] : [`Read the mail in a browser: ${mailbox}`]),
  ...portLines(ports)
]
  .map((line) => `\n${line}`)
  .join("")}
Project ${demo.project}, verified domain ${demo.domain}, API key ${key}

Send a message:

curl -sS ${url}/api/v1/emails/send \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: first-look-${now}' \\
  -d '{"from":"hello@${demo.domain}","to":"ada@example.com","subject":"First mail","text":"It works."}'

See the delivery:

curl -sS ${url}/api/v1/emails/logs \\
  -H 'Authorization: Bearer ${key}'

The API is described at ${url}/docs. Ctrl-C stops the server; its data stays in the data folder.
${
  transport === "stub"
    ? `No mail is sent yet: the stub transport accepts every message and sends nothing.
To send mail, give your relay and a domain of yours: mailkeep transport check --transport smtp://user:password@relay.example:587`
    : "Mail is sent to the relay of --transport."
}
`

export const start = Command.make("start", flags, ({ json, ...options }) => {
  const { transport } = options
  const mailbox = hasMailbox(transport)
  return serving({ ...options, mailbox }, (url, ports) =>
    Effect.gen(function* () {
      const key = yield* Effect.orDie(prepareDemo)
      const now = yield* Clock.currentTimeMillis
      const mailboxAddress = mailbox ? mailboxUrl(url) : null
      yield* print(
        json,
        {
          url,
          transport: transportName(transport),
          project: demo.project,
          domain: demo.domain,
          key,
          mailbox: mailboxAddress,
          ...ports
        },
        firstLook({ url, key, mailbox: mailboxAddress, ports, now, transport })
      )
    })
  )
}).pipe(
  Command.withDescription(
    "Serve for a first try: creates a project, a verified domain and an API key, and prints example requests"
  )
)
