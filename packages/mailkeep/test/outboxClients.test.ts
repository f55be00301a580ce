/**
 * The outbox over other clients: pg, Drizzle and Prisma, with scripted answers of PostgreSQL.
 */
import { drizzle } from "drizzle-orm/node-postgres"
import type { QueryResultRow } from "pg"
import { Pool } from "pg"
import { describe, expect, it } from "vitest"
import type { OutboxSource, StoredOutboxRow } from "../src/index.ts"
import { lazyMail, memory, openMail, outboxSql, stub } from "../src/index.ts"
import type { PrismaRaw } from "./outboxSources.ts"
import { sourceOfDrizzle, sourceOfPg, sourceOfPrisma } from "./outboxSources.ts"

const message = { to: "ada@example.org", subject: "Your order", text: "Thank you." }
const options = {
  store: memory(),
  transport: stub(),
  domains: ["acme.example"],
  from: "shop@acme.example",
  background: false
}

/** Makes rows, which needs no open mail. */
const makers = lazyMail(options)

const openWith = (added: { readonly outbox: OutboxSource }) => openMail({ ...options, ...added })

/** Answers the statements of PostgreSQL from rows in memory, and records each call. */
const scriptedPostgres = (stored: Map<string, { readonly payload: string; reason?: string }>) => {
  const calls: Array<readonly [text: string, values: ReadonlyArray<unknown>]> = []
  const answer = (text: string, values: ReadonlyArray<unknown> = []): ReadonlyArray<QueryResultRow> => {
    calls.push([text, values])
    const open = [...stored].filter(([, row]) => row.reason === undefined).toSorted(([a], [b]) => (a < b ? -1 : 1))
    if (text.startsWith("SELECT"))
      return open
        .filter(([id]) => id > (values[0] as string))
        .slice(0, values[1] as number)
        .map(([id, { payload }]) => ({ id, payload }))
    if (text.startsWith("DELETE")) for (const id of values[0] as ReadonlyArray<string>) stored.delete(id)
    if (text.startsWith("UPDATE")) stored.get(values[1] as string)!.reason = values[0] as string
    return []
  }
  return { calls, answer }
}

describe("outbox sources of other clients", () => {
  const drained = async (sourceFor: (answer: ReturnType<typeof scriptedPostgres>["answer"]) => OutboxSource) => {
    const good = makers.outbox.row(message)
    const bad = makers.outbox.row({ ...message, from: "hi@other.example" })
    const stored = new Map(
      [good, bad].map(({ id, payload }) => [id, { payload } as { payload: string; reason?: string }])
    )
    const { calls, answer } = scriptedPostgres(stored)
    const other = await openWith({ outbox: sourceFor(answer) })
    const report = await other.outbox.drain()
    await other.close()
    expect(report).toEqual({ accepted: 1, refused: 1, left: 0 })
    expect([...stored].map(([id, { reason }]) => [id, reason?.includes("sender domain")])).toEqual([[bad.id, true]])
    return calls
  }

  it("drains with pg", async () => {
    const calls = await drained((answer) => {
      const pool = new Pool()
      pool.query = (async (text: string, values: ReadonlyArray<unknown>) => ({
        rows: answer(text, values)
      })) as never
      return sourceOfPg(pool)
    })
    expect(calls.map(([text]) => text)).toEqual([
      outboxSql.postgres.take,
      outboxSql.postgres.remove,
      outboxSql.postgres.refuse
    ])
  })

  it("drains with Drizzle", async () => {
    const calls = await drained((answer) => {
      const pool = new Pool()
      pool.query = (async (query: { readonly text: string }, values: ReadonlyArray<unknown>) => ({
        rows: answer(query.text, query.text.startsWith("DELETE") ? [values.flat()] : values)
      })) as never
      return sourceOfDrizzle(drizzle(pool))
    })
    const [, remove] = calls
    expect(remove?.[0]).toBe("DELETE FROM mailkeep_outbox WHERE id IN ($1)")
  })

  it("drains with Prisma", async () => {
    const calls = await drained((answer) => {
      const prisma: PrismaRaw = {
        $queryRawUnsafe: async (text, ...values) => answer(text, values) as never,
        $executeRawUnsafe: async (text, ...values) => answer(text, values).length
      }
      return sourceOfPrisma(prisma)
    })
    expect(calls).toHaveLength(3)
  })

  it("reads a payload that a JSON column returns as an object", async () => {
    const stored: Array<StoredOutboxRow> = [makers.outbox.row(message)].map(({ id, payload }) => ({
      id,
      payload: JSON.parse(payload)
    }))
    const other = await openWith({
      outbox: { take: () => stored, remove: () => stored.splice(0), refuse: () => {} }
    })
    expect(await other.outbox.drain()).toEqual({ accepted: 1, refused: 0, left: 0 })
    await other.close()
  })
})
