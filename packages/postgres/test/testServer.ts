/**
 * The server for the tests of one process. The store refuses a server that does not sync its commits.
 */
import { sharedPostgres } from "@mailkeep/test-support/postgres"
import pg from "pg"
import { onTestFinished } from "vitest"

export { sharedPostgres as testServer } from "@mailkeep/test-support/postgres"

/** Creates a database at the first call. Each call returns its address. */
export const newDatabase = (): (() => Promise<string>) => {
  let made: Promise<string> | undefined
  const make = async () => {
    const server = await sharedPostgres()
    return server.urlOf(await server.createDatabase())
  }
  return () => (made ??= make())
}

/** Connects a client of another program, until the test ends. */
export const connectedClient = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
