/**
 * The order in which a commit writes several rows of one kind. Two commits that write the same rows in one order wait for each other only once. In
 * different orders, each can have a row that the other waits for, and the server ends one of them.
 */
import type { Change } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { recordFailures } from "./recordedFailures.ts"
import { connectedClient, testServer } from "./testServer.ts"

/** API keys, idempotency records, and deliveries that are sent, with an attempt each. */
const rowsSql = [
  `INSERT INTO mailkeep.api_keys (project_id, id, public_id, secret_hash, name, permissions, created_at, revision)
SELECT project_id, id, id, '', '', '[]', 1, 1 FROM (VALUES ('prj_1', 'key_1'), ('prj_1', 'key_2'), ('prj_2', 'key_0')) AS keys (project_id, id)`,
  `INSERT INTO mailkeep.idempotency (project_id, key, fingerprint, result, expires_at, recorded_at)
SELECT project_id, key, '', '{}', 1, 1 FROM (VALUES ('prj_1', 'old_1'), ('prj_1', 'old_2'), ('prj_2', 'old_0')) AS keys (project_id, key)`,
  `WITH sent (project_id, id) AS (VALUES ('prj_1', 'del_1'), ('prj_1', 'del_2'), ('prj_2', 'del_0')), delivery AS (
  INSERT INTO mailkeep.deliveries (project_id, id, message_id, kind, recipient, address, source, bulk, created_at, status,
    due_at, fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
  SELECT project_id, id, 'msg_1', 'to', 'a@b.example', 'a@b.example', 'api', false, 1, 'sending', 1, 7, 1, 0, 0, 0, false, 0 FROM sent
)
INSERT INTO mailkeep.attempts (project_id, delivery_id, number, started_at, phase) SELECT project_id, id, 1, 1, 'started' FROM sent`
]

type ChangeOfKey = (projectId: string, key: string) => object

const state = { outcome: null, smtpCode: null, enhancedCode: null, statusMessage: null, durationMillis: null }

const changes: Readonly<Record<string, ChangeOfKey>> = {
  RecordIdempotency: (projectId, key) => ({
    record: { projectId, key, fingerprint: "f", result: {}, expiresAt: 2 },
    now: 1
  }),
  PutContact: (projectId, id) => ({
    contact: {
      projectId,
      id,
      // Each commit has an address of its own, because it would wait for the lock of the address first.
      ...contactFields(),
      firstName: "",
      lastName: "",
      emailStatus: "subscribed",
      source: "manual",
      properties: {},
      listIds: [],
      createdAt: 1,
      updatedAt: 1,
      revision: 1
    },
    replaces: null
  }),
  PutContent: (projectId, hash) => ({ projectId, hash, chunks: [new Uint8Array([1]), new Uint8Array([2])] }),
  InsertAttempt: (projectId, id) => ({
    attempt: { projectId, deliveryId: id.replace("key", "del"), number: 2, startedAt: 1, phase: "started", ...state }
  }),
  TransitionAttempt: (projectId, id) => ({
    projectId,
    deliveryId: id.replace("key", "del"),
    number: 1,
    fencingToken: 7,
    from: "started",
    next: { ...state, phase: "finalizing" }
  }),
  TransitionDelivery: (projectId, id) => ({
    projectId,
    id: id.replace("key", "del"),
    from: "sending",
    fencingToken: 7,
    next: {
      status: "queued",
      dueAt: 1,
      fencingToken: 7,
      attemptCount: 0,
      deferrals: 0,
      ambiguousAttempts: 0,
      workerDeaths: 0,
      reachedRelay: false,
      sequence: 0
    }
  }),
  TouchApiKey: (projectId, id) => ({ projectId, id, lastUsedAt: 2 }),
  ExtendIdempotency: (projectId, key) => ({ projectId, key: key.replace("key", "old"), expiresAt: 2 }),
  AddToCounter: (projectId, name) => ({ projectId, name, by: 1, max: null })
}

let addresses = 0
const contactFields = () => {
  const address = `${addresses++}@b.example`
  return { email: address, address }
}

const waitingSql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** A store, and two clients of its database. `codes` has the failures of the first one. */
const open = async () => {
  const server = await testServer()
  const database = await server.createDatabase()
  const connectionString = server.urlOf(database)
  // In a deadlock, the server ends the transaction of the client, because that looks for a deadlock first.
  const { pool, codes } = recordFailures({ connectionString, options: "-c deadlock_timeout=10ms" })
  const client = await pool.connect()
  onTestFinished(() => pool.end())
  onTestFinished(() => client.release())
  const observer = await connectedClient(connectionString)
  const opened = Effect.tap(PostgresMailStore.make({ connectionString }), () =>
    Effect.promise(() => server.run(database, ...rowsSql))
  )
  return { client, codes, observer, opened }
}

/**
 * A transaction writes the first row. Commits of the store write both rows, and wait. Then the transaction writes the second row as well. Returns the
 * failures of the transaction, and how the commits end.
 */
const writeInTurn = async (first: () => Change, second: () => Change, sent = [second, first]) => {
  const { client, codes, observer, opened } = await open()
  const program = Effect.gen(function* () {
    const store = yield* opened
    yield* Effect.promise(() => client.query("BEGIN"))
    const joined = yield* store.joinTransaction!(client)
    yield* joined.store.commit([first()])
    const commits = yield* Effect.forkChild(
      Effect.forEach(sent, (change) => Effect.exit(store.commit([change()])), { concurrency: "unbounded" }),
      { startImmediately: true }
    )
    yield* Effect.promise(async () => {
      while (commits.pollUnsafe() === undefined && (await observer.query(waitingSql)).rowCount === 0);
    })
    yield* joined.store.commit([second()])
    yield* joined.end(false)
    yield* Effect.promise(() => client.query("ROLLBACK"))
    const exits = yield* Fiber.join(commits)
    return { codes, exits: exits.map(({ _tag }) => _tag) }
  })
  return Effect.runPromise(Effect.scoped(program))
}

const applied = { codes: [], exits: ["Success", "Success"] }

describe.skipIf(!hasPostgres())("a write of several rows of one kind", () => {
  it.each(Object.entries(changes))("keeps the order of the keys of a project with %s", async (_tag, changeOf) => {
    const change = (key: string) => () => ({ _tag, ...changeOf("prj_1", key) }) as Change
    expect(await writeInTurn(change("key_1"), change("key_2"))).toEqual(applied)
  })

  it.each(Object.entries(changes))("keeps the order of the projects with %s", async (_tag, changeOf) => {
    const change = (projectId: string, key: string) => () => ({ _tag, ...changeOf(projectId, key) }) as Change
    expect(await writeInTurn(change("prj_1", "key_1"), change("prj_2", "key_0"))).toEqual(applied)
  })

  it("keeps the order when the first row is sent first", async () => {
    const add = (name: string) => () => ({ _tag: "AddToCounter", ...changes["AddToCounter"]!("prj_1", name) }) as Change
    const [first, second] = [add("key_1"), add("key_2")]
    expect(await writeInTurn(first, second, [first, second])).toEqual(applied)
  })

  it.each<[string, (key: string) => object]>([
    ["PutSetting", (name) => ({ name, value: "x" })],
    ["RenewLease", (worker) => ({ worker, renewedAt: 1, leaseUntil: 2 })]
  ])("keeps the order of the keys with %s", async (_tag, changeOf) => {
    const change = (key: string) => () => ({ _tag, ...changeOf(key) }) as Change
    expect(await writeInTurn(change("key_1"), change("key_2"))).toEqual(applied)
  })

  it.each([false, true])(
    "takes the locks of records in the order of their numbers, with reversed names %s",
    async (isReversed) => {
      const { observer, opened } = await open()
      await Effect.runPromise(Effect.scoped(opened))
      const change = (key: string) => () =>
        ({
          _tag: "PutSuppression",
          suppression: { projectId: "prj_1", addressKey: key, address: `${key}@b.example`, reasons: {}, revision: 1 },
          replaces: null
        }) as Change
      const numberSql = `hashtextextended('mailkeep "mailkeep" Suppression/prj_1/' || key, 0)`
      const { rows } = await observer.query<{ readonly first: string; readonly second: string }>(
        `WITH keys AS (SELECT key, ${numberSql} AS number FROM (SELECT 'key_' || n AS key FROM generate_series(1, 9) AS n) AS keys)
SELECT one.key AS first, other.key AS second FROM keys AS one JOIN keys AS other ON one.number < other.number
WHERE (one.key > other.key) = $1 LIMIT 1`,
        [isReversed]
      )
      expect(await writeInTurn(change(rows[0]!.first), change(rows[0]!.second))).toEqual(applied)
    }
  )
})
