import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { run } from "./commandLine.ts"

let data: string
let id: string
const url = "https://hooks.example.net/mail"

const webhooks = (...args: ReadonlyArray<string>) => run(["webhooks", ...args, "--data", data, "--project", "prj_a"])
const parsed = async (...args: ReadonlyArray<string>) => JSON.parse((await webhooks(...args, "--json")).stdout)

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "mailkeep-webhooks-"))
  id = (await parsed("create", url)).id
})
afterAll(() => rmSync(data, { recursive: true, force: true }))

it("disables a webhook and enables it again, and changes no other field", async () => {
  const [before] = (await parsed("list")).webhooks
  for (const status of ["disabled", "enabled"]) {
    expect(await parsed("update", id, "--status", status)).toEqual({ ...before, status })
    expect((await parsed("list")).webhooks).toEqual([{ ...before, status }])
  }
  expect((await webhooks("update", id, "--status", "disabled")).stdout.trim()).toBe(`${id} is disabled: ${url}`)
})

it("changes the URL and the kinds of event of a webhook", async () => {
  const changes = ["--url", `${url}/new`, "--event", "email.bounced", "--event", "email.failed"]
  expect(await parsed("update", id, ...changes)).toMatchObject({
    url: `${url}/new`,
    events: ["email.bounced", "email.failed"]
  })
})

it.each([
  ["without a change", [], "give --status, --url or --event"],
  ["with a URL that is not https", ["--url", "http://hooks.example.net/"], "must be https"],
  ["with an unknown status", ["--status", "paused"], "enabled"]
])("refuses an update %s", async (_, flags, problem) => {
  const { code, stdout, stderr } = await webhooks("update", id, ...flags)
  expect(code).toBe(1)
  expect(stdout + stderr).toContain(problem)
})

it("refuses to update a webhook that does not exist", async () => {
  const { code, stderr } = await webhooks("update", "whk_none", "--status", "enabled")
  expect([code, stderr]).toEqual([1, expect.stringContaining("No webhook with this ID")])
})
