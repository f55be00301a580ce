/**
 * The command over PostgreSQL: the move from a file and back, the flag `--store`, and `serve`.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Redacted, Result } from "effect"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { parseStoreLocation, shownLocation } from "../src/storeLocation.ts"
import { emptyDatabase, readyToSend, request, run, runJson, send, serve } from "./commandLine.ts"

const complaintOf = (text: string) => Result.getOrThrow(Result.flip(parseStoreLocation(text)))

describe("storeLocation", () => {
  it("shows a database without user, password and parameters", () => {
    const location = Result.getOrThrow(
      parseStoreLocation("postgres://mail:secret@db.example:5433/shop?sslmode=require&password=secret")
    )
    expect(shownLocation(location)).toBe("postgres://db.example:5433/shop")
    expect(JSON.stringify(location)).not.toContain("secret")
  })

  it("complains about a wrong URL without showing what may be a password", () => {
    expect(complaintOf("mysql://mail:secret@db.example/shop")).toBe(
      'Expected sqlite:PATH or postgres://…, not "mysql://…"'
    )
    expect(complaintOf("postgres://mail:se cret@[db/shop")).not.toContain("cret")
  })

  it.each([
    "postgres://mail:secret@one.example,two.example/shop",
    "postgres://mail:secret@one.example:5432,two.example:5433/shop?target_session_attrs=read-write",
    "postgres://mail:secret@/shop?host=one.example,two.example&port=5432,5433",
    "postgres://mail:secret@one.example/shop?sslmode=require&host=one.example%2ctwo.example"
  ])("says that %s names several hosts", (text) => {
    expect(complaintOf(text)).toBe(
      "The URL names several hosts, and pg connects to one. Give an address that always leads to the primary"
    )
  })

  it("takes a comma in a password and in another parameter than the host", () => {
    for (const text of ["postgres://mail:a,b@one.example/shop", "postgres://one.example/shop?options=a,b"])
      expect(Result.isSuccess(parseStoreLocation(text))).toBe(true)
  })

  it.each(["1@2/secret", "12/secret", "12?secret", "12#secret", "1,2/secret"])(
    "refuses the password %s, which is not encoded, without showing it",
    (password) => {
      const complaint = complaintOf(`postgres://mail:${password}@db.example/shop`)
      expect(complaint).toContain("Encode the user and the password")
      expect(complaint).not.toContain("secret")
    }
  )

  it.each([
    ["postgres://mail:secret@/shop?host=/var/run/postgresql", "postgres:///shop?host=/var/run/postgresql"],
    [
      "postgres://mail:secret@/shop?host=%2Fvar%2Frun%2Fpostgresql&mailkeep_schema=a",
      "postgres:///shop?host=/var/run/postgresql&mailkeep_schema=a"
    ],
    ["postgres:///shop?user=mail&host=/run&mailkeep_schema=a", "postgres:///shop?host=/run&mailkeep_schema=a"],
    ["postgres://mail:secret@localhost/shop?mailkeep_schema=a", "postgres://localhost/shop?mailkeep_schema=a"]
  ])("takes %s, also where it names a socket of the machine", (text, shown) => {
    const location = Result.getOrThrow(parseStoreLocation(text))
    expect(shownLocation(location)).toBe(shown)
    const url = location.kind === "postgres" ? Redacted.value(location.url) : ""
    expect(decodeURIComponent(url)).toBe(
      decodeURIComponent(text.replace("&mailkeep_schema=a", "").replace("?mailkeep_schema=a", ""))
    )
  })

  it("takes the options of the store out of the parameters, and leaves those of the driver", () => {
    const server = encodeURIComponent("postgres://mail:secret@primary.example/shop?sslmode=verify-full")
    const location = Result.getOrThrow(
      parseStoreLocation(
        `postgres://mail:secret@db.example/shop?mailkeep_schema=mail%20two&sslmode=verify-full&mailkeep_connections_max=20&mailkeep_migrate=false&mailkeep_partitions=8&mailkeep_allow_asynchronous_commit=true&mailkeep_storage_keeps_commits=true&mailkeep_listen=${server}&schema=public`
      )
    )
    expect(location).toEqual({
      kind: "postgres",
      url: Redacted.make("postgres://mail:secret@db.example/shop?sslmode=verify-full&schema=public"),
      options: {
        schema: "mail two",
        connectionsMax: 20,
        migrate: false,
        partitions: 8,
        allowAsynchronousCommit: true,
        storageKeepsCommits: true,
        listen: "postgres://mail:secret@primary.example/shop?sslmode=verify-full"
      }
    })
    expect(shownLocation(location)).toBe("postgres://db.example/shop?mailkeep_schema=mail%20two")
  })

  it.each([
    [
      "mailkeep_connection_max=20",
      /^mailkeep_connection_max is not a parameter of Mailkeep\. .* mailkeep_connections_max/
    ],
    ["mailkeep_connections_max=0", "The parameter mailkeep_connections_max must be a whole number from 1 to 10000, "],
    ["mailkeep_connections_max=2e1", "The parameter mailkeep_connections_max must be a whole number from 1 to 10000, "],
    ["mailkeep_partitions=65", "The parameter mailkeep_partitions must be a whole number from 2 to 64, "],
    ["mailkeep_schema=", "The parameter mailkeep_schema must be the name of a schema with at most 63 bytes, "],
    [`mailkeep_schema=${"x".repeat(64)}`, "The parameter mailkeep_schema must be the name of a schema with at most 63"],
    ["mailkeep_migrate=no", "The parameter mailkeep_migrate must be true or false, "],
    ["mailkeep_schema=a&mailkeep_schema=b", "and be given once"],
    [
      "mailkeep_listen=mail:secret@primary",
      "The parameter mailkeep_listen must be true, false, or the URL of the server, "
    ]
  ])("refuses the parameter %s by name", (parameters, sentence) => {
    const complaint = complaintOf(`postgres://mail:secret@db.example/shop?${parameters}`)
    expect(complaint).toMatch(sentence)
    expect(complaint).not.toContain("secret")
  })
})

describe("the flag --store", () => {
  it.each([
    ["mysql://mail:secretword@db.example/shop", 'Expected sqlite:PATH or postgres://…, not "mysql://…"'],
    ["mail:secretword@db.example/shop", 'Expected sqlite:PATH or postgres://…, not "mail:…"'],
    ["//mail:secretword@db.example/shop", 'Expected sqlite:PATH or postgres://…, not "…"'],
    ["sqlite:postgres://mail:secretword@db.example/shop", 'Expected sqlite:PATH or postgres://…, not "sqlite:…"'],
    ["sqlite://mail:secretword@db.example/shop", 'Expected sqlite:PATH or postgres://…, not "sqlite://…"'],
    [
      "postgres://mail:secretword@db.example/shop?mailkeep_partitions=1",
      "The parameter mailkeep_partitions must be a whole number from 2 to 64"
    ]
  ])("refuses %s without showing the password, also in the variable", async (location, complaint) => {
    for (const [flags, environment] of [
      [["--store", location], {}],
      [[], { MAILKEEP_STORE: location }]
    ] as const) {
      const { code, stdout, stderr } = await run(["projects", "list", ...flags], environment)
      expect([code, stderr]).toEqual([1, expect.stringContaining(complaint)])
      expect(stdout + stderr).not.toContain("secretword")
    }
  })

  it("refuses the location of a move without showing the password", async () => {
    const { code, stdout, stderr } = await run([
      "migrate",
      "--from",
      "sqlite:mail.db",
      "--to",
      "mysql://mail:secretword@db.example/shop"
    ])
    expect([code, stderr]).toEqual([1, expect.stringContaining("Expected sqlite:PATH")])
    expect(stdout + stderr).not.toContain("secretword")
  })
})

describe.skipIf(!hasPostgres())("mailkeep over PostgreSQL", () => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-postgres-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  const path = (name: string) => join(folder, name)

  it("moves a data folder into a database and back into a file, with the same records", async () => {
    const url = await emptyDatabase()
    const data = ["--data", path("data"), "--project", "prj_x"]
    await runJson(["domains", "add", "example.com", ...data, "--verified"])
    await runJson(["contacts", "add", "ada@example.org", ...data])
    await runJson([
      "send",
      "--from",
      "shop@example.com",
      "--to",
      "ada@example.org",
      "--subject",
      "Hello",
      "--text",
      "Hi.",
      ...data
    ])
    const there = await runJson(["migrate", "--from", `sqlite:${path("data")}`, "--to", url])
    expect(there.digest.kinds).toMatchObject({ Contact: { count: 1 }, Domain: { count: 1 }, Delivery: { count: 1 } })
    const old = await run(["contacts", "list", ...data])
    expect(old).toMatchObject({ code: 1, stdout: "" })
    expect(old.stderr).toMatch(
      /^mailkeep: The records of this store were moved to postgres:\/\/[^@]+\. Use that store\.\n$/
    )

    const listed = await run(["contacts", "list", "--project", "prj_x"], { MAILKEEP_STORE: url })
    expect(listed.stdout).toContain("ada@example.org")
    await runJson(["contacts", "add", "bob@example.org", "--store", url, "--project", "prj_x"])

    const back = await runJson(["migrate", "--from", url, "--to", `sqlite:${path("back.db")}`])
    expect(back.digest.kinds).toMatchObject({ Contact: { count: 2 }, Delivery: { count: 1 } })
    const closed = await run(["contacts", "list", "--store", url, "--project", "prj_x"])
    expect(closed.stderr).toContain(`were moved to sqlite:${path("back.db")}`)
    const again = await run(["contacts", "list", "--store", `sqlite:${path("back.db")}`, "--project", "prj_x"])
    expect(again.stdout).toContain("bob@example.org")
  }, 120_000)

  it("refuses to move from a schema that is not the one of the store", async () => {
    const url = await emptyDatabase()
    await runJson(["projects", "set", "prj_x", "--on-ambiguous", "fail", "--store", url])
    const target = path("of-wrong-schema.db")
    const moved = await run(["migrate", "--from", `${url}?mailkeep_schema=mial`, "--to", `sqlite:${target}`])
    expect(moved).toMatchObject({ code: 1, stdout: "" })
    expect(moved.stderr).toMatch(/^mailkeep: there are no records in postgres:\/\/[^@]+\?mailkeep_schema=mial\n$/)
    expect(existsSync(target)).toBe(false)
  }, 120_000)

  it("serves from an empty database: accepts a send once for an idempotency key, delivers it, and ends cleanly", async () => {
    const url = await emptyDatabase()
    const serving = await serve(["serve", "--store", url, "--port", "0"])
    onTestFinished(async () => void (await serving.kill("SIGKILL")))
    expect(serving.line).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), transport: "stub" })
    const { key } = await readyToSend(["--store", url])
    const call = (callPath: string, init?: RequestInit) => request(serving.line.url, key, callPath, init)

    const sent = await call("/emails/send", send("order-1"))
    expect(sent).toMatchObject({ status: 202, body: { data: { deliveryIds: [expect.any(String)] } } })
    expect(await call("/emails/send", send("order-1"))).toEqual(sent)
    const [id] = sent.body.data.deliveryIds
    await expect.poll(async () => (await call(`/emails/logs/${id}`)).body.status).toBe("delivered")
    const { items } = (await call("/emails/logs")).body.data
    expect(items).toMatchObject([{ id, status: "delivered" }])

    expect(await serving.kill("SIGTERM")).toBe(0)
    expect(serving.output.stdout.trim().split("\n")).toHaveLength(1)
    expect(serving.output.stderr).not.toContain(key)
  }, 120_000)

  it("keeps the tables in the schema that the URL names", async () => {
    const url = await emptyDatabase()
    const other = `${url}?mailkeep_schema=mail_two&mailkeep_connections_max=2`
    await runJson(["domains", "add", "example.com", "--verified", "--project", "prj_x", "--store", other])
    const domainsIn = async (store: string) =>
      (await run(["domains", "list", "--project", "prj_x", "--store", store])).stdout
    expect(await domainsIn(other)).toContain("example.com")
    expect(await domainsIn(url)).not.toContain("example.com")
  }, 120_000)

  it("says why a database cannot be reached, without the password", async () => {
    const { code, stdout, stderr } = await run([
      "projects",
      "list",
      "--store",
      "postgres://mail:secretword@127.0.0.1:1/shop"
    ])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mailkeep: .*127\.0\.0\.1/)
    expect(stdout + stderr).not.toContain("secretword")
  })
})
