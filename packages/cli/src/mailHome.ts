/**
 * The core over the store in a data folder.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { MailFailure, Plan, StoreUnavailable } from "@mailkeep/core"
import { MailCore, PlanSource, StoreNotOpened } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import * as NodeDnsResolver from "@mailkeep/core/node/dns"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { WebhookSink } from "@mailkeep/webhooks"
import { Effect, Layer, Redacted } from "effect"
import { exitOnFailure } from "./output.ts"

const fileName = "mailkeep.db"

/** Makes the folder when it does not exist. */
const store = (folder: string) =>
  Layer.unwrap(
    Effect.try({
      try: () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        return SqliteMailStore.layer({ filename: join(folder, fileName) })
      },
      catch: (cause) => new StoreNotOpened({ reason: "unreachable", where: folder, cause })
    })
  )

export interface MailHomeOptions {
  readonly data: string
  readonly plan?: Partial<Plan>
  /** Name servers for the checks of domains; the system's when left out. */
  readonly dns?: ReadonlyArray<string>
  /** What the records to publish name as the mail host. */
  readonly mailHost?: string
  /** Lets webhooks go to this machine, for development. */
  readonly allowLoopback?: boolean
  /** How long a shutdown waits for hand-offs and webhooks under way. */
  readonly graceMillis?: number
}

/** It delivers to nobody, so a second hand-off after a crash doubles nothing and need not wait. */
const stub = StubTransport.layer({ keep: 0, capabilities: { idempotentHandoff: true } })

const secretCharactersMin = 32

/** Given, it encrypts what is secret at rest; every command on one folder must have the same. */
const masterSecret = () => {
  const text = process.env["MAILKEEP_SECRET"] ?? ""
  return text.length >= secretCharactersMin ? { masterSecret: Redacted.make(text) } : {}
}

/** Every service of the core, over SQLite and the stub transport. */
const layer = ({ data, plan = {}, dns = [], mailHost, allowLoopback = false, graceMillis }: MailHomeOptions) =>
  MailCore.layerWith({
    ...masterSecret(),
    ...(graceMillis === undefined ? {} : { dispatcher: { graceMillis }, relay: { graceMillis } }),
    webhooks: { allowLoopback },
    ...(mailHost === undefined ? {} : { domains: { mailHost: { host: mailHost, returnPathLabel: "bounces" } } })
  }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        store(data),
        stub,
        PlanSource.layerFixed(plan),
        NodeCrypto.layer,
        NodeDnsResolver.layer(dns.length === 0 ? {} : { servers: dns }),
        WebhookSink.layer({ allowLoopback })
      )
    )
  )

/** Runs a command's effect over a data folder; what fails is told in a line. */
export const at =
  (options: MailHomeOptions) =>
  <A, R>(effect: Effect.Effect<A, MailFailure | StoreNotOpened | StoreUnavailable, R>) =>
    effect.pipe(Effect.provide(layer(options)), exitOnFailure)
