/** Reads hostile messages in a thread of its own, so that the heap of the thread can be limited. */
import { parentPort } from "node:worker_threads"
import { readReports } from "../../src/reports/readReports.ts"
import { hostileMails } from "./hostileMail.ts"

parentPort?.on("message", (name: string) => {
  const raw = new TextEncoder().encode(hostileMails[name]!())
  const start = process.threadCpuUsage()
  const read = readReports(raw)
  const { user, system } = process.threadCpuUsage(start)
  parentPort?.postMessage({ millis: (user + system) / 1000, bytes: raw.length, read })
})
