/**
 * The core over the store in a data folder.
 */
import { join } from "node:path"
import type { Plan } from "@mailkeep/core"
import type { WebhookTargetRules } from "@mailkeep/core/binding"
import { MailCore, PlanSource, StoreNotOpened } from "@mailkeep/core"
import { webhookTargetRules } from "@mailkeep/core/binding"
import * as NodeCrypto from "@mailkeep/core/node"
import * as NodeDnsResolver from "@mailkeep/core/node/dns"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { WebhookSink } from "@mailkeep/webhooks"
import { Effect, Layer, Redacted } from "effect"
import type { CommandFailure } from "./output.ts"
import { exitOnFailure } from "./output.ts"
import { keepPrivate } from "./privateFolder.ts"

const fileName = "mailkeep.db"

/** Creates the folder if it does not exist. Only its owner may read it. */
const store = (folder: string) =>
  Layer.unwrap(
    Effect.try({
      try: () => {
        keepPrivate(folder, fileName)
        return SqliteMailStore.layer({ filename: join(folder, fileName) })
      },
      catch: (cause) =>
        cause instanceof StoreNotOpened ? cause : new StoreNotOpened({ reason: "unreachable", where: folder, cause })
    })
  )

export interface MailHomeOptions {
  readonly data: string
  readonly plan?: Partial<Plan>
  /** Name servers for the domain checks; default the name servers of the system. */
  readonly dns?: ReadonlyArray<string>
  /** The mail host in the DNS records to publish. */
  readonly mailHost?: string
  /** The allowed targets of webhooks. */
  readonly webhookTargets?: WebhookTargetRules
  /** How long a shutdown waits for running hand-offs and webhook requests. */
  readonly graceMillis?: number
}

/** The stub sends nothing, so a second hand-off after a crash sends no second message and need not wait. */
const stub = StubTransport.layer({ keep: 0, capabilities: { idempotentHandOff: true } })

/**
 * Encrypts the stored secrets. Every command on one folder must have the same master secret. The core refuses a master secret that is too
 * short.
 */
const masterSecret = () => {
  const text = process.env["MAILKEEP_SECRET"] ?? ""
  return text === "" ? {} : { masterSecret: Redacted.make(text) }
}

/** Every service of the core, over SQLite and the stub transport. */
const layer = ({
  data,
  plan = {},
  dns = [],
  mailHost,
  webhookTargets = webhookTargetRules(),
  graceMillis
}: MailHomeOptions) =>
  MailCore.layerWith({
    ...masterSecret(),
    ...(graceMillis === undefined ? {} : { graceMillis }),
    webhooks: webhookTargets,
    ...(mailHost === undefined ? {} : { domains: { mailHost: { host: mailHost, returnPathLabel: "bounces" } } })
  }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        store(data),
        stub,
        PlanSource.layerFixed(plan),
        NodeCrypto.layer,
        NodeDnsResolver.layer(dns.length === 0 ? {} : { servers: dns }),
        WebhookSink.layer(webhookTargets)
      )
    )
  )

/** Runs the effect of a command over a data folder. Prints a failure as one line. */
export const at =
  (options: MailHomeOptions) =>
  <A, R>(effect: Effect.Effect<A, CommandFailure, R>) =>
    effect.pipe(Effect.provide(layer(options)), exitOnFailure)
