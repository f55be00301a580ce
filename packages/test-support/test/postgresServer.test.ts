/**
 * The PostgreSQL servers of the tests: what survives a kill, what a standby has, and that nothing is left behind.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { Client } from "pg"
import { afterEach, describe, expect, it } from "vitest"
import { startBouncer } from "../src/postgresBouncer.ts"
import { isRunning } from "../src/postgresPrograms.ts"
import { hasPostgres, openWatched, startPostgres } from "../src/postgresServer.ts"
import type { Watched } from "../src/postgresServer.ts"
import { startStandby } from "../src/postgresStandby.ts"

const opened: Array<Watched> = []

const watched = (isInMemory = true): Watched => {
  const one = openWatched({ isInMemory })
  opened.push(one)
  return one
}

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const rows = async (url: string, sql: string): Promise<ReadonlyArray<unknown>> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows.flat()
  } finally {
    await client.end()
  }
}

/** A test process that starts a server, prints its address and waits for its end. */
const holdingServer = `
const { openWatched, startPostgres } = await import(process.argv[1])
const watched = openWatched({ isInMemory: true })
const server = await startPostgres(watched)
console.log(JSON.stringify({ folder: watched.folder, url: server.urlOf("postgres") }))
setInterval(() => {}, 1000)
`

describe.skipIf(!hasPostgres())("the PostgreSQL servers of the tests", { timeout: 60_000 }, () => {
  it("creates a database as a copy of a template database", async () => {
    const server = await startPostgres(watched())
    const template = await server.createDatabase()
    await server.run(template, "CREATE TABLE a (n integer)", "INSERT INTO a VALUES (7)")
    const copy = await server.createDatabase(template)
    expect(await rows(server.urlOf(copy), "SELECT n FROM a")).toEqual([7])
    await server.dropDatabase(copy)
    await expect(rows(server.urlOf(copy), "SELECT 1")).rejects.toThrow("does not exist")
  })

  it("keeps committed rows when the server is killed and started again", async () => {
    const server = await startPostgres(watched(false))
    await server.run("postgres", "CREATE TABLE a (n integer)", "INSERT INTO a VALUES (7)")
    await server.kill()
    await expect(rows(server.urlOf("postgres"), "SELECT n FROM a")).rejects.toThrow("ECONNREFUSED")
    await server.start()
    expect(await rows(server.urlOf("postgres"), "SELECT n FROM a")).toEqual([7])
  })

  it("gives each transaction through pgbouncer any connection of the server", async () => {
    const home = watched()
    const server = await startPostgres(home)
    const bouncer = await startBouncer(home, server)
    const clients = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const client = new Client({ connectionString: bouncer.urlOf("postgres") })
        await client.connect()
        return client
      })
    )
    const pid = async (n: number) => (await clients[n]!.query("SELECT pg_backend_pid() AS pid")).rows[0].pid as number
    await clients[0]!.query("BEGIN")
    const held = await pid(0)
    expect(await pid(1)).not.toBe(held)
    await clients[0]!.query("COMMIT")
    const used = new Set<number>()
    for (let n = 0; n < 4; n++) used.add(await pid(0))
    expect(used.size).toBeGreaterThan(1)
    for (const client of clients) await client.end()
  })

  it("has every commit on the standby when the primary is killed", async () => {
    const home = watched()
    const primary = await startPostgres(home)
    await primary.run("postgres", "CREATE TABLE a (n integer)")
    const standby = await startStandby(home, primary)
    await primary.run("postgres", "INSERT INTO a VALUES (7)")
    await primary.kill()
    await standby.promote()
    await standby.run("postgres", "INSERT INTO a VALUES (8)")
    expect(await rows(standby.urlOf("postgres"), "SELECT n FROM a ORDER BY n")).toEqual([7, 8])
  })

  it("stops the server and deletes its folder when the test process is killed", async () => {
    const module = new URL("../src/postgresServer.ts", import.meta.url).href
    const child = spawn(process.execPath, ["--input-type=module", "-e", holdingServer, module], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [line] = (await once(child.stdout, "data")) as [Buffer]
    const { folder, url } = JSON.parse(String(line)) as { readonly folder: string; readonly url: string }
    const [pid] = await rows(url, "SELECT pg_backend_pid()")
    child.kill("SIGKILL")
    while (existsSync(folder)) await pause(20)
    expect(isRunning(pid as number)).toBe(false)
    await expect(rows(url, "SELECT 1")).rejects.toThrow("ECONNREFUSED")
  })
})
