/**
 * Runs the attacked server as a separate process and observes it from outside: whether it runs, its memory, its files.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { hasEnded } from "../childEnd.ts"
import type { Address } from "./Attack.ts"
import { owned } from "@mailkeep/test-support/runEnd"

/** The source of the command `mailkeep`. A bundle of it uses about as much memory as the published command, its source more. */
export const commandSource = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url))

const errorOutputMax = 4000

/** The environment without the settings of the caller. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MAILKEEP_")))

const started = (
  program: string,
  args: ReadonlyArray<string>
): ChildProcess & { readonly errorOutput: () => string } => {
  const child = owned(
    spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env: environment })
  )
  let errorOutput = ""
  child.stderr.on("data", (chunk) => (errorOutput = (errorOutput + String(chunk)).slice(-errorOutputMax)))
  return Object.assign(child, { errorOutput: () => errorOutput })
}

/** Runs a subcommand of the command in the given file to its end and returns the JSON that it prints. */
export const mailkeep = async <A>(command: string, folder: string, args: ReadonlyArray<string>): Promise<A> => {
  const child = started(command, [...args, "--data", folder, "--json"])
  let text = ""
  child.stdout!.on("data", (chunk) => (text += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  if (code !== 0) throw new Error(`mailkeep ${args.slice(0, 2).join(" ")} ended with ${code}: ${child.errorOutput()}`)
  return JSON.parse(text) as A
}

export interface TargetServer {
  readonly address: Address
  readonly rssBytes: () => number | undefined
  readonly walBytes: () => number
  /** The file of the store. */
  readonly file: string
  /** The signal or exit code, and the error output, when the server has ended; `undefined` while it runs. */
  readonly ending: () => string | undefined
  readonly stop: () => Promise<void>
}

const stopMillisMax = 15_000

/** Starts the command in the given file as a server on the data folder. */
export const startServer = async (command: string, folder: string): Promise<TargetServer> => {
  const child = started(command, ["serve", "--data", folder, "--port", "0", "--json", "--allow-loopback-webhooks"])
  const closed = once(child, "close")
  const line = await Promise.race([
    once(child.stdout!, "data"),
    closed.then(() => Promise.reject(new Error(`The server did not start: ${child.errorOutput()}`)))
  ])
  const { hostname: host, port } = new URL((JSON.parse(String(line[0])) as { url: string }).url)
  const file = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".db"))!
  )
  return {
    address: { host, port: Number(port) },
    file,
    rssBytes: () => {
      try {
        const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]
        return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
      } catch {
        return undefined
      }
    },
    walBytes: () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    ending: () =>
      hasEnded(child) ? `${child.signalCode ?? child.exitCode}: ${child.errorOutput().slice(-500)}` : undefined,
    stop: async () => {
      if (hasEnded(child)) return
      child.kill("SIGTERM")
      const over = new AbortController()
      await Promise.race([closed, wait(stopMillisMax, undefined, { signal: over.signal }).catch(() => {})])
      over.abort()
      if (!hasEnded(child)) {
        child.kill("SIGKILL")
        await closed
      }
    }
  }
}
