import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const module = fileURLToPath(new URL("../src/runEnd.ts", import.meta.url))

/** A run that has a folder and a child, prints both, and then waits. */
const run = `
  import { spawn } from "node:child_process"
  import { endOnSignals, newFolder, owned } from ${JSON.stringify(module)}
  endOnSignals()
  const child = owned(spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" }))
  console.log(JSON.stringify({ folder: newFolder("mailkeep-run-end-"), child: child.pid }))
`

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("endOnSignals", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129]
  ] as const)("ends the processes of a run and removes its folders after %s", async (signal, code) => {
    const program = spawn(process.execPath, ["--input-type=module", "--eval", run], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [line] = (await once(createInterface(program.stdout), "line")) as [string]
    const { folder, child } = JSON.parse(line) as { readonly folder: string; readonly child: number }
    expect([existsSync(folder), isRunning(child)]).toEqual([true, true])
    program.kill(signal)
    expect(await once(program, "exit")).toEqual([code, null])
    await expect.poll(() => isRunning(child)).toBe(false)
    expect(existsSync(folder)).toBe(false)
  })
})
