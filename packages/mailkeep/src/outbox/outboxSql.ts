/**
 * The statements of the outbox table for each database. Source: decision 0056.
 */

/** The statements of the outbox table in one dialect of SQL. */
export interface OutboxStatements {
  /** Creates the table. Run it in a migration of the product. */
  readonly createTable: string
  /** Inserts a row. Parameters: `id`, `payload`. */
  readonly insert: string
  /** For `OutboxSource.take`. Parameters: `after`, `limit`. */
  readonly take: string
  /** For `OutboxSource.remove`. Parameter: the ids, in the form that the comment of the dialect names. */
  readonly remove: string
  /** For `OutboxSource.refuse`. Parameters: `reason`, `id`. */
  readonly refuse: string
}

/**
 * The statements for PostgreSQL, MySQL and SQLite. The parameter of `remove` is an array in PostgreSQL. It is an array of arrays for `query` of mysql2,
 * which expands it to a list. In SQLite it is the JSON text of the array.
 *
 * @example
 * ```ts
 * import { outboxSql } from "mailkeep"
 *
 * console.log(outboxSql.postgres.insert) // INSERT INTO mailkeep_outbox (id, payload) VALUES ($1, $2)
 * ```
 */
export const outboxSql: {
  readonly postgres: OutboxStatements
  readonly mysql: OutboxStatements
  readonly sqlite: OutboxStatements
} = {
  postgres: {
    createTable: `CREATE TABLE mailkeep_outbox (
  id text COLLATE "C" PRIMARY KEY,
  payload text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  refused_at timestamptz,
  reason text
)`,
    insert: "INSERT INTO mailkeep_outbox (id, payload) VALUES ($1, $2)",
    take: "SELECT id, payload FROM mailkeep_outbox WHERE refused_at IS NULL AND id > $1 ORDER BY id LIMIT $2",
    remove: "DELETE FROM mailkeep_outbox WHERE id = ANY($1::text[])",
    refuse: "UPDATE mailkeep_outbox SET refused_at = now(), reason = $1 WHERE id = $2"
  },
  mysql: {
    createTable: `CREATE TABLE mailkeep_outbox (
  id char(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  payload longtext CHARACTER SET utf8mb4 NOT NULL,
  created_at datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  refused_at datetime(3),
  reason text CHARACTER SET utf8mb4
) ENGINE = InnoDB`,
    insert: "INSERT INTO mailkeep_outbox (id, payload) VALUES (?, ?)",
    take: "SELECT id, payload FROM mailkeep_outbox WHERE refused_at IS NULL AND id > ? ORDER BY id LIMIT ?",
    remove: "DELETE FROM mailkeep_outbox WHERE id IN (?)",
    refuse: "UPDATE mailkeep_outbox SET refused_at = CURRENT_TIMESTAMP(3), reason = ? WHERE id = ?"
  },
  sqlite: {
    createTable: `CREATE TABLE mailkeep_outbox (
  id TEXT PRIMARY KEY,
  payload TEXT NOT NULL,
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  refused_at TEXT,
  reason TEXT
) STRICT`,
    insert: "INSERT INTO mailkeep_outbox (id, payload) VALUES (?, ?)",
    take: "SELECT id, payload FROM mailkeep_outbox WHERE refused_at IS NULL AND id > ? ORDER BY id LIMIT ?",
    remove: "DELETE FROM mailkeep_outbox WHERE id IN (SELECT value FROM json_each(?))",
    refuse: "UPDATE mailkeep_outbox SET refused_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), reason = ? WHERE id = ?"
  }
}
