/**
 * Commits that meet another client of the database, which locks their rows or changes them. The server ends the transaction of the store, and the store
 * repeats it. Each commit fails twice, because the store also repeats a failure that it does not know once. The clock of the test separates the repetitions.
 */
import type { Change, Conflict, StoreUnavailable } from "@mailkeep/core/adapter"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { recordFailures } from "./recordedFailures.ts"
import { connectedClient, testServer } from "./testServer.ts"

type Store = PostgresMailStore.PostgresMailStoreShape

const projectId = "prj_1" as never

/** A commit locks its counters in the order of their names. */
const counterNames = ["allowance", "daily:2026-01-01", "scheduledRecipients"] as const
const [first, second, third] = counterNames

const add = (...names: ReadonlyArray<string>): ReadonlyArray<Change> =>
  names.map((name) => ({ _tag: "AddToCounter", projectId, name: name as never, by: 1, max: null }))

const addSql = (name: string, by: number) =>
  `UPDATE mailkeep.counters SET value = value + ${by} WHERE project_id = 'prj_1' AND name = '${name}'`

/** The database while a commit is under way. */
interface Observed {
  /** How many statements wait for a lock. */
  readonly waiting: number
  /** How many transactions of the store have failed. */
  readonly failed: number
}

interface Settings {
  readonly shortLockTimeout?: boolean
  readonly partitions?: number
}

/** A store whose three counters are 1, and a way to connect other clients. */
const open = async ({ shortLockTimeout = false, ...options }: Settings = {}) => {
  const server = await testServer()
  const connectionString = server.urlOf(await server.createDatabase())
  // A backend of the store looks for a deadlock soon after it begins to wait.
  const { pool, codes } = recordFailures({
    connectionString,
    shortLockTimeout,
    options: "-c deadlock_timeout=10ms",
    max: 5
  })
  onTestFinished(() => pool.end())
  const connect = () => connectedClient(connectionString)
  const observer = await connect()
  const observe = async (): Promise<Observed> => {
    const sql = `SELECT count(*)::integer AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const { rows } = await observer.query<{ readonly waiting: number }>(sql)
    return { waiting: rows[0]!.waiting, failed: codes.length }
  }
  const opened = Effect.tap(PostgresMailStore.make({ pool, ...options }), (store) => store.commit(add(...counterNames)))
  return {
    codes,
    connect,
    observe,
    opened,
    run: <A, E>(use: (store: Store) => Effect.Effect<A, E, Scope.Scope>) =>
      Effect.runPromise(Effect.scoped(Effect.flatMap(opened, use)).pipe(Effect.provide(TestClock.layer())))
  }
}

/** A commit under way. The store repeats the commit only while `until` or `end` let time pass. */
interface CommitUnderWay {
  /** Waits until the database has reached the state. Ends with the commit too, so that a wrong test does not hang. */
  readonly until: (isReached: (observed: Observed) => boolean, stepMillis?: number) => Effect.Effect<void>
  /** Waits for the end of the commit. `stepMillis` pass after each look at the database. */
  readonly end: (stepMillis?: number) => Effect.Effect<void, Conflict | StoreUnavailable>
}

const startCommit = (store: Store, changes: ReadonlyArray<Change>, observe: () => Promise<Observed>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(store.commit(changes), { startImmediately: true })
    const until: CommitUnderWay["until"] = (isReached, stepMillis = 1) =>
      Effect.gen(function* () {
        while (fiber.pollUnsafe() === undefined && !isReached(yield* Effect.promise(observe)))
          yield* TestClock.adjust(stepMillis)
      })
    const end: CommitUnderWay["end"] = (stepMillis) =>
      Effect.andThen(
        until(() => false, stepMillis),
        Fiber.join(fiber)
      )
    return { until, end }
  })

/** Begins a transaction of another client with some statements. */
const begin = async (client: pg.Client, ...statements: ReadonlyArray<string>) => {
  for (const sql of ["BEGIN", ...statements]) await client.query(sql)
}

const readCounters = (store: Store) =>
  Effect.map(store.read([{ _tag: "Counters", projectId, names: counterNames as never }]), ([values]) => values)

const deadlock = async () => {
  const { codes, connect, observe, run } = await open()
  const [gate, other] = [await connect(), await connect()]
  const beginBoth = Effect.promise(async () => {
    await begin(gate, addSql(second, 10))
    // The other client never looks for a deadlock.
    await begin(other, "SET LOCAL deadlock_timeout = '1h'", addSql(third, 100))
  })
  const meet = ({ until }: CommitUnderWay) =>
    Effect.gen(function* () {
      // The store has the first counter and waits for the gate.
      yield* until(({ waiting }) => waiting === 1)
      const blocked = other.query(addSql(first, 100))
      yield* until(({ waiting }) => waiting === 2)
      // The store continues to the third counter, which the other client has.
      yield* Effect.promise(async () => {
        await gate.query("COMMIT")
        await blocked
        await other.query("COMMIT")
      })
    })
  const values = await run((store) =>
    Effect.gen(function* () {
      yield* beginBoth
      const commit = yield* startCommit(store, add(...counterNames), observe)
      yield* meet(commit)
      yield* commit.until(({ failed }) => failed === 1, 0)
      yield* beginBoth
      yield* meet(commit)
      yield* commit.until(({ failed }) => failed === 2, 0)
      yield* commit.end()
      return yield* readCounters(store)
    })
  )
  return { codes, values }
}

const serializationFailure = async () => {
  const { codes, connect, observe, run } = await open({ partitions: 2 })
  const other = await connect()
  const put = (revision: number, replaces: number | null): Change => ({
    _tag: "PutSuppression",
    suppression: { projectId, addressKey: "k", address: "ada@example.org", reasons: { manual: 1 }, revision } as never,
    replaces
  })
  const isInFirst = (id: string) => `satisfies_hash_partition('mailkeep.suppressions'::regclass, 2, 0, ${id}::text)`
  const move = (from: string, to: string) =>
    other.query("UPDATE mailkeep.suppressions SET project_id = $2 WHERE project_id = $1", [from, to])
  /** Begins to move the record to another partition and back. */
  const beginMove = Effect.promise(async () => {
    const { rows } = await other.query<{ readonly id: string }>(
      `SELECT id FROM (SELECT 'prj_' || n AS id FROM generate_series(2, 99) AS n) AS ids
WHERE ${isInFirst("id")} <> ${isInFirst("'prj_1'")} LIMIT 1`
    )
    await begin(other)
    await move("prj_1", rows[0]!.id)
    await move(rows[0]!.id, "prj_1")
  })
  const values = await run((store) =>
    Effect.gen(function* () {
      yield* store.commit([put(1, null)])
      yield* beginMove
      const { until, end } = yield* startCommit(store, [put(2, 1), ...add(first)], observe)
      for (const failures of [1, 2]) {
        yield* until(({ waiting }) => waiting === 1)
        yield* Effect.promise(() => other.query("COMMIT"))
        yield* until(({ failed }) => failed === failures, 0)
        if (failures === 1) yield* beginMove
      }
      yield* end()
      return yield* readCounters(store)
    })
  )
  return { codes, values }
}

describe.skipIf(!hasPostgres())("commit", () => {
  it("applies a commit exactly once after the server ended its transaction in two deadlocks", async () => {
    expect(await deadlock()).toEqual({ codes: ["40P01", "40P01"], values: [202, 22, 202] })
  })

  it("applies a commit exactly once after a lock was not free in time twice", async () => {
    const { codes, connect, observe, run } = await open({ shortLockTimeout: true })
    const other = await connect()
    const values = await run((store) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => begin(other, addSql(second, 10)))
        const { until, end } = yield* startCommit(store, add(...counterNames), observe)
        yield* until(({ failed }) => failed === 2)
        yield* Effect.promise(() => other.query("COMMIT"))
        yield* end()
        return yield* readCounters(store)
      })
    )
    expect({ codes, values }).toEqual({ codes: ["55P03", "55P03"], values: [2, 12, 2] })
  })

  it("fails as contended and changes nothing when a lock stays for longer than the 5 s of repetitions", async () => {
    const { codes, connect, observe, run } = await open({ shortLockTimeout: true })
    const other = await connect()
    const { failure, values } = await run((store) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => begin(other, addSql(second, 10)))
        const { end } = yield* startCommit(store, add(...counterNames), observe)
        const failure = yield* Effect.flip(end(20))
        yield* Effect.promise(() => other.query("COMMIT"))
        return { failure, values: yield* readCounters(store) }
      })
    )
    expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "contended" })
    expect(values).toEqual([1, 11, 1])
    expect(new Set(codes)).toEqual(new Set(["55P03"]))
  })

  it("commits those of other projects while a transaction of the product keeps a counter of one project locked", async () => {
    const { connect, opened } = await open()
    const other = await connect()
    const ofOther = [{ _tag: "AddToCounter", projectId: "prj_2", name: first, by: 1, max: null }] as never
    const program = Effect.gen(function* () {
      const store = yield* opened
      yield* Effect.promise(() => begin(other, addSql(first, 10)))
      const start = (changes: ReadonlyArray<Change>) =>
        Effect.forkChild(Effect.exit(store.commit(changes)), { startImmediately: true })
      const blocked: Array<Effect.Success<ReturnType<typeof start>>> = []
      const free: Array<Effect.Success<ReturnType<typeof start>>> = []
      // In each of the groups that can be under way at once, and in the next one.
      for (let n = 0; n < 4; n++) {
        blocked.push(yield* start(add(first)))
        free.push(yield* start(ofOther))
        yield* eventLoopTurns()
      }
      const ofFree = yield* Effect.forEach(free, Fiber.join)
      const waiting = blocked.filter((one) => one.pollUnsafe() === undefined).length
      yield* Effect.promise(() => other.query("COMMIT"))
      const ofBlocked = yield* Effect.forEach(blocked, Fiber.join)
      return { waiting, exits: [...ofFree, ...ofBlocked].map(({ _tag }) => _tag) }
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toEqual({
      waiting: 4,
      exits: Array.from({ length: 8 }, () => "Success")
    })
  })

  // With READ COMMITTED, the server fails so only for a row that another transaction has moved to another partition.
  it("applies a commit exactly once after two serialization failures", async () => {
    expect(await serializationFailure()).toEqual({ codes: ["40001", "40001"], values: [2, 1, 1] })
  })
})

/** A client whose second search of a claim is lost: the server has run it, and the answer does not arrive. */
const losingClient = () => {
  let searches = 0
  return class extends pg.Client {
    override query(...parameters: ReadonlyArray<unknown>): never {
      const [sent] = parameters as readonly [unknown]
      const isSearch =
        typeof sent === "object" &&
        sent !== null &&
        "text" in sent &&
        String(sent.text).startsWith("WITH RECURSIVE due")
      const answer = super.query(...(parameters as [string]))
      if (!isSearch || ++searches !== 2) return answer as never
      return answer.then(() => {
        throw Object.assign(new Error("lost"), { code: "ECONNRESET" })
      }) as never
    }
  }
}

/** Five deliveries of one project that are due. */
const dueSql = `INSERT INTO mailkeep.deliveries (project_id, id, message_id, kind, recipient, address, source, bulk, created_at, status,
  due_at, fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
SELECT 'prj_1', 'del_' || n, 'msg_1', 'to', 'a@b.example', 'a@b.example', 'api', false, n, 'queued', n, 0, 0, 0, 0, 0, false, 0
FROM generate_series(1, 5) AS n`

describe.skipIf(!hasPostgres())("claim", () => {
  it("fails when the answer of a search is lost that has marked rows, also after it has other rows", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const connectionString = server.urlOf(database)
    const pool = new pg.Pool({ connectionString, pipeline: true, Client: losingClient() })
    onTestFinished(() => pool.end())
    const other = await connectedClient(connectionString)
    const claim = { kind: "dueQueued", now: 1000, limit: 2, worker: "w", leaseUntil: 2000 } as const
    const failure = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* PostgresMailStore.make({ pool })
          yield* Effect.promise(() => server.run(database, dueSql))
          // The first search finds three deliveries, and the first two are locked.
          yield* Effect.promise(() =>
            begin(other, "SELECT id FROM mailkeep.deliveries WHERE id IN ('del_1', 'del_2') FOR UPDATE")
          )
          return yield* Effect.flip(store.claim({ ...claim, rotation: { after: null, perProject: 9, underWay: [] } }))
        })
      )
    )
    expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "unreachable" })
    const { rows } = await other.query("SELECT id FROM mailkeep.deliveries WHERE worker = 'w' ORDER BY id")
    expect(rows).toEqual([{ id: "del_3" }, { id: "del_4" }])
  })
})
