import { describe, expect, it } from "vitest"
import { restartWithMemorySettings } from "../src/memorySettings.ts"

const command = (given: object) => {
  const calls: Array<ReadonlyArray<unknown>> = []
  restartWithMemorySettings({
    platform: "linux",
    argv: ["/usr/bin/node", "/app/mailkeep", "serve", "--port", "0"],
    execPath: "/usr/bin/node",
    execArgv: ["--inspect"],
    env: { HOME: "/root" },
    connected: false,
    execve: (...call: ReadonlyArray<unknown>) => calls.push(call) as never,
    ...given
  } as Parameters<typeof restartWithMemorySettings>[0])
  return calls
}

describe("restartWithMemorySettings", () => {
  it("restarts a server by the same command with the settings of the allocator and the heap", () => {
    expect(command({})).toEqual([
      [
        "/usr/bin/node",
        ["/usr/bin/node", "--max-semi-space-size=2", "--inspect", "/app/mailkeep", "serve", "--port", "0"],
        {
          HOME: "/root",
          MALLOC_ARENA_MAX: "1",
          MALLOC_MMAP_THRESHOLD_: "16384",
          MALLOC_TRIM_THRESHOLD_: "8388608"
        }
      ]
    ])
  })

  it("continues with the settings that it has when the process may not start another program", () => {
    const execve = () => {
      throw Object.assign(new Error("Access to this API has been restricted."), { code: "ERR_ACCESS_DENIED" })
    }
    expect(command({ execve })).toEqual([])
  })

  it.each([
    ["a command other than a server", { argv: ["node", "mailkeep", "logs", "list"] }],
    ["an operator who sets the allocator", { env: { MALLOC_ARENA_MAX: "4" } }],
    ["a parent that talks to the process", { connected: true }],
    ["a system other than Linux", { platform: "darwin" }],
    ["a version of Node that cannot replace a process", { execve: undefined }]
  ])("does not restart the process for %s", (_, given) => {
    expect(command(given)).toEqual([])
  })
})
