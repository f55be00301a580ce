import { execFile } from "node:child_process"
import { platform } from "node:os"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const module = new URL("../src/internal/thread/lowPriority.ts", import.meta.url).href

/** The priority of the main thread of another process that begins with this priority. */
const priorityAfter = async (priority: number): Promise<number> => {
  const program = `import { getPriority, setPriority } from "node:os"
import { takeLowPriority } from ${JSON.stringify(module)}
setPriority(${priority})
takeLowPriority()
console.log(getPriority())`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program])
  return Number(stdout)
}

it.runIf(platform() === "linux")("lowers the priority of a thread, and raises none that is lower already", async () => {
  expect(await Promise.all([priorityAfter(0), priorityAfter(15)])).toEqual([10, 15])
})
