/**
 * Row: the memory of a server.
 */
import { execFileSync, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as wait } from "node:timers/promises"
import type { Target } from "../httpLoad.ts"
import { loadSends } from "../httpLoad.ts"
import { installProduct } from "../packedProduct.ts"
import { megabytesOf } from "../processMemory.ts"
import type { Figures, RoundContext, Row, Size } from "../Row.ts"
import { withServer } from "../serverUnderLoad.ts"
import { bySize } from "../workload.ts"

const idleMillis = 3000
const afterMillis = 60_000

/** Loads the server, and returns its memory before, during and after. */
const underLoad = async (pid: number, target: Target, size: Size): Promise<Figures> => {
  await wait(idleMillis)
  const idle = megabytesOf(pid, "VmRSS")
  await loadSends(target, { first: 0, count: bySize(size, 20_000, 100_000), connections: 64 })
  await wait(afterMillis)
  return { peak: megabytesOf(pid, "VmHWM"), idle, after: megabytesOf(pid, "VmRSS") }
}

/** Runs the published command with a domain and an API key. */
const ours = async ({ rowFolder, folder, size }: RoundContext): Promise<Figures> => {
  const cwd = join(rowFolder, "product")
  const command = [join(cwd, "node_modules/.bin/mailkeep")]
  const place = ["--data", join(folder, "data"), "--json"]
  const run = (...args: ReadonlyArray<string>) =>
    execFileSync(process.execPath, [...command, ...args, "--project", "prj_bench", ...place], { cwd, encoding: "utf8" })
  run("domains", "add", "example.com", "--verified")
  const { key } = JSON.parse(run("keys", "create", "--permission", "email.send")) as { readonly key: string }
  const server = spawn(process.execPath, [...command, "serve", "--port", "0", ...place], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const { url } = JSON.parse(line) as { readonly url: string }
      return await underLoad(server.pid!, { url, secret: key }, size)
    }
    throw new Error("The server ended without an address.")
  } finally {
    server.kill("SIGKILL")
  }
}

export const memory: Row = {
  name: "memory",
  title: "Memory of a server",
  about:
    "The memory of the process (resident set): while it is idle after the start, at its peak, and a minute after the load. The load is 20,000 messages (small run) or 100,000 (full run), which `mailkeep serve` accepts and hands over to its stub. It is installed as in a product. The peer is the server that is written by hand with Fastify, which only accepts. It runs from sources in TypeScript, which costs it some megabytes.",
  metrics: [
    { name: "peak", unit: "MB", better: "lower" },
    { name: "idle", unit: "MB", better: "lower" },
    { name: "after", unit: "MB after 1 min", better: "lower" }
  ],
  ours: { name: "mailkeep", run: ours },
  peers: [
    {
      name: "Fastify",
      run: ({ folder, size }) => withServer("fastify", folder, ({ pid, target }) => underLoad(pid, target, size))
    }
  ],
  goals: [
    { metric: "idle", is: "at most", value: 120 },
    { metric: "peak", is: "at most", value: 250 },
    { metric: "after", is: "at most", value: 144 }
  ],
  disks: ["as-is"],
  roundsMax: 1,
  prepare: installProduct
}
