/**
 * Says which rights the role needs and does not have, so that a missing `GRANT` is found when the store opens and not by the first send. The same for
 * row security, with which the store would look empty.
 */
import type { Connection } from "./database.ts"

/** The tables that the program reads and writes. */
const writtenTables = [
  "api_keys",
  "attempts",
  "contacts",
  "contacts_on_lists",
  "contents",
  "counters",
  "deliveries",
  "domains",
  "event_deliveries",
  "events",
  "idempotency",
  "leases",
  "message_contents",
  "messages",
  "projects",
  "rate_buckets",
  "resources",
  "settings",
  "suppressions",
  "undistributed_events"
] as const

/** What the role of a running program needs, in the order of the guide. */
export const neededRights: Readonly<Record<string, ReadonlyArray<string>>> = {
  schema_version: ["SELECT"],
  ...Object.fromEntries(writtenTables.map((table) => [table, ["SELECT", "INSERT", "UPDATE", "DELETE"]])),
  commits: ["USAGE", "SELECT"]
}

const sql = `SELECT current_user AS role, missing.name, string_agg(missing.needed, ', ' ORDER BY missing.at) AS rights FROM (
  SELECT n.name, n.needed, n.at FROM json_to_recordset($2::json) AS n(name text, needed text, at integer)
  JOIN pg_class AS c ON c.relnamespace = to_regnamespace($1) AND c.relname = n.name
  WHERE NOT CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, n.needed) ELSE has_table_privilege(c.oid, n.needed) END
) AS missing GROUP BY missing.name ORDER BY min(missing.at)`

const needed = JSON.stringify(
  Object.entries(neededRights)
    .flatMap(([name, rights]) => rights.map((right) => ({ name, needed: right })))
    .map((row, at) => ({ ...row, at }))
)

interface Missing {
  readonly role: string
  readonly name: string
  readonly rights: string
}

/** So many tables are named. */
const namedMax = 4

/** Returns a sentence without a full stop, or `undefined` if the role has all rights. */
export const missingRights = async (connection: Connection, schema: string): Promise<string | undefined> => {
  const missing = await connection.query<Missing>(sql, [schema, needed])
  const [first] = missing
  if (first === undefined) return undefined
  const named = missing.slice(0, namedMax).map(({ name, rights }) => `${rights} on ${name}`)
  const more = missing.length - named.length
  return `The role ${first.role} may not ${named.join("; ")}${more === 0 ? "" : `; and ${more} more`}. Grant the rights of the guide`
}

/** Row security applies to the role, and no policy lets the role see a row. */
const hiddenSql = `SELECT current_user AS role, c.relname AS name FROM pg_class AS c
WHERE c.relnamespace = to_regnamespace($1) AND c.relname = ANY ($2) AND c.relkind <> 'S' AND row_security_active(c.oid) AND NOT EXISTS (
  SELECT FROM pg_policy AS p, unnest(p.polroles) AS r (id)
  WHERE p.polrelid = c.oid AND p.polpermissive AND (r.id = 0 OR pg_has_role(r.id, 'USAGE'))
) ORDER BY array_position($2, c.relname::text)`

const tables = Object.keys(neededRights)

/** Returns a sentence without a full stop, or `undefined` if row security hides no whole table from the role. */
export const hiddenTables = async (connection: Connection, schema: string): Promise<string | undefined> => {
  const hidden = await connection.query<Omit<Missing, "rights">>(hiddenSql, [schema, tables])
  const [first] = hidden
  if (first === undefined) return undefined
  const names = hidden.slice(0, namedMax).map(({ name }) => name)
  const more = hidden.length - names.length
  return `Row security hides all rows of ${names.join(", ")}${more === 0 ? "" : ` and ${more} more`} from the role ${first.role}. Turn it off for these tables, or give the role BYPASSRLS`
}
