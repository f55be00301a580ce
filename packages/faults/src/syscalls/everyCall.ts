/**
 * Kills a product at its N-th write or sync, or lets that one call fail, for N = 1, 2, … until a run gets by; and looks each time
 * whether it kept its word, and whether it can go on.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { TakenCopy } from "../RecordingTransport.ts"
import type { Told } from "../told.ts"
import { brokenWords } from "../told.ts"

const script = fileURLToPath(new URL("script.ts", import.meta.url))

/** What is done to the N-th call of a kind. */
const injections = [
  { call: "pwrite64", what: "signal=SIGKILL" },
  { call: "fsync", what: "signal=SIGKILL" },
  { call: "openat", what: "signal=SIGKILL" },
  { call: "pwrite64", what: "error=ENOSPC" },
  { call: "pwrite64", what: "error=EIO" },
  { call: "fsync", what: "error=EIO" },
  { call: "openat", what: "error=EMFILE" }
] as const
type Injection = (typeof injections)[number]

const scratch = () => mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "mailkeep-call-"))

interface Run {
  /** Whether there was an N-th call. */
  readonly injected: boolean
  readonly words: string
}

const injectedRun = async (folder: string, cache: string, { call, what }: Injection, n: number): Promise<Run> => {
  const { store } = filesIn(folder)
  const log = join(folder, "strace.log")
  const paths = ["", "-wal", "-journal"].flatMap((suffix) => ["-P", store + suffix])
  const flags = [
    "-f",
    "-qq",
    // With its fast filter, strace injects errors but no signals.
    ...(what.startsWith("signal") ? [] : ["--seccomp-bpf"]),
    "-o",
    log,
    ...paths,
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:${what}:when=${n}`
  ]
  const child = spawn("strace", [...flags, process.execPath, script, folder], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: cache }
  })
  let words = ""
  child.stderr.on("data", (chunk) => (words += String(chunk)))
  const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  // The watcher ends as the watched did.
  const injected = signal === "SIGKILL" || (existsSync(log) && readFileSync(log, "utf8").includes("(INJECTED)"))
  return { injected, words: words.replaceAll(/^strace: .*\n/gm, "") }
}

const afterwards = async (folder: string): Promise<ReadonlyArray<string>> => {
  const files = filesIn(folder)
  const told = readLines<Told>(files.told)
  const sends = told.flatMap((line) => (line.told === "trySend" ? [{ key: line.key, body: line.body }] : []))
  const before = existsSync(files.store) ? [] : ["there is no file"]
  const answers = new Map(told.flatMap((line) => (line.told === "sent" ? [[line.key, line] as const] : [])))
  // Each key is asked again: what was acknowledged must be answered the same.
  await drain(folder, Date.now() + 1000, sends, (key, { messageId, deliveryIds }) => {
    const sent = answers.get(key)
    return sent === undefined || (sent.messageId === messageId && String(sent.deliveryIds) === String(deliveryIds))
  })
  const taken = readLines<TakenCopy>(files.taken)
  return [
    ...(told.length > 0 ? before : []),
    ...brokenInvariants(files.store),
    ...brokenWords(folder, told, new Set(taken.map(({ deliveryId }) => deliveryId))),
    ...explainedCopies(files.store, taken).unexplained
  ]
}

const attempt = async (cache: string, injection: Injection, n: number) => {
  const folder = scratch()
  try {
    const { injected, words } = await injectedRun(folder, cache, injection, n)
    const broken = words === "" ? await afterwards(folder) : [words]
    return { injected, failures: broken.map((what) => `${injection.call} ${n}, ${injection.what}: ${what}`) }
  } catch (cause) {
    return { injected: true, failures: [`${injection.call} ${n}, ${injection.what}: ${String(cause)}`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** So many at once: a run mostly waits for its process to start. */
const atOnce = 2
const callsMax = 1000

const untilOneGetsBy = async (cache: string, injection: Injection) => {
  const failures: Array<string> = []
  for (let n = 1; n <= callsMax; n += atOnce) {
    const runs = await Promise.all(Array.from({ length: atOnce }, (_, i) => attempt(cache, injection, n + i)))
    failures.push(...runs.flatMap((run) => run.failures))
    const done = runs.findIndex(({ injected }) => !injected)
    if (done >= 0) return { count: n + done - 1, failures }
  }
  return { count: callsMax, failures: [...failures, `no run of ${callsMax} got by`] }
}

export const everyCall = async (): Promise<FaultRun> => {
  const cache = scratch()
  const counts: Record<string, number> = {}
  const failures: Array<string> = []
  try {
    for (const injection of injections) {
      const { count, failures: broken } = await untilOneGetsBy(cache, injection)
      counts[`runs with ${injection.what} at one ${injection.call}, each at another`] = count
      failures.push(...broken)
      if (count === 0) failures.push(`no ${injection.call} was ever reached`)
    }
    return { counts: { ...counts, "runs that lost anything or could not go on": failures.length }, failures }
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}
