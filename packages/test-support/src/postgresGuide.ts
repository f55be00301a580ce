/**
 * The statements of the guide "Use PostgreSQL", so that the tests run what an operator copies.
 */
import { readFileSync } from "node:fs"
import { Client } from "pg"
import type { PostgresServer } from "./postgresServer.ts"

const guide = readFileSync(new URL("../../../docs/guides/postgres.md", import.meta.url), "utf8")

const statementsOf = (block: string): ReadonlyArray<string> =>
  block
    .replaceAll(/^--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

/** The statements of each block of SQL in a section of the guide. Throws if the section has none. */
export const guideStatements = (section: string): ReadonlyArray<ReadonlyArray<string>> => {
  const text = guide.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ""
  const blocks = [...text.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, block]) => statementsOf(block!))
  if (blocks.length === 0) throw new Error(`The section "${section}" of the guide has no SQL.`)
  return blocks
}

/** The two roles of the guide, and what creates their tables. */
interface GuideRoles {
  readonly server: PostgresServer
  readonly database: string
  /** Default: the schema of the guide. */
  readonly schema?: string
  /** Creates the tables. Is called with the address for the role that owns them. Without it, there are no tables. */
  readonly migrate?: (ownerUrl: string) => Promise<void>
}

/** The names of the roles for a database: roles belong to the server. */
export const guideRolesOf = (database: string) => ({ owner: `mail_owner_${database}`, app: `mail_app_${database}` })

/** Creates the roles of the guide for a database, the tables by the owner, and the rights of the other role. The roles may exist already. */
export const createGuideRoles = async (options: GuideRoles): Promise<void> => {
  const { server, database, schema = "mailkeep", migrate } = options
  const { owner, app } = guideRolesOf(database)
  const [before, after] = guideStatements("Roles").map((statements) =>
    statements.map((sql) =>
      sql
        .replaceAll("mail_owner", owner)
        .replaceAll("mail_app", app)
        .replaceAll(/\bmailkeep\b/g, schema)
    )
  )
  const client = new Client({ connectionString: server.urlOf(database) })
  await client.connect()
  try {
    const { rows } = await client.query("SELECT FROM pg_roles WHERE rolname = ANY ($1)", [[owner, app]])
    const isThere = rows.length > 0
    for (const sql of before!.filter((sql) => !isThere || !sql.startsWith("CREATE ROLE"))) await client.query(sql)
    if (migrate === undefined) return
    await migrate(server.urlOf(database, owner))
    await client.query(`SET ROLE ${owner}`)
    for (const sql of after!) await client.query(sql)
  } finally {
    await client.end()
  }
}
