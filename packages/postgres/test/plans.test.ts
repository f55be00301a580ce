/**
 * Every statement of a page, a claim and an accepted message finds its rows by an index, however many rows the tables have. `MAILKEEP_ROWS` sets
 * their number.
 */
import type { Change, Delivery, MailStoreShape, Message, Query, QueryOf } from "@mailkeep/core/adapter"
import { MailStore, noContactFilters, noLogFilters } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { fillTables, idOf } from "./largeTables.ts"
import type { SentStatement } from "./recordedStatements.ts"
import { observeStatements } from "./recordedStatements.ts"
import { testServer } from "./testServer.ts"

const rows = Number(process.env["MAILKEEP_ROWS"] ?? 20_000)
/** An even number, so that the record belongs to the first project. */
const middle = 2 * Math.round(rows / 4)

const projectId = "prj_0" as QueryOf<"Contact">["projectId"]
const after = { createdAt: 1000 + middle, id: idOf("del", middle) }
const log = { _tag: "LogPage", projectId, filters: noLogFilters, after, limit: 50, scanLimit: 10_000 } as const
const contacts = { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after, skip: 0, limit: 50 } as const
const suppressed = {
  _tag: "SuppressionPage",
  projectId,
  search: null,
  addressPart: null,
  now: 1e12,
  limit: 50,
  scanLimit: 10_000
} as const

const pages: Readonly<Record<string, Query>> = {
  "the log": log,
  "the log of an address": { ...log, filters: { ...noLogFilters, address: "u10@b.example" } },
  "the log of a contact": { ...log, filters: { ...noLogFilters, contactId: idOf("con", middle) }, after: null },
  "the log with a search": { ...log, filters: { ...noLogFilters, search: "ORDER" } },
  "the contacts": contacts,
  "the contacts of a status": { ...contacts, emailStatus: "unsubscribed" },
  "the contacts of a list": { ...contacts, listId: "lst_1" },
  "the contacts with a search": {
    _tag: "ContactScan",
    projectId,
    filters: { ...noContactFilters, search: `User${middle}@` },
    after: null,
    skip: 0,
    limit: 50,
    scanLimit: 2000
  },
  "the suppressions": { ...suppressed, after: "u3" },
  "the events": { _tag: "Events", projectId, after: idOf("evt", middle), limit: 100 },
  "the events of a delivery": { _tag: "EventsOfDelivery", projectId, deliveryId: idOf("del", middle) },
  "the event deliveries": { _tag: "EventDeliveryPage", projectId, subscriber: "whk_2", after: null, limit: 50 },
  "the deliveries of a message": { _tag: "DeliveriesOfMessage", projectId, messageId: idOf("msg", middle) },
  "the records of a move": {
    _tag: "Records",
    kind: "Delivery",
    projectId: null,
    after: [projectId, idOf("del", middle)],
    limit: 200
  },
  "the records of a key": { _tag: "RecordsByKey", kind: "Delivery", keys: [[projectId, idOf("del", middle)]] },
  "the old messages": { _tag: "MessagesBefore", before: middle, after: null, limit: 20 },
  "the subscribers with work": { _tag: "PendingEventDeliveries", now: 1e12 },
  "the next due time": { _tag: "NextDue", worker: "w", now: 1e12 }
}

/** A page of 100 rows of two tables, each found by an index. */
const blocksMax = 600

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

/** The tables that a plan reads from their beginning to their end. */
const scannedIn = (plan: Plan): ReadonlyArray<string> => [
  ...(plan["Node Type"].endsWith("Seq Scan") ? [plan["Relation Name"] ?? ""] : []),
  ...(plan.Plans ?? []).flatMap(scannedIn)
]

/** A statement, and the statements that begin its transaction. */
interface StatementInTransaction extends SentStatement {
  readonly begin: string
}

/** A statement on rows of the store. The store also asks which of its tables have grown. */
const isOnRows = (text: string): boolean =>
  /^(?:VALUES|SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(text) && !text.includes("pg_catalog.pg_class")

/** The statements on rows, each with the last begin of a transaction before it. */
const withBegins = (sent: ReadonlyArray<SentStatement>): ReadonlyArray<StatementInTransaction> => {
  let begin = "BEGIN"
  return sent.flatMap((statement): ReadonlyArray<StatementInTransaction> => {
    if (statement.text.startsWith("BEGIN")) begin = statement.text
    else if (statement.text === "COMMIT") begin = "BEGIN"
    return isOnRows(statement.text) ? [{ ...statement, begin }] : []
  })
}

/** A value as `EXECUTE` takes it. */
const literalOf = (value: unknown): string =>
  Array.isArray(value)
    ? pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(",")}}`)
    : pg.escapeLiteral(String(value))

/** These tables have few rows, whatever the number of records is. */
const isSmall = (table: string): boolean => ["leases", "schema_version", "undistributed_events"].includes(table)

const planOf = ({ rows }: pg.QueryResult): Plan =>
  (rows as ReadonlyArray<{ readonly "QUERY PLAN": readonly [{ readonly Plan: Plan }] }>)[0]!["QUERY PLAN"][0].Plan

/** The plan of the statement in a transaction as that of the store, which is undone. */
const explainedBy = async (
  client: pg.Client,
  explain: string,
  { text, values = [], begin }: StatementInTransaction
): Promise<Plan> => {
  await client.query(`${begin}; PREPARE statement AS ${text}`)
  const execute = values.length === 0 ? "EXECUTE statement" : `EXECUTE statement (${values.map(literalOf).join(", ")})`
  const result = await client.query(`EXPLAIN (${explain}, FORMAT JSON) ${execute}`)
  await client.query("ROLLBACK; DEALLOCATE statement")
  return planOf(result)
}

const expectFewBlocks = (plan: Plan): void => {
  expect((plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0)).toBeLessThan(blocksMax)
}

/** The changes that accept a message and start its attempt, and those that end the attempt. */
const changesOfSend = (message: Message, delivery: Delivery) => {
  const sending = { ...delivery, id: "del_new" as const, status: "sending", dueAt: 1, worker: "w" } as const
  const attempt = { projectId, deliveryId: sending.id, number: 1, startedAt: 1 }
  const state = { outcome: null, smtpCode: null, enhancedCode: null, statusMessage: null, durationMillis: null }
  const accept: ReadonlyArray<Change> = [
    { _tag: "InsertMessage", message: { ...message, id: "msg_new" } },
    { _tag: "InsertDelivery", delivery: sending },
    { _tag: "InsertAttempt", attempt: { ...attempt, phase: "started", ...state } },
    { _tag: "AddToCounter", projectId, name: "daily:2026-01-01", by: 1, max: null }
  ]
  const { fencingToken } = sending
  const ended = { ...state, phase: "ended", outcome: "accepted" } as const
  const end: ReadonlyArray<Change> = [
    { _tag: "TransitionAttempt", ...attempt, from: "started", fencingToken, next: ended }
  ]
  return { accept, end }
}

const circumstances = [
  ["with statistics of all rows", "of all"],
  ["with statistics of before the project had rows", "of before"]
] as const

describe.skipIf(!hasPostgres()).each(circumstances)(
  "the plans of the server %s",
  { timeout: 600_000 },
  (_, statistics) => {
    const scope = Scope.makeUnsafe()
    const sent: Array<SentStatement> = []
    let store: MailStoreShape
    let client: pg.Client

    beforeAll(async () => {
      const server = await testServer()
      const connectionString = server.urlOf(await server.createDatabase())
      const opened = Layer.buildWithScope(PostgresMailStore.layer({ connectionString }), scope)
      store = Context.get(await Effect.runPromise(opened), MailStore)
      client = new pg.Client({ connectionString })
      await client.connect()
      await fillTables(client, rows, statistics)
      observeStatements((statement) => sent.push(statement))
    }, 600_000)

    afterAll(async () => {
      await client.end()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })

    /** The statements on rows that a call sends. */
    const statementsOf = async <E>(call: Effect.Effect<unknown, E>): Promise<ReadonlyArray<StatementInTransaction>> => {
      sent.length = 0
      await Effect.runPromise(call)
      return withBegins(sent.splice(0))
    }

    const explained = (explain: string, statement: StatementInTransaction) => explainedBy(client, explain, statement)

    const expectSeeks = async (statements: ReadonlyArray<StatementInTransaction>): Promise<void> => {
      expect(statements.length).toBeGreaterThan(0)
      for (const statement of statements) {
        const scanned = scannedIn(await explained("COSTS OFF", statement))
        expect(
          scanned.filter((table) => !isSmall(table)),
          statement.text
        ).toEqual([])
      }
    }

    it.each(Object.entries(pages))("reads a page of %s by an index, and few blocks", async (_, query) => {
      const statements = await statementsOf(store.read([query]))
      await expectSeeks(statements)
      expectFewBlocks(await explained("ANALYZE, BUFFERS", statements[0]!))
    })

    it("finds contacts by the index when the product has an extension with operators for the same types", async () => {
      const { rows: available } = await client.query("SELECT FROM pg_available_extensions WHERE name = 'intarray'")
      if (available.length === 0) return
      await client.query("CREATE EXTENSION intarray SCHEMA public")
      const statements = await statementsOf(store.read([pages["the contacts with a search"]!]))
      await expectSeeks(statements)
      expectFewBlocks(await explained("ANALYZE, BUFFERS", statements[0]!))
      await client.query("DROP EXTENSION intarray")
    })

    it("finds many records by their ids by an index, and few blocks", async () => {
      const queries = Array.from({ length: 30 }, (_, n): ReadonlyArray<Query> => {
        const at = middle + 2 * n
        return [
          { _tag: "Message", projectId, id: idOf("msg", at) },
          { _tag: "Delivery", projectId, id: idOf("del", at) },
          { _tag: "ContactsByAddress", projectId, addresses: [`user${at}@mail.example`] },
          { _tag: "Suppressions", projectId, addressKeys: [idOf("key", at)] }
        ]
      })
      const statements = await statementsOf(store.read(queries.flat()))
      expect(statements.length).toBe(1)
      await expectSeeks(statements)
      expectFewBlocks(await explained("ANALYZE, BUFFERS", statements[0]!))
    })

    it("claims deliveries and event deliveries by an index", async () => {
      const claim = { now: 1e12, limit: 10, worker: "w", leaseUntil: 2e12 }
      const rotation = { after: null, perProject: 5, underWay: [] }
      const claims = [
        ...(await statementsOf(store.claim({ ...claim, kind: "dueQueued", rotation }))),
        ...(await statementsOf(store.claimEventDeliveries({ ...claim, subscriber: "whk_0" })))
      ]
      await expectSeeks(claims)
      for (const statement of claims) expectFewBlocks(await explained("ANALYZE, BUFFERS", statement))
    })

    it("accepts a message, starts its attempt and ends it by an index", async () => {
      const [message, delivery] = await Effect.runPromise(
        store.read([
          { _tag: "Message", projectId, id: idOf("msg", middle) },
          { _tag: "Delivery", projectId, id: idOf("del", middle) }
        ])
      )
      const { accept, end } = changesOfSend(message!, delivery!)
      await expectSeeks(await statementsOf(store.commit(accept)))
      await expectSeeks(await statementsOf(store.commit(end)))
    })
  }
)
