/**
 * The PostgreSQL server that all mutants of a run share. Its folder is in memory, so that a sync takes no time. The store refuses a server with
 * `fsync = off`, and no law here kills the server, so the syncs need not reach a disk.
 */
import { openWatched, startPostgres } from "@mailkeep/test-support/postgres"

/** A server for one run. */
export interface SharedServer {
  /** Added to the environment of each process that runs mutants. */
  readonly env: NodeJS.ProcessEnv
  readonly stop: () => Promise<void>
}

export const startPostgresOfMutants = async (): Promise<SharedServer> => {
  const watched = openWatched({ isInMemory: true })
  // A changed statement may never end. Its connection would keep its locks and use a processor for the rest of the run.
  const server = await startPostgres(watched, { max_connections: "200", statement_timeout: "30s" })
  const database = await server.createDatabase()
  await server.run(
    database,
    "CREATE COLLATION public.without_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
  )
  return { env: { MAILKEEP_MUTANT_DATABASE: server.urlOf(database) }, stop: watched.close }
}
