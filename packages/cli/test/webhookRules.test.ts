import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { run } from "./commandLine.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mailkeep-targets-"))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

it("refuses a webhook at a port or an address that the flags or the environment leave out", async () => {
  const create = (url: string, ...flags: ReadonlyArray<string>) =>
    ["webhooks", "create", url, "--data", data, "--project", "prj_a"].concat(flags)
  const port = await run(create("https://hooks.example.net/", "--webhook-ports", "9443"))
  expect([port.code, port.stderr]).toEqual([1, expect.stringContaining("must use port 9443")])
  const address = await run(create("https://203.0.114.9/"), { MAILKEEP_WEBHOOK_DENY: "198.18.0.0/15,203.0.114.0/24" })
  expect([address.code, address.stderr]).toEqual([
    1,
    expect.stringContaining("must not be an address that the operator")
  ])
})
