/**
 * The processes of jobs. A process whose job has ended waits for another job, because a short job takes less time than the start of its process.
 */
import { spawn } from "node:child_process"
import type { Socket } from "node:net"
import { extname } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { endOfJob } from "./childProtocol.ts"

/** Receives what happens during one job. */
export interface JobEvents {
  readonly onLine: (line: string) => void
  /** The job has ended. Otherwise the process has. */
  readonly onEnd: (isDone: boolean) => void
}

/** A process that does one job after the other. */
export interface JobProcess {
  /** The id of the process; `undefined` if it could not be started. */
  readonly id: number | undefined
  /** What the process has written to its standard error. */
  readonly errorOutput: () => string
  readonly write: (line: string) => void
  readonly kill: () => Promise<void>
  readonly isAlive: () => boolean
  /** Sends the events of the next job to another receiver. While there is none, the process does not keep its parent running. */
  readonly setEvents: (events: JobEvents | undefined) => void
}

const program = fileURLToPath(new URL(`./childWorker${extname(import.meta.url)}`, import.meta.url))

/** The process ends when its parent does, because its standard input ends. */
const startProcess = (module: string): JobProcess => {
  const child = spawn(process.execPath, [program, module], { stdio: ["pipe", "ignore", "pipe", "pipe"] })
  const pipes = [child.stdin, child.stderr, child.stdio[3]] as unknown as ReadonlyArray<Socket>
  let events: JobEvents | undefined
  let errorOutput = ""
  const isAlive = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined
  createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
    if (line === endOfJob) events?.onEnd(true)
    else events?.onLine(line)
  })
  child.on("error", (cause) => (errorOutput += String(cause)))
  child.stderr!.on("data", (chunk) => (errorOutput += String(chunk)))
  child.stdin!.on("error", () => {})
  child.on("close", () => events?.onEnd(false))
  return {
    id: child.pid,
    errorOutput: () => errorOutput,
    isAlive,
    write: (line) => void child.stdin!.write(`${line}\n`),
    kill: () =>
      new Promise((resolve) => {
        if (!isAlive()) return resolve()
        child.once("close", () => resolve())
        child.kill("SIGKILL")
      }),
    setEvents: (next) => {
      events = next
      for (const one of [child, ...pipes]) one[next === undefined ? "unref" : "ref"]()
    }
  }
}

const idle = new Map<string, Array<JobProcess>>()

/** Takes an idle process of the module, or starts one. */
export const takeProcess = (module: string, events: JobEvents): JobProcess => {
  const waiting = idle.get(module) ?? []
  let taken = waiting.pop()
  while (taken !== undefined && !taken.isAlive()) taken = waiting.pop()
  const process = taken ?? startProcess(module)
  process.setEvents(events)
  return process
}

/** Keeps a process whose job has ended for the next job of its module. */
export const giveBack = (module: string, process: JobProcess): void => {
  process.setEvents(undefined)
  const waiting = idle.get(module) ?? []
  idle.set(module, waiting)
  waiting.push(process)
}
