/**
 * The whole core over a SQLite file and a transport that writes down what it takes, as a product embeds it.
 */
import { join } from "node:path"
import type { MailCoreOptions, SendBody } from "@mailkeep/core"
import { embedder, MailCore, parseSend, PlanSource, Sending } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Layer, Result } from "effect"
import type { RelayMood } from "./RecordingTransport.ts"
import { recordingTransport } from "./RecordingTransport.ts"

export const project = "prj_faults"
const sender = "shop@example.com"

/** The files of one run. */
export const filesIn = (folder: string) => ({
  store: join(folder, "mail.db"),
  /** What the relay took. */
  taken: join(folder, "taken.jsonl"),
  /** What callers tried and were told. */
  told: join(folder, "told.jsonl")
})

export const embeddedMail = (folder: string, mood: RelayMood, options: MailCoreOptions = {}) => {
  const { store, taken } = filesIn(folder)
  return MailCore.layerWith(options).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        SqliteMailStore.layer({ filename: store }),
        recordingTransport(taken, mood),
        PlanSource.layerFixed({}),
        NodeCrypto.layer
      )
    )
  )
}

export const sendBody = (change: Partial<SendBody>): SendBody => ({
  from: sender,
  to: "ada@example.org",
  subject: "An order",
  text: "Thanks",
  ...change
})

export const send = (key: string, body: SendBody) =>
  Effect.flatMap(Sending, (sending) => sending.send(embedder(project), Result.getOrThrow(parseSend(body)), key))
