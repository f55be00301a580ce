/**
 * Outbox sources over the clients that products use. Each is what a product writes.
 */
import type { Database } from "better-sqlite3"
import { sql } from "drizzle-orm"
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import type { Pool } from "pg"
import type { OutboxSource, StoredOutboxRow } from "../src/index.ts"
import { outboxSql } from "../src/index.ts"

/** better-sqlite3. */
export const sourceOfSqlite = (db: Database): OutboxSource => ({
  take: (after, limit) => db.prepare<[string, number], StoredOutboxRow>(outboxSql.sqlite.take).all(after, limit),
  remove: (ids) => db.prepare(outboxSql.sqlite.remove).run(JSON.stringify(ids)),
  refuse: (id, reason) => db.prepare(outboxSql.sqlite.refuse).run(reason, id)
})

/** pg. */
export const sourceOfPg = (pool: Pool): OutboxSource => ({
  take: async (after, limit) => (await pool.query<StoredOutboxRow>(outboxSql.postgres.take, [after, limit])).rows,
  remove: (ids) => pool.query(outboxSql.postgres.remove, [ids]),
  refuse: (id, reason) => pool.query(outboxSql.postgres.refuse, [reason, id])
})

/** Drizzle over pg. Its own template needs the parameters in the text, so the statements are written again. */
export const sourceOfDrizzle = (db: NodePgDatabase): OutboxSource => ({
  take: async (after, limit) =>
    (
      await db.execute<{ readonly id: string; readonly payload: string }>(
        sql`SELECT id, payload FROM mailkeep_outbox WHERE refused_at IS NULL AND id > ${after} ORDER BY id LIMIT ${limit}`
      )
    ).rows,
  remove: (ids) => db.execute(sql`DELETE FROM mailkeep_outbox WHERE id IN ${[...ids]}`),
  refuse: (id, reason) =>
    db.execute(sql`UPDATE mailkeep_outbox SET refused_at = now(), reason = ${reason} WHERE id = ${id}`)
})

/** The part of a generated Prisma client that raw statements need. */
export interface PrismaRaw {
  readonly $queryRawUnsafe: <T>(statement: string, ...values: ReadonlyArray<unknown>) => Promise<T>
  readonly $executeRawUnsafe: (statement: string, ...values: ReadonlyArray<unknown>) => Promise<number>
}

/** Prisma over PostgreSQL. */
export const sourceOfPrisma = (prisma: PrismaRaw): OutboxSource => ({
  take: (after, limit) => prisma.$queryRawUnsafe<Array<StoredOutboxRow>>(outboxSql.postgres.take, after, limit),
  remove: (ids) => prisma.$executeRawUnsafe(outboxSql.postgres.remove, ids),
  refuse: (id, reason) => prisma.$executeRawUnsafe(outboxSql.postgres.refuse, reason, id)
})
