/**
 * `mailkeep migrate`: moves all records of one store into another, and proves that both have the same records. The old store is closed meanwhile,
 * and stays closed. Source: decisions 0050 and 0078.
 */
import { existsSync } from "node:fs"
import { MailStore } from "@mailkeep/core"
import type { StoreDigest } from "@mailkeep/core/move"
import { moveStore } from "@mailkeep/core/move"
import * as NodeCrypto from "@mailkeep/core/node"
import { Context, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { json } from "../flags.ts"
import { exitOnFailure, exitWith, print, table } from "../output.ts"
import { makeReportProgress } from "../moveProgress.ts"
import { storeLayer } from "../storeLayer.ts"
import { asLocation, shownLocation } from "../storeLocation.ts"

const location = (name: string, description: string) =>
  Flag.String(name).pipe(
    asLocation,
    Flag.withDescription(
      `${description}, such as sqlite:mail.db or postgres://user:password@db.example/mail; sqlite:mailkeep-data means the store of that data folder`
    )
  )

const digestTable = ({ kinds }: StoreDigest): string =>
  table([
    ["KIND", "RECORDS", "SHA-256"],
    ...Object.entries(kinds)
      .filter(([, { count }]) => count > 0)
      .map(([kind, { count, sha256 }]) => [kind, String(count), sha256])
  ])

/** Whether no process has used the store. Each one writes settings, so such a store was made by a wrong location, when it was opened here. */
const isUnused = (store: MailStore["Service"]) =>
  Effect.map(
    store.read([{ _tag: "Records", kind: "Setting", projectId: null, after: null, limit: 1 }]),
    ([settings]) => settings.length === 0
  )

export const migrate = Command.make(
  "migrate",
  {
    from: location("from", "The store to read"),
    to: location("to", "The store to write. It must be empty"),
    resume: Flag.Boolean("resume").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Continue an interrupted move: the target may have records of this source")
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Move although a worker has a live lease, after a process was killed, or although the source was moved before. A changed source is still refused"
      )
    ),
    json
  },
  ({ from, to, resume, force, json }) =>
    Effect.gen(function* () {
      if (from.kind === "sqlite" && !existsSync(from.filename))
        return yield* exitWith(`there is no store at ${from.filename}`)
      const source = yield* Layer.build(storeLayer(from, "worker"))
      if (yield* isUnused(Context.get(source, MailStore)))
        return yield* exitWith(`there are no records in ${shownLocation(from)}`)
      const target = yield* Layer.build(storeLayer(to, "worker"))
      const move = moveStore(Context.get(source, MailStore), Context.get(target, MailStore), {
        resume,
        force,
        closeSource: shownLocation(to),
        onProgress: makeReportProgress()
      })
      // With the clock of the source: that of its server, or for a file that of this machine. The workers of the source set their leases by this clock, and
      // its processes compare the closure with it. The lease in the target has no end, so the clock of the target decides nothing.
      const { digest, records, written } = yield* Effect.provideContext(move, source)
      const sentences = `${records} records in both stores, ${written} written now. SHA-256 of both: ${digest.sha256}
The store ${shownLocation(from)} is closed now. Use ${shownLocation(to)}.`
      yield* print(json, { records, written, digest }, `${digestTable(digest)}\n${sentences}`)
    }).pipe(Effect.scoped, Effect.provide(NodeCrypto.layer), exitOnFailure)
).pipe(
  Command.withDescription(
    "Move all records of a store into an empty store, compare both, and close the old store. Stop every process that uses them first"
  )
)
