import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runIntoFullDisk, runJson } from "./commandLine.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-output-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const here = () => ["--data", folder, "--project", "prj_x"]

describe.runIf(existsSync("/dev/full"))("a command whose output cannot be written", () => {
  it.each([
    ["its one result", () => ["keys", "create", ...here(), "--permission", "email.send"]],
    ["its help", () => ["--help"]],
    ["a file of many lines", () => ["contacts", "export", ...here()]],
    ["each change", () => ["logs", "--follow", ...here()]]
  ])("ends with one sentence and exit code 1 when it prints %s", async (_, args) => {
    await runJson(["domains", "add", "example.com", ...here(), "--verified"])
    const message = ["--from", "a@example.com", "--to", "b@example.org", "--subject", "s", "--text", "t"]
    await runJson(["send", ...here(), ...message])
    expect(await runIntoFullDisk(args())).toEqual({
      code: 1,
      stderr: "mailkeep: cannot write standard output: no space left on device\n"
    })
  })
})
