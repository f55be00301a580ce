import pg from "pg"
import { expect, it, onTestFinished } from "vitest"
import { emptySchemas } from "../src/postgresSchemas.ts"
import { hasPostgres, sharedPostgres } from "../src/postgresServer.ts"

it.skipIf(!hasPostgres())(
  "gives an empty schema while a connection still uses the tables of an earlier one",
  async () => {
    const server = await sharedPostgres()
    const connectionString = server.urlOf(await server.createDatabase())
    const connect = async () => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      onTestFinished(() => client.end())
      return client
    }
    const other = await connect()
    const migrate = async (_: string, schema: string) => {
      await other.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
      await other.query(`CREATE TABLE IF NOT EXISTS ${schema}.rows (n integer)`)
      await other.query(`CREATE SEQUENCE IF NOT EXISTS ${schema}.commits`)
    }
    const take = () => emptySchemas({ database: async () => connectionString, prefix: "law_", migrate }).take()
    const first = await take()
    await other.query(`INSERT INTO ${first.schema}.rows VALUES (1)`)
    const user = await connect()
    await user.query("BEGIN")
    await user.query(`SELECT FROM ${first.schema}.rows`)
    const second = await take()
    expect((await other.query(`SELECT FROM ${second.schema}.rows`)).rowCount).toBe(0)
    await user.query("COMMIT")
    expect((await take()).schema).toBe(first.schema)
  }
)
