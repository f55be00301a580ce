/** Reads one hostile message in a thread of its own, so that the heap of the thread can be limited. */
import { parentPort, workerData } from "node:worker_threads"
import { readReports } from "../../src/reports/readReports.ts"
import { hostileMails } from "./hostileMail.ts"

const make = hostileMails[String(workerData)]
if (make === undefined) throw new Error(`No hostile message has the name ${String(workerData)}.`)
const raw = new TextEncoder().encode(make())
const start = process.threadCpuUsage()
const read = readReports(raw)
const { user, system } = process.threadCpuUsage(start)
parentPort?.postMessage({ millis: (user + system) / 1000, bytes: raw.length, read })
