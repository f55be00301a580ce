import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { readyToSend, request, runIntoFullDisk, runJson, send, serve } from "./commandLine.ts"

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

/** Nobody listens on port 1: each hand-off gets no reply, and the log has a line for the first and for the fifth. */
const unreachableRelay = "smtp://127.0.0.1:1"

describe("a server whose log nobody reads any more", () => {
  it("continues after several lines of the log cannot be written, and ends cleanly by SIGTERM", async () => {
    const { key } = await readyToSend(["--data", folder])
    const ports = ["--port", "0", "--operations-port", "0"]
    const server = await serve(["serve", "--data", folder, ...ports, "--transport", unreachableRelay])
    server.closeLog()
    for (let n = 0; n < 6; n++)
      expect(await request(server.line.url, key, "/emails/send", send(`k${n}`))).toMatchObject({ status: 202 })
    const circuit = async () =>
      ((await (await fetch(`${server.line.operations}/health`)).json()) as { circuit: string }).circuit
    await expect.poll(circuit, { timeout: 30_000 }).toBe("open")
    expect(await request(server.line.url, key, "/emails/send", send("last"))).toMatchObject({ status: 202 })
    expect(await server.kill("SIGTERM")).toBe(0)
  })
})
