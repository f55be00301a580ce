/**
 * Runs the command: to its end in this process, or as a child process, as a person or a script does.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { sharedPostgres } from "@mailkeep/test-support/postgres"
import { settableClock } from "@mailkeep/test-support/settableClock"
import { ConfigProvider, Console, Effect } from "effect"
import { vi } from "vitest"
// oxlint-disable-next-line import/default -- `bundledCommand.ts` of the tools makes this module.
import main from "../src/main.ts?bundled"
import { exitCodeOf, runCommand } from "../src/runCommand.ts"

/** The path of the bundled command. */
export { main }

const start = (args: ReadonlyArray<string>, env: Record<string, string> = {}): ChildProcess =>
  spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })

const collected = (child: ChildProcess) => {
  const text = { stdout: "", stderr: "" }
  child.stdout!.on("data", (chunk) => (text.stdout += String(chunk)))
  child.stderr!.on("data", (chunk) => (text.stderr += String(chunk)))
  return text
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Collects what a command writes to the console and to the two streams, until `restore`. */
const captured = () => {
  const text = { stdout: "", stderr: "" }
  const into = (stream: "stdout" | "stderr") =>
    vi.spyOn(process[stream], "write").mockImplementation((chunk, ...rest) => {
      text[stream] += String(chunk)
      const written = rest.find((one) => typeof one === "function")
      if (written !== undefined) queueMicrotask(written)
      return true
    })
  const spies = [into("stdout"), into("stderr")]
  const line = (stream: "stdout" | "stderr") => (value: unknown) => void (text[stream] += `${String(value)}\n`)
  const console: Console.Console = { ...globalThis.console, log: line("stdout"), error: line("stderr") }
  return { text, console, restore: () => spies.forEach((spy) => spy.mockRestore()) }
}

/** Runs an effect on a machine whose wall clock is ahead of the true time. */
const withClockAhead = <A, E, R>(aheadMillis: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const { byClock, shiftTo } = yield* settableClock
    yield* shiftTo(aheadMillis)
    return yield* byClock(effect)
  })

/**
 * Runs a command to its end in this process, which saves the start of another one.
 * The wall clock of this machine seems `clockAheadMillis` ahead of the true time.
 */
export const run = async (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  clockAheadMillis = 0
): Promise<Ran> => {
  const { text, console, restore } = captured()
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  try {
    const exit = await Effect.runPromiseExit(
      withClockAhead(clockAheadMillis, runCommand(args)).pipe(
        Effect.provideService(Console.Console, console),
        Effect.provideService(
          ConfigProvider.ConfigProvider,
          ConfigProvider.fromEnv({ env: { ...process.env } as Record<string, string> })
        )
      )
    )
    return { code: exitCodeOf(exit), ...text }
  } finally {
    process.exitCode = undefined
    vi.unstubAllEnvs()
    restore()
  }
}

/** Runs a command to its end as a child process. */
export const runProcess = async (args: ReadonlyArray<string>, env?: Record<string, string>): Promise<Ran> => {
  const child = start(args, env)
  const text = collected(child)
  const [code] = (await once(child, "close")) as [number | null]
  return { code, ...text }
}

/** Runs a command with `--json` and reads its one line. */
export const runJson = async (args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await run([...args, "--json"])
  const lines = stdout.split("\n").filter((line) => line !== "")
  if (code !== 0 || lines.length !== 1) throw new Error(`exit ${code}, ${lines.length} lines: ${stderr}${stdout}`)
  return JSON.parse(lines[0]!)
}

/** Runs a command as a child process whose standard output nobody reads, as after `| head` ended. */
export const runIntoClosedPipe = async (args: ReadonlyArray<string>): Promise<Ran> => {
  const child = start(args)
  const text = collected(child)
  child.stdout!.destroy()
  const [code] = (await once(child, "close")) as [number | null]
  return { code, ...text }
}

/** Runs a command as a child process whose standard output is a file on a full disk. */
export const runIntoFullDisk = async (args: ReadonlyArray<string>): Promise<Omit<Ran, "stdout">> => {
  const full = openSync("/dev/full", "w")
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", full, "pipe"] })
  closeSync(full)
  let stderr = ""
  child.stderr!.on("data", (chunk) => (stderr += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, stderr }
}

export interface Serving {
  /** The line of JSON that the server printed once it listened. */
  readonly line: {
    readonly url: string
    readonly key?: string
    readonly bounces?: string
    readonly smtp?: string
    readonly operations?: string
  }
  readonly output: { readonly stdout: string; readonly stderr: string }
  /** Stops to read the log, as a collector of logs does that ends. */
  readonly closeLog: () => void
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts a server and waits until it listens. */
export const serve = async (args: ReadonlyArray<string>, env?: Record<string, string>): Promise<Serving> => {
  const child = start([...args, "--json"], env)
  const output = collected(child)
  const ended = once(child, "close") as Promise<[number | null]>
  await Promise.race([
    ended.then(([code]) => Promise.reject(new Error(`exit ${code}: ${output.stderr}`))),
    new Promise<void>((resolve) => child.stdout!.on("data", () => output.stdout.includes("\n") && resolve()))
  ])
  return {
    line: JSON.parse(output.stdout),
    output,
    closeLog: () => void child.stderr!.destroy(),
    kill: async (signal) => {
      child.kill(signal)
      return (await ended)[0]
    }
  }
}

export const request = async (url: string, key: string, path: string, init: RequestInit = {}) => {
  const response = await fetch(`${url}/api/v1${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(init.headers as Record<string, string>)
    }
  })
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, body: (await response.json()) as any }
}

/** A verified domain `example.com`, and an API key with both permissions. `storeFlags` name the store. */
export const readyToSend = async (
  storeFlags: ReadonlyArray<string>
): Promise<{ readonly id: string; readonly key: string }> => {
  const inProject = [...storeFlags, "--project", "prj_x"]
  await runJson(["domains", "add", "example.com", ...inProject, "--verified"])
  return runJson(["keys", "create", ...inProject, "--permission", "email.send", "--permission", "email.full_access"])
}

/** The request of a send to one recipient. `body` has the fields that differ. */
export const send = (idempotencyKey: string, body = {}) => ({
  method: "POST",
  headers: { "idempotency-key": idempotencyKey },
  body: JSON.stringify({ from: "hello@example.com", to: "ada@example.org", subject: "Hi", text: "Hi", ...body })
})

/** Returns the URL of a new database on the server of this test process. */
export const emptyDatabase = async (): Promise<string> => {
  const server = await sharedPostgres()
  return server.urlOf(await server.createDatabase())
}
