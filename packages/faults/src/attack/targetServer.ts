/**
 * The server under attack as a process of its own, and what can be seen of it from outside: whether it lives, its memory, its files.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Address } from "./Attack.ts"

const command = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url))
const wordsMax = 4000

/** Nothing of the caller's own settings. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MAILKEEP_")))

const started = (program: string, args: ReadonlyArray<string>): ChildProcess & { readonly words: () => string } => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env: environment })
  let words = ""
  child.stderr.on("data", (chunk) => (words = (words + String(chunk)).slice(-wordsMax)))
  return Object.assign(child, { words: () => words })
}

/** Runs a subcommand of the `mailkeep` command to its end and reads the one line of JSON that it prints. */
export const mailkeep = async <A>(folder: string, args: ReadonlyArray<string>): Promise<A> => {
  const child = started(command, [...args, "--data", folder, "--json"])
  let text = ""
  child.stdout!.on("data", (chunk) => (text += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  if (code !== 0) throw new Error(`mailkeep ${args.slice(0, 2).join(" ")} ended with ${code}: ${child.words()}`)
  return JSON.parse(text) as A
}

export interface TargetServer {
  readonly address: Address
  readonly rssOctets: () => number | undefined
  readonly walOctets: () => number
  /** The store's file. */
  readonly file: string
  /** How it ended by itself; `undefined` while it lives. */
  readonly ending: () => string | undefined
  readonly stop: () => Promise<void>
}

const stopMillisMax = 15_000

export const startServer = async (folder: string): Promise<TargetServer> => {
  const child = started(command, ["serve", "--data", folder, "--port", "0", "--json", "--allow-loopback-webhooks"])
  const closed = once(child, "close")
  const line = await Promise.race([
    once(child.stdout!, "data"),
    closed.then(() => Promise.reject(new Error(`The server does not start: ${child.words()}`)))
  ])
  const { hostname: host, port } = new URL((JSON.parse(String(line[0])) as { url: string }).url)
  const file = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".db"))!
  )
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    address: { host, port: Number(port) },
    file,
    rssOctets: () => {
      try {
        const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]
        return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
      } catch {
        return undefined
      }
    },
    walOctets: () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    ending: () => (hasEnded() ? `${child.signalCode ?? child.exitCode}: ${child.words().slice(-500)}` : undefined),
    stop: async () => {
      if (hasEnded()) return
      child.kill("SIGTERM")
      const over = new AbortController()
      await Promise.race([closed, wait(stopMillisMax, undefined, { signal: over.signal }).catch(() => {})])
      over.abort()
      if (!hasEnded()) {
        child.kill("SIGKILL")
        await closed
      }
    }
  }
}
