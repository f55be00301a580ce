/**
 * A standby of a test server: a copy that receives every commit before the primary acknowledges it, and that can take over.
 */
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { giveToServerUser, postgresProgram, runProgram } from "./postgresPrograms.ts"
import type { PostgresServer, Watched } from "./postgresServer.ts"
import { serveFolder, userName } from "./postgresServer.ts"

const standbyName = "standby"

/** A server that follows a primary. */
export interface PostgresStandby extends PostgresServer {
  /** Makes the standby a primary. Stop the old primary first: nothing else keeps it from accepting commits. */
  readonly promote: () => Promise<void>
}

/** Copies a primary and starts the copy as its synchronous standby. From then on, the primary waits for the standby at each commit. */
export const startStandby = async (watched: Watched, primary: PostgresServer): Promise<PostgresStandby> => {
  const dataFolder = mkdtempSync(join(watched.folder, "standby-"))
  giveToServerUser(dataFolder)
  const connection = `host=127.0.0.1 port=${primary.port} user=${userName} application_name=${standbyName}`
  await runProgram(
    postgresProgram("pg_basebackup"),
    [
      "--dbname",
      connection,
      "--pgdata",
      dataFolder,
      "--wal-method=stream",
      "--checkpoint=fast",
      "--write-recovery-conf"
    ],
    dataFolder
  )
  const standby = await serveFolder(watched, dataFolder)
  await primary.set("synchronous_standby_names", standbyName)
  // A commit waits for the standby only after the checkpointer has read the setting too. It does so before it begins this checkpoint.
  await primary.run("postgres", "CHECKPOINT")
  return {
    ...standby,
    promote: () => runProgram(postgresProgram("pg_ctl"), ["promote", "--wait", "--pgdata", dataFolder], dataFolder)
  }
}
