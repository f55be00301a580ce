/**
 * The core over the store in a data folder.
 */
import { join } from "node:path"
import type { Plan, WebhookTargetRules } from "@mailkeep/core"
import { MailCore, PlanSource, StoreNotOpened, webhookTargetRules } from "@mailkeep/core"
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

/** Makes the folder when it does not exist, for its owner alone. */
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
  /** Name servers for the checks of domains; the system's when left out. */
  readonly dns?: ReadonlyArray<string>
  /** What the records to publish name as the mail host. */
  readonly mailHost?: string
  /** Where webhooks may go. */
  readonly webhookTargets?: WebhookTargetRules
  /** How long a shutdown waits for hand-offs and webhooks under way. */
  readonly graceMillis?: number
}

/** It delivers to nobody, so a second hand-off after a crash doubles nothing and need not wait. */
const stub = StubTransport.layer({ keep: 0, capabilities: { idempotentHandoff: true } })

/** Given, it encrypts what is secret at rest; every command on one folder must have the same. The core refuses one that is too short. */
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

/** Runs a command's effect over a data folder; what fails is told in a line. */
export const at =
  (options: MailHomeOptions) =>
  <A, R>(effect: Effect.Effect<A, CommandFailure, R>) =>
    effect.pipe(Effect.provide(layer(options)), exitOnFailure)
