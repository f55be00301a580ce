import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { run } from "./commandLine.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mailkeep-secret-"))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const under = async (secret: string) => {
  const { code, stderr } = await run(["projects", "list", "--data", data], { MAILKEEP_SECRET: secret })
  return `${code} ${stderr}`.trim()
}

it("refuses a master secret that is too short or differs from the previous one, and says what to do", async () => {
  expect(await under("x".repeat(31))).toMatch(/^1 mailkeep: The master secret has fewer than 32 characters\./)
  expect(await under("x".repeat(32))).toBe("0")
  expect(await under("y".repeat(32))).toMatch(/first opened with another master secret.*MAILKEEP_SECRET\.$/)
  expect(await under("")).toMatch(/^1 mailkeep: The store was first opened with a master secret, and none is given now/)
  expect(await under("x".repeat(32))).toBe("0")
})
