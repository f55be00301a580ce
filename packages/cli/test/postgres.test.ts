/**
 * The command over PostgreSQL: the move from a file and back, the flag `--store`, and `serve`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Option } from "effect"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { locationComplaint, parseStoreLocation, shownLocation } from "../src/storeLocation.ts"
import { emptyDatabase, readyToSend, request, run, runJson, send, serve } from "./commandLine.ts"

describe("storeLocation", () => {
  it("shows a database without user, password and parameters", () => {
    const location = parseStoreLocation("postgres://mail:secret@db.example:5433/shop?sslmode=require&password=secret")
    expect(Option.map(location, shownLocation)).toEqual(Option.some("postgres://db.example:5433/shop"))
    expect(JSON.stringify(Option.getOrThrow(location))).not.toContain("secret")
  })

  it("complains about a wrong URL without showing what may be a password", () => {
    expect(locationComplaint("mysql://mail:secret@db.example/shop")).toBe(
      'Expected sqlite:PATH or postgres://…, not "mysql://…"'
    )
    expect(Option.isNone(parseStoreLocation("postgres://mail:se cret@[db/shop"))).toBe(true)
    expect(locationComplaint("postgres://mail:se cret@[db/shop")).not.toContain("cret")
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
