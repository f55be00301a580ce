/**
 * What an operator reads when the server accepts no new connection, for example while a password changes.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { connectingSentenceOf } from "../src/internal/connectingFailure.ts"
import { notOpened } from "../src/internal/openingFailure.ts"
import { unavailableOf } from "../src/internal/postgresFailure.ts"
import { markOfConnecting, markOfDriver } from "../src/internal/sqlStates.ts"
import { testServer } from "./testServer.ts"

const failureOf = (code: string) => Object.assign(new Error("failed"), { code })

describe("connectingSentenceOf", () => {
  it.each([
    ["28P01", "PostgreSQL refused the user or the password"],
    ["CERT_HAS_EXPIRED", "The certificate of the server has expired. Renew it"],
    [
      "08P01",
      "A pooler such as pgbouncer refused the connection, and its log says why: for example, more clients than `max_client_conn`, an unknown database, or a server that it cannot reach"
    ],
    [
      "EMFILE",
      "This process has no file descriptor left. Raise its limit, such as `LimitNOFILE` of systemd or `ulimit -n` of a shell"
    ]
  ])("says what %s means, when the store opens and while it is open", (code, sentence) => {
    const cause = markOfConnecting(failureOf(code))
    expect(notOpened(cause, "here").message).toBe(`${sentence}: here`)
    expect(unavailableOf(cause)).toMatchObject({ reason: "unreachable", message: `${sentence}.` })
  })

  it("is silent about the failure of a statement", () => {
    expect(connectingSentenceOf(markOfDriver(failureOf("42501")))).toBe(undefined)
  })
})

/** Makes the server ask a new role for its password, and returns the role. */
const roleWithPassword = async (password: string): Promise<string> => {
  const server = await testServer()
  const role = `password_${await server.createDatabase()}`
  const file = join(server.dataFolder, "pg_hba.conf")
  writeFileSync(file, `host all ${role} 127.0.0.1/32 scram-sha-256\n${readFileSync(file, "utf8")}`)
  await server.run("postgres", `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${password}'`, "SELECT pg_reload_conf()")
  const isRefused = async () => {
    const client = new pg.Client({ connectionString: server.urlOf("postgres", role), password: "wrong" })
    const refused = await client.connect().then(
      () => false,
      () => true
    )
    await client.end()
    return refused
  }
  await expect.poll(isRefused).toBe(true)
  return role
}

const setting = (name: string) => [{ _tag: "PutSetting", name, value: "x" } as const]

describe.skipIf(!hasPostgres())("a pool with a function for the password", () => {
  it("fails as unreachable without the words of the function, whatever it throws, and works when it returns the password again", async () => {
    const server = await testServer()
    const role = await roleWithPassword("geheim")
    const tokenFailure = new Error("geheim")
    let password = (): unknown => "geheim"
    // The driver would take a URL without a password for an empty password. Each use gets a new connection.
    const pool = new pg.Pool({
      host: "127.0.0.1",
      port: server.port,
      database: await server.createDatabase(),
      user: role,
      password: async () => password() as string,
      maxUses: 1
    })
    onTestFinished(() => pool.end())
    const fails = (thrown: unknown) => () => {
      throw thrown
    }
    const program = Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ pool })
      const failures: Array<unknown> = []
      for (const one of [fails(tokenFailure), fails("geheim"), () => undefined, () => 7, () => "wrong"]) {
        password = one
        failures.push(yield* Effect.flip(store.commit(setting("refused"))))
      }
      password = fails(tokenFailure)
      const ofProduct = yield* Effect.promise(() => pool.query("SELECT 1").catch((cause: unknown) => cause))
      password = () => "geheim"
      yield* store.commit(setting("after"))
      return { failures, ofProduct }
    })
    const { failures, ofProduct } = await Effect.runPromise(Effect.scoped(program))
    const unreachable = (text: string) =>
      expect.objectContaining({ reason: "unreachable", message: expect.stringContaining(text) })
    expect(failures).toEqual([
      unreachable("The function `password` of the pool failed."),
      unreachable("The function `password` of the pool failed."),
      unreachable("PostgreSQL asks for a password"),
      unreachable("The function `password` of the pool returned no text."),
      unreachable("PostgreSQL refused the user or the password.")
    ])
    expect(failures.map((failure) => String((failure as Error).cause))).not.toContainEqual(
      expect.stringContaining("geheim")
    )
    expect(ofProduct).toBe(tokenFailure)
  })
})
