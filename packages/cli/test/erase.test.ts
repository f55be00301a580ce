/**
 * `mailkeep contacts erase`: afterwards no table of the store file has the address.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { run, runJson } from "./commandLine.ts"
import { tablesWith } from "./tablesWith.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-erase-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const here = () => ["--data", folder, "--project", "prj_x"]
const email = "ada.lovelace@example.org"

it("erases a person from every table of the store, and says what it kept", async () => {
  await runJson(["domains", "add", "example.com", ...here(), "--verified"])
  await runJson(["contacts", "add", email, ...here(), "--first-name", "Ada"])
  const mail = ["--from", "hello@example.com", "--subject", "Hi", "--text", `Dear ${email}`]
  await runJson(["send", ...here(), ...mail, "--to", email])
  await runJson(["send", ...here(), ...mail, "--to", email, "--to", "bob@example.org"])
  await runJson(["suppressions", "add", email, ...here()])
  expect(tablesWith(folder, email)).toEqual([
    "mailkeep_contacts",
    "mailkeep_deliveries",
    "mailkeep_events",
    "mailkeep_messages",
    "mailkeep_suppressions"
  ])
  const report = await runJson(["contacts", "erase", email.toUpperCase(), ...here()])
  expect(report).toMatchObject({
    isComplete: true,
    ended: 2,
    deleted: { Contact: 1, Message: 1 },
    kept: { suppression: true }
  })
  expect(tablesWith(folder, email)).toEqual([])
  const people = await run(["contacts", "erase", email, ...here()])
  expect(people).toMatchObject({ code: 0, stderr: "" })
  expect(people.stdout).toContain("Kept: the suppression, by the keyed hash of the address")
})

/** The statement of the guide for the file of a store after an erasure. */
const guide = readFileSync(new URL("../../../docs/guides/operations.md", import.meta.url), "utf8")
const cleaning = /```sql\n(?<statements>[^`]+)```/.exec(guide.slice(guide.indexOf("## Erase a person")))?.groups?.[
  "statements"
]

/** Whether the bytes of the file and of its write-ahead log contain the text. */
const isInFile = (text: string): boolean =>
  ["", "-wal"].some((end) => {
    const file = join(folder, `mailkeep.db${end}`)
    return existsSync(file) && readFileSync(file).includes(text)
  })

it("leaves no part of the address in the file after the statements of the guide", async () => {
  // The search index has the sequences of three characters of an address. No id and no key has these.
  const address = "{~}|#!^@example.org"
  const parts = ["{~}", "}|#", "#!^"]
  await runJson(["contacts", "add", "bob@example.org", ...here()])
  await runJson(["contacts", "add", address, ...here()])
  await runJson(["contacts", "erase", address, ...here()])
  expect(parts.filter(isInFile)).toEqual(parts)
  const database = new DatabaseSync(join(folder, "mailkeep.db"))
  database.exec(cleaning ?? "VACUUM")
  database.close()
  expect(parts.filter(isInFile)).toEqual([])
  expect(await runJson(["contacts", "list", "--search", "bob@", ...here()])).toMatchObject({ total: 1 })
})

it("refuses a text that is no address", async () => {
  const { code, stderr } = await run(["contacts", "erase", "ada", ...here()])
  expect(code).toBe(1)
  expect(stderr).toMatch(/^mailkeep: .*email must be an email address/)
})
