/**
 * `mailkeep migrate`: the whole way from one data folder to a file, and its refusals.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { run, runJson } from "./commandLine.ts"

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-migrate-"))
  await runJson(["domains", "add", "example.com", ...at("data"), "--verified"])
  await runJson(["contacts", "add", "ada@example.org", ...at("data")])
})
afterAll(() => rmSync(folder, { recursive: true }))

const path = (name: string) => join(folder, name)
const at = (name: string) => ["--data", path(name), "--project", "prj_x"]
const between = (from: string, to: string) => ["--from", `sqlite:${path(from)}`, "--to", `sqlite:${path(to)}`]

describe("mailkeep migrate", () => {
  it("moves a data folder into a file, which then has every record", async () => {
    const moved = await runJson(["migrate", ...between("data", "other.db")])
    expect(moved.digest.kinds).toMatchObject({ Contact: { count: 1 }, Domain: { count: 1 } })
    expect(moved.written).toBe(moved.records)
    const closed = await run(["contacts", "add", "bob@example.org", ...at("data")])
    expect(closed).toMatchObject({
      code: 1,
      stderr: `mailkeep: The records of this store were moved to sqlite:${path("other.db")}. Use that store.\n`
    })
    const again = await runJson(["migrate", ...between("data", "other.db"), "--resume"])
    expect(again).toEqual({ ...moved, written: 0 })
    const onward = await runJson(["migrate", ...between("other.db", "third.db")])
    expect(onward.digest).toEqual(moved.digest)
  })

  it("refuses a target with records, with one sentence", async () => {
    await runJson(["contacts", "add", "bob@example.org", ...at("full")])
    const { code, stderr } = await run(["migrate", ...between("data", "full")])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mailkeep: The target store has records of its own\..*\n$/)
  })

  it("refuses a source that does not exist, and creates no file", async () => {
    const { code, stderr } = await run(["migrate", ...between("none.db", "new.db")])
    expect({ code, stderr }).toEqual({ code: 1, stderr: `mailkeep: there is no store at ${path("none.db")}\n` })
    expect([existsSync(path("none.db")), existsSync(path("new.db"))]).toEqual([false, false])
  })

  it("refuses a source without records, and creates no file for the target", async () => {
    writeFileSync(path("empty.db"), "")
    const { code, stderr } = await run(["migrate", ...between("empty.db", "new.db")])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `mailkeep: there are no records in sqlite:${path("empty.db")}\n`
    })
    expect(existsSync(path("new.db"))).toBe(false)
  })

  it("refuses a location that is no sqlite:PATH", async () => {
    const { code, stdout, stderr } = await run(["migrate", "--from", "mail.db", "--to", `sqlite:${path("new.db")}`])
    expect(code).toBe(1)
    expect(stdout + stderr).toContain('Expected sqlite:PATH or postgres://…, not "mail.db"')
  })
})
