/**
 * The core of a command: over the store in a data folder or at a location, and with the transport that the flags choose.
 */
import { join } from "node:path"
import type { Plan, RetentionOptions, MailStore, StoreNotOpened } from "@mailkeep/core"
import type { WebhookUrlRules } from "@mailkeep/core/binding"
import { MailCore, PlanSource } from "@mailkeep/core"
import { dayMillis, webhookUrlRules } from "@mailkeep/core/binding"
import * as NodeCrypto from "@mailkeep/core/node"
import * as NodeDnsResolver from "@mailkeep/core/node/dns"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { WebhookSink } from "@mailkeep/webhooks"
import { Effect, Layer, Redacted } from "effect"
import type { CommandFailure } from "./output.ts"
import { exitOnFailure } from "./output.ts"
import type { TransportChoice } from "./mailFlags.ts"
import { keepPrivate } from "./privateFolder.ts"
import { transportLayer } from "./relay.ts"
import { storeLayer } from "./storeLayer.ts"
import type { StoreLocation } from "./storeLocation.ts"
import { storeFileName } from "./storeLocation.ts"

/** Where the records are. `store` replaces the store in the data folder. */
export interface StoreChoice {
  readonly folder: string
  readonly store: StoreLocation | undefined
}

/** Creates the folder if it does not exist. Only its owner may read it. */
const storeInFolder = (folder: string, commitThread: "worker" | "caller") =>
  Layer.unwrap(
    Effect.try({
      try: () => {
        keepPrivate(folder, storeFileName)
        return SqliteMailStore.layer({ filename: join(folder, storeFileName), commitThread })
      },
      catch: (cause) => cause as StoreNotOpened
    })
  )

const storeAt = (
  { folder, store }: StoreChoice,
  commitThread: "worker" | "caller"
): Layer.Layer<MailStore, StoreNotOpened> =>
  store === undefined ? storeInFolder(folder, commitThread) : storeLayer(store, commitThread)

/** After how many days records are deleted. `undefined` means the default of the core. */
export interface RetentionDays {
  readonly keepMessagesDays: number | undefined
  readonly keepBodiesDays: number | undefined
  readonly keepAttachmentsDays: number | undefined
  readonly keepEventsDays: number | undefined
}

const toMillis = (days: number | undefined): number | undefined => (days === undefined ? undefined : days * dayMillis)

const retentionOf = (days: RetentionDays): RetentionOptions => ({
  messagesMillis: toMillis(days.keepMessagesDays),
  bodiesMillis: toMillis(days.keepBodiesDays),
  attachmentsMillis: toMillis(days.keepAttachmentsDays),
  eventsMillis: toMillis(days.keepEventsDays)
})

export interface CommandCoreOptions {
  readonly data: StoreChoice
  readonly plan?: Partial<Plan>
  /** Name servers for the domain checks; default the name servers of the system. */
  readonly dns?: ReadonlyArray<string>
  /** The mail host in the DNS records to publish. */
  readonly mailHost?: string
  /** The rules for URLs of webhooks. */
  readonly webhookRules?: WebhookUrlRules
  /** How long a shutdown waits for running hand-offs and webhook requests. */
  readonly graceMillis?: number
  /** After how many days records are deleted. */
  readonly retention?: RetentionDays
  /** The relay that sends the mail. Default: the stub. */
  readonly transport?: TransportChoice
  /** Whether the stub keeps the newest mail for the mailbox. Default: no. */
  readonly keepsMail?: boolean
  /** The operator's domain for return paths. */
  readonly bounceDomain?: string | undefined
  /** The public address of the page that unsubscribes. */
  readonly unsubscribeUrl?: string | undefined
  /** The thread that commits. Default: `caller`, because most commands write little and end soon. */
  readonly commitThread?: "worker" | "caller"
}

/**
 * The master secret, from which the keys for encryption and signatures are derived. Every command on one store must have the same master secret. The
 * core refuses a master secret that is too short.
 */
const masterSecret = () => {
  const text = process.env["MAILKEEP_SECRET"] ?? ""
  return text === "" ? {} : { masterSecret: Redacted.make(text) }
}

/** Every service of the core, over the chosen store and transport. */
const layer = ({
  data,
  plan = {},
  dns = [],
  mailHost,
  webhookRules = webhookUrlRules(),
  graceMillis,
  retention,
  transport = "stub",
  keepsMail = false,
  bounceDomain,
  unsubscribeUrl,
  commitThread = "caller"
}: CommandCoreOptions) =>
  MailCore.layerWith({
    ...masterSecret(),
    ...(graceMillis === undefined ? {} : { graceMillis }),
    ...(retention === undefined ? {} : { retention: retentionOf(retention) }),
    webhooks: webhookRules,
    handOff: { bounceDomain },
    unsubscribe: { url: unsubscribeUrl },
    ...(mailHost === undefined ? {} : { domains: { mailHost: { host: mailHost, returnPathLabel: "bounces" } } })
  }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        storeAt(data, commitThread),
        transportLayer(transport, keepsMail),
        PlanSource.layerFixed(plan),
        NodeCrypto.layer,
        NodeDnsResolver.layer(dns.length === 0 ? {} : { servers: dns }),
        WebhookSink.layer(webhookRules)
      )
    )
  )

/** Runs the effect of a command with the core. Prints a failure as one line. */
export const withCore =
  (options: CommandCoreOptions) =>
  <A, R>(effect: Effect.Effect<A, CommandFailure, R>) =>
    effect.pipe(Effect.provide(layer(options)), exitOnFailure)
