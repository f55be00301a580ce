import { execFile } from "node:child_process"
import { platform } from "node:os"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const module = new URL("../src/internal/thread/lowPriority.ts", import.meta.url).href

/** The priority of the main thread of another process that begins with this priority, and runs `prepare` first. */
const priorityAfter = async (priority: number, prepare = ""): Promise<number> => {
  const program = `import { syncBuiltinESMExports } from "node:module"
import os from "node:os"
import { takeLowPriority } from ${JSON.stringify(module)}
os.setPriority(${priority})
${prepare}
takeLowPriority()
console.log(os.getPriority())`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program])
  return Number(stdout)
}

describe.runIf(platform() === "linux")("takeLowPriority", () => {
  it("lowers the priority of a thread, and raises none that is lower already", async () => {
    expect(await Promise.all([priorityAfter(0), priorityAfter(15)])).toEqual([10, 15])
  })

  it("leaves the priority of a thread where a sandbox refuses the call", async () => {
    const refusing = `os.setPriority = () => { throw new Error("EPERM") }
syncBuiltinESMExports()`
    expect(await priorityAfter(0, refusing)).toBe(0)
  })
})
