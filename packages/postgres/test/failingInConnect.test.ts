import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { AddressInfo, Socket } from "node:net"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect, Fiber } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { failCallersOf, failingInConnect } from "../src/internal/failingInConnect.ts"
import { testServer } from "./testServer.ts"

const setting = [{ _tag: "PutSetting", name: "a", value: "x" } as const]

describe.skipIf(!hasPostgres())("a pool of the product", () => {
  it("fails a commit that waits for a connection when a file of a certificate is missing, and commits when it is there again", async () => {
    const server = await testServer()
    const folder = mkdtempSync(join(tmpdir(), "mailkeep-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, "ca.pem")
    writeFileSync(file, "")
    const url = `${server.urlOf(await server.createDatabase())}?sslmode=disable&sslrootcert=${file}`
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    onTestFinished(() => pool.end())
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const client = yield* Effect.promise(() => pool.connect())
      const commit = yield* Effect.forkChild(Effect.flip(store.commit(setting)), { startImmediately: true })
      yield* Effect.promise(() => expect.poll(() => pool.waitingCount).toBe(1))
      rmSync(file)
      // The pool makes the next client when this one has ended.
      client.release(true)
      const failure = yield* Fiber.join(commit)
      const ofProduct = yield* Effect.promise(() => pool.query("SELECT 1").catch((cause: unknown) => cause))
      writeFileSync(file, "")
      yield* store.commit(setting)
      return [failure, ofProduct] as const
    })
    const [failure, ofProduct] = await Effect.runPromise(Effect.scoped(program))
    expect(failure).toMatchObject({ reason: "unreachable", cause: { code: "ENOENT" } })
    expect(ofProduct).toMatchObject({ code: "ENOENT" })
  })
})

/** A server that asks for a password. `connections` are those that are open. */
const startAskingServer = async () => {
  const connections = new Set<Socket>()
  const server = createServer((socket) => {
    connections.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => connections.delete(socket))
    // AuthenticationCleartextPassword, in the answer to the first message.
    socket.once("data", () => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections }
}

describe("failingInConnect", () => {
  it("closes each connection that gets no password, because the server keeps it for a minute otherwise", async () => {
    const { port, connections } = await startAskingServer()
    const password = () => Promise.reject(new Error("no token"))
    const pool = new pg.Pool({ host: "127.0.0.1", port, user: "mail", password, max: 1 })
    failCallersOf(pool)
    onTestFinished(() => pool.end())
    const failures = []
    for (let attempt = 0; attempt < 3; attempt++)
      failures.push(await pool.query("SELECT 1").catch((cause: Error) => cause.message))
    expect(failures).toEqual(["no token", "no token", "no token"])
    await expect.poll(() => connections.size).toBe(0)
  })

  it("closes the connection of a client whose connect is awaited", async () => {
    const { port, connections } = await startAskingServer()
    const password = () => Promise.reject(new Error("no token"))
    const client = new (failingInConnect(pg.Client))({ host: "127.0.0.1", port, user: "mail", password })
    await expect(client.connect()).rejects.toThrow("no token")
    await expect.poll(() => connections.size).toBe(0)
  })
})
