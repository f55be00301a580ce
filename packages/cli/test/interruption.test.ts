/**
 * A command that a signal interrupts before its end has not done its work, so a script must not continue as after a success.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { main, runJson } from "./commandLine.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-interruption-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts the command, waits until it has written the text, sends the signal, and returns the exit code and standard error. */
const interrupted = async (args: ReadonlyArray<string>, input: string, text: string, signal: NodeJS.Signals) => {
  const here = ["--data", folder, "--project", "prj_x"]
  const child = spawn(process.execPath, [main, ...args, ...here], { stdio: "pipe" })
  let stderr = ""
  let stdout = ""
  const seen = new Promise<void>((resolve) => {
    const check = () => (stdout + stderr).includes(text) && resolve()
    child.stderr.on("data", (chunk) => ((stderr += String(chunk)), check()))
    child.stdout.on("data", (chunk) => ((stdout += String(chunk)), check()))
  })
  const closed = once(child, "close")
  child.stdin.write(input)
  await Promise.race([seen, closed])
  child.kill(signal)
  const [code] = (await closed) as [number | null]
  child.stdin.destroy()
  return { code, stderr }
}

describe("a command that a signal interrupts", () => {
  // The import waits for the rest of its file.
  const lines = `email\n${"nobody\n".repeat(300)}`
  it.each(["SIGINT", "SIGTERM"] as const)(
    "has the exit code 130 and says so when its work has not ended, by %s",
    async (signal) => {
      const { code, stderr } = await interrupted(["contacts", "import", "-"], lines, "line 2: ", signal)
      expect(code).toBe(130)
      expect(stderr).toMatch(/\nmailkeep: The command was interrupted before its end\.\n$/)
    }
  )

  it("has the exit code 0 when the command runs until it is interrupted", async () => {
    const followed = ["logs", "--follow", "--log-level", "none"]
    const send = ["send", "--from", "a@example.com", "--to", "b@example.org", "--subject", "Followed", "--text", "t"]
    const here = ["--data", folder, "--project", "prj_x"]
    await runJson(["domains", "add", "example.com", "--verified", ...here])
    await runJson([...send, ...here])
    expect(await interrupted(followed, "", "Followed", "SIGINT")).toEqual({ code: 0, stderr: "" })
  })
})
