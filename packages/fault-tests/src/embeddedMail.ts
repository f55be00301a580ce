/**
 * The complete core, embedded as in a product, with a SQLite store and a transport that records the messages it receives.
 */
import { join } from "node:path"
import type { MailCoreOptions, SendInput, MailStore, Transport } from "@mailkeep/core"
import { MailCore, PlanSource, Sending } from "@mailkeep/core"
import type { StoreNotOpened } from "@mailkeep/core/adapter"
import * as NodeCrypto from "@mailkeep/core/node"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Layer } from "effect"
import type { RelayFaults } from "./RecordingTransport.ts"
import { recordingTransport } from "./RecordingTransport.ts"

export const project = "prj_faults"
const sender = "shop@example.com"

/** The paths of the files of one run. */
export const filesIn = (folder: string) => ({
  store: join(folder, "mail.db"),
  /** The copies that the relay received, one line each. */
  received: join(folder, "received.jsonl"),
  /** The reports of the workers: calls that they made, and answers that they got. */
  reports: join(folder, "reports.jsonl")
})

/** The threads on which a store can commit. The runs that kill workers, cut the power or inject faults into system calls use both. */
export const commitThreads = ["worker", "caller"] as const
export type CommitThread = (typeof commitThreads)[number]

const variable = "MAILKEEP_FAULTS_COMMIT_THREAD"

/** The environment of a process whose store commits on this thread. */
export const environmentWith = (commitThread: CommitThread): NodeJS.ProcessEnv => ({
  ...process.env,
  [variable]: commitThread
})

const commitThread: CommitThread = process.env[variable] === "caller" ? "caller" : "worker"

export const embeddedMail = (folder: string, faults: RelayFaults, options: MailCoreOptions = {}) =>
  embeddedMailOver(folder, recordingTransport(filesIn(folder).received, faults), options)

/** The store of a run. */
export type StoreLayer = Layer.Layer<MailStore, StoreNotOpened>

/** The SQLite store in the folder of a run. */
export const fileStore = (folder: string): StoreLayer =>
  SqliteMailStore.layer({ filename: filesIn(folder).store, commitThread })

/** The same over another transport, or over another store. */
export const embeddedMailOver = (
  folder: string,
  transport: Layer.Layer<Transport>,
  options: MailCoreOptions = {},
  store: StoreLayer = fileStore(folder)
) =>
  MailCore.layerWith(options).pipe(
    Layer.provideMerge(Layer.mergeAll(store, transport, PlanSource.layerFixed({}), NodeCrypto.layer))
  )

export const sendBody = (change: Partial<SendInput>): SendInput => ({
  from: sender,
  to: "ada@example.org",
  subject: "An order",
  text: "Thanks",
  ...change
})

export const send = (idempotencyKey: string, body: SendInput) =>
  Effect.flatMap(Sending, (sending) => sending.send(project, body, { idempotencyKey }))
