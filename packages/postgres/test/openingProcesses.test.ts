/**
 * Many processes that start on an empty database at the same time.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { hasPostgres, openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { startBouncer } from "@mailkeep/test-support/postgresBouncer"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { migrations } from "../src/internal/migrations.ts"

const programFile = fileURLToPath(new URL("./openingProgram.ts", import.meta.url))

/** Records the tables, schemas and other objects that a transaction creates or changes, if the transaction commits. */
const recordDefinitions = [
  "CREATE TABLE public.definitions (transaction bigint, tag text, object text)",
  `CREATE FUNCTION public.record_definition() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.definitions SELECT txid_current(), command_tag, object_identity FROM pg_event_trigger_ddl_commands();
END $$`,
  "CREATE EVENT TRIGGER record_definitions ON ddl_command_end EXECUTE FUNCTION public.record_definition()"
]

/** A child process that opens the store. */
const startProcess = (connectionString: string) => {
  const child = fork(programFile, [connectionString], { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let errors = ""
  child.stderr!.on("data", (chunk) => (errors += String(chunk)))
  const ended = once(child, "close") as Promise<[number | null]>
  const failed = ended.then(([code]) => Promise.reject(new Error(`The process ended with ${code}: ${errors}`)))
  // The end of the process is no failure while nothing waits for a step.
  failed.catch(() => {})
  const nextStep = async () => (await Promise.race([once(child, "message"), failed]))[0] as string
  return {
    ready: nextStep(),
    /** Lets the process continue. Returns the next step that it reports. */
    proceed: () => {
      const step = nextStep()
      child.send("proceed")
      return step
    },
    /** Lets the process end. Returns its exit code. */
    end: async () => {
      child.send("proceed")
      return (await ended)[0]
    }
  }
}

/** A server with an empty database, and the addresses of the database: the server itself, and pgbouncer. */
const startServers = async () => {
  const watched = openWatched({ isInMemory: true })
  onTestFinished(() => watched.close())
  const server = await startPostgres(watched)
  const database = await server.createDatabase()
  const bouncer = await startBouncer(watched, server)
  await server.run(database, ...recordDefinitions)
  const client = new pg.Client({ connectionString: server.urlOf(database) })
  await client.connect()
  // Before the server stops.
  onTestFinished(() => client.end())
  return {
    direct: server.urlOf(database),
    pooled: bouncer.urlOf(database),
    rows: async (sql: string) => (await client.query(sql)).rows as ReadonlyArray<unknown>
  }
}

describe.skipIf(!hasPostgres())("make", () => {
  it("runs each migration once when ten processes open an empty database at once, five of them through pgbouncer", async () => {
    const { direct, pooled, rows } = await startServers()
    const processes = Array.from({ length: 10 }, (_, n) => startProcess(n % 2 === 0 ? direct : pooled))
    await Promise.all(processes.map(({ ready }) => ready))
    const steps = await Promise.all(processes.map(({ proceed }) => proceed()))
    expect(steps).toEqual(processes.map(() => "opened"))

    expect(await rows("SELECT version FROM mailkeep.schema_version")).toEqual([{ version: migrations.length }])
    expect(await rows("SELECT value::integer FROM mailkeep.counters")).toEqual([{ value: 10 }])
    expect(
      await rows("SELECT count(DISTINCT transaction)::integer AS migrations, count(*) > 20 AS many FROM definitions")
    ).toEqual([{ migrations: migrations.length, many: true }])
    expect(await rows("SELECT object FROM definitions WHERE tag = 'CREATE SCHEMA'")).toEqual([{ object: "mailkeep" }])

    expect(await Promise.all(processes.map(({ end }) => end()))).toEqual(processes.map(() => 0))
  })
})
