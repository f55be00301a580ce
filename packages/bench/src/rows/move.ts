/**
 * Row: all records move from a file of SQLite to PostgreSQL, and back.
 */
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import type { MailStore, StoreNotOpened } from "@mailkeep/core"
import { moveStore } from "@mailkeep/core/move"
import * as NodeCrypto from "@mailkeep/core/node"
import { PostgresMailStore } from "@mailkeep/postgres"
import { SqliteMailStore } from "@mailkeep/sqlite"
import type { Scope } from "effect"
import { Effect } from "effect"
import { startPostgres } from "../peers/servers.ts"
import { megabytesOf } from "../processMemory.ts"
import type { Figures, RoundContext, Row, Side } from "../Row.ts"
import { bySize, secondsSince } from "../workload.ts"
import { fill } from "./scale.ts"

const countOf = ({ size }: Pick<RoundContext, "size">) => bySize(size, 20_000, 1_000_000)
const fileOf = (rowFolder: string) => join(rowFolder, "source.db")

type OpenStore = Effect.Effect<MailStore["Service"], StoreNotOpened, Scope.Scope>

/** Moves all records and compares both stores. Returns the seconds, and the digest of the records. */
const timedMove = (from: OpenStore, to: OpenStore, name: string) =>
  Effect.gen(function* () {
    const [source, target] = [yield* from, yield* to]
    const started = performance.now()
    const { digest } = yield* moveStore(source, target, { force: true, closeSource: name })
    return { seconds: secondsSince(started), sha256: digest.sha256 }
  }).pipe(Effect.scoped, Effect.provide(NodeCrypto.layer))

const thereAndBack = async ({ rowFolder, folder, size }: RoundContext): Promise<Figures> => {
  const { url, stop } = await startPostgres(folder)
  const onServer = PostgresMailStore.make({ connectionString: url })
  const [there, back] = await Effect.runPromise(
    Effect.all([
      timedMove(SqliteMailStore.make({ filename: fileOf(rowFolder) }), onServer, "postgres"),
      timedMove(onServer, SqliteMailStore.make({ filename: join(folder, "back.db") }), "sqlite")
    ])
  )
  await stop()
  if (there.sha256 !== back.sha256) throw new Error("The digests of the two moves differ.")
  return {
    "to PostgreSQL": countOf({ size }) / there.seconds,
    "back to SQLite": countOf({ size }) / back.seconds,
    memory: megabytesOf(process.pid, "VmHWM")
  }
}

const ours: Side = { name: "mailkeep", needs: "postgres", run: thereAndBack }

export const move: Row = {
  name: "move",
  title: "Move of all records between SQLite and PostgreSQL",
  about:
    "`moveStore` of `@mailkeep/core/move`, as `mailkeep migrate` uses it, with 20,000 deliveries and their messages (small run) or a million (full run). It copies all records, reads both stores, and compares the SHA-256 of their records. Then it moves all of them into a new file of SQLite, and the digest is still the same. There is no peer.",
  metrics: [
    { name: "to PostgreSQL", unit: "deliveries/s", better: "higher" },
    { name: "back to SQLite", unit: "deliveries/s", better: "higher" },
    { name: "memory", unit: "MB at the peak", better: "lower" }
  ],
  ours,
  peers: [],
  goals: [],
  disks: ["as-is"],
  roundsMax: 1,
  prepare: ({ rowFolder, size }) => fill(fileOf(rowFolder), countOf({ size }))
}
