/**
 * `mailkeep migrate` on a machine whose clock differs from the clock of the database: the clock of the source counts.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { MailStore, StoreNotOpened } from "@mailkeep/core"
import type { Change } from "@mailkeep/core/adapter"
import { PostgresMailStore } from "@mailkeep/postgres"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import type { Ran } from "./commandLine.ts"
import { emptyDatabase, run } from "./commandLine.ts"

const secondMillis = 1000
/** How long a worker has its lease. */
const leaseMillis = 45 * secondMillis

type OpenStore = Effect.Effect<MailStore["Service"], StoreNotOpened, Scope.Scope>

const write = (open: OpenStore, changes: ReadonlyArray<Change>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(open, ({ commit }) => commit(changes))))

/** Writes a setting, as each process does. A move refuses a source without one. */
const useStore = (open: OpenStore) => write(open, [{ _tag: "PutSetting", name: "color", value: "blue" }])

/** Writes the lease of a worker that renews it at this time. */
const renewLease = async (open: OpenStore, renewedAt: number) => {
  await useStore(open)
  await write(open, [{ _tag: "RenewLease", worker: "w", renewedAt, leaseUntil: renewedAt + leaseMillis }])
}

/** Runs the command, and returns with what it printed the end of the lease that it set in the source. */
const leaseDuring = (source: OpenStore, command: () => Promise<Ran>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { read } = yield* source
        const moveLease = Effect.map(read([{ _tag: "LeasesSetAfter", now: 0 }]), ([leases]) =>
          leases.find(({ worker }) => worker === "move:source")
        )
        const ran = yield* Effect.forkChild(Effect.promise(command))
        const lease = yield* moveLease.pipe(
          Effect.delay("20 millis"),
          Effect.repeat({ until: (one) => one !== undefined })
        )
        return { leaseUntil: lease!.leaseUntil, ran: yield* Fiber.join(ran) }
      })
    )
  )

describe.skipIf(!hasPostgres())("mailkeep migrate with clocks that differ", () => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-clocks-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  const openDatabase = async () => {
    const url = await emptyDatabase()
    return { url, open: PostgresMailStore.make({ connectionString: url }) }
  }
  const file = (name: string) => {
    const filename = join(folder, name)
    return { url: `sqlite:${filename}`, open: SqliteMailStore.make({ filename }) }
  }
  /** Runs the command on a machine whose clock is ahead of that of the server. */
  const migrate = (from: string, to: string, clockAheadMillis: number) =>
    run(["migrate", "--from", from, "--to", to], {}, clockAheadMillis)

  const inUse = { code: 1, stderr: expect.stringContaining("A worker or another move has a live lease") }

  it("refuses a database whose worker has a live lease when the clock of the machine is a minute ahead", async () => {
    const from = await openDatabase()
    await renewLease(from.open, Date.now())
    expect(await migrate(from.url, file("ahead.db").url, 60 * secondMillis)).toMatchObject(inUse)
  }, 60_000)

  it("closes a database by the clock of its server when the clock of the machine is behind", async () => {
    const [from, to] = [await openDatabase(), await openDatabase()]
    await useStore(from.open)
    const { leaseUntil, ran } = await leaseDuring(from.open, () => migrate(from.url, to.url, -90 * secondMillis))
    expect(leaseUntil).toBeGreaterThan(Date.now())
    expect(ran).toMatchObject({ code: 0, stderr: "" })
  }, 60_000)

  it("refuses a file whose worker has a live lease by the clock of the machine, also when the target is a database", async () => {
    const from = file("source.db")
    const behindMillis = -90 * secondMillis
    await renewLease(from.open, Date.now() + behindMillis)
    const { url } = await openDatabase()
    expect(await migrate(from.url, url, behindMillis)).toMatchObject(inUse)
  }, 60_000)
})
