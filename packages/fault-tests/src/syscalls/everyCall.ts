/**
 * Kills a product at its N-th write, sync or open, or makes that call fail, until a run ends before its N-th call. Takes every N, or every
 * `stride`-th N from a start that the seed chooses. After each run, checks that acknowledged results are kept and that a new core can recover.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundledProgram } from "@mailkeep/test-support/bundledProgram"
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import type { CommitThread } from "../embeddedMail.ts"
import { commitThreads, environmentWith, filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { ReceivedCopy } from "../RecordingTransport.ts"
import type { WorkerReport } from "../workerReports.ts"
import { contradictedReports } from "../workerReports.ts"
import { newMemoryFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

const script = fileURLToPath(new URL("script.ts", import.meta.url))

/** The injected faults: a system call, and the fault in its N-th call. */
const injections = [
  { call: "pwrite64", fault: "signal=SIGKILL" },
  { call: "fsync", fault: "signal=SIGKILL" },
  { call: "openat", fault: "signal=SIGKILL" },
  { call: "pwrite64", fault: "error=ENOSPC" },
  { call: "pwrite64", fault: "error=EIO" },
  { call: "fsync", fault: "error=EIO" },
  { call: "openat", fault: "error=EMFILE" }
] as const
type Injection = (typeof injections)[number]

/** A new folder, in memory where possible. */
const scratch = () => newMemoryFolder("mailkeep-call-")

/** What all runs use: the bundled program, and the cache of its compiled code. */
interface Prepared {
  readonly program: string
  readonly cache: string
}

interface Run {
  /** Whether an N-th call happened. */
  readonly injected: boolean
  readonly errorOutput: string
}

/** One run of the product. */
interface InjectedCall {
  readonly injection: Injection
  /** The number of the call that is injected. */
  readonly n: number
  readonly commitThread: CommitThread
}

const injectedRun = async (folder: string, { program, cache }: Prepared, injected: InjectedCall): Promise<Run> => {
  const { injection, n, commitThread } = injected
  const { call, fault } = injection
  const { store } = filesIn(folder)
  const log = join(folder, "strace.log")
  const paths = ["", "-wal", "-journal"].flatMap((suffix) => ["-P", store + suffix])
  const flags = [
    "-f",
    "-qq",
    // With its fast filter, strace injects errors but no signals.
    ...(fault.startsWith("signal") ? [] : ["--seccomp-bpf"]),
    "-o",
    log,
    ...paths,
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:${fault}:when=${n}`
  ]
  const child = owned(
    spawn("strace", [...flags, process.execPath, program, folder], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...environmentWith(commitThread), NODE_COMPILE_CACHE: cache }
    })
  )
  let errorOutput = ""
  child.stderr.on("data", (chunk) => (errorOutput += String(chunk)))
  const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  // strace ends with the same signal as the traced program.
  const reached = signal === "SIGKILL" || (existsSync(log) && readFileSync(log, "utf8").includes("(INJECTED)"))
  return { injected: reached, errorOutput: errorOutput.replaceAll(/^strace: .*\n/gm, "") }
}

const problemsAfter = async (folder: string): Promise<ReadonlyArray<string>> => {
  const files = filesIn(folder)
  const reports = readLines<WorkerReport>(files.reports)
  const sends = reports.flatMap((line) => (line.kind === "trySend" ? [{ key: line.key, body: line.body }] : []))
  const missingFile = existsSync(files.store) ? [] : ["the store file does not exist"]
  const answers = new Map(reports.flatMap((line) => (line.kind === "sent" ? [[line.key, line] as const] : [])))
  // Repeats each send. An acknowledged send must get the same answer.
  await drain(folder, Date.now() + 1000, sends, (key, { messageId, deliveryIds }) => {
    const sent = answers.get(key)
    return sent === undefined || (sent.messageId === messageId && String(sent.deliveryIds) === String(deliveryIds))
  })
  const received = readLines<ReceivedCopy>(files.received)
  return [
    ...(reports.length > 0 ? missingFile : []),
    ...brokenInvariants(files.store),
    ...contradictedReports(folder, reports, new Set(received.map(({ deliveryId }) => deliveryId))),
    ...explainedCopies(files.store, received).unexplained
  ]
}

const attempt = async (prepared: Prepared, one: InjectedCall) => {
  const folder = scratch()
  const what = `${one.injection.call} ${one.n}, ${one.injection.fault}, commits on the ${one.commitThread} thread`
  try {
    const { injected, errorOutput } = await injectedRun(folder, prepared, one)
    const problems = errorOutput === "" ? await problemsAfter(folder) : [errorOutput]
    return { injected, failures: problems.map((problem) => `${what}: ${problem}`) }
  } catch (cause) {
    return { injected: true, failures: [`${what}: ${String(cause)}`] }
  } finally {
    removeFolder(folder)
  }
}

/** Number of parallel runs. A run mostly waits for its process to start. */
const concurrency = 2
const callsMax = 1000

interface Calls {
  /** 1: every call. */
  readonly stride: number
  /** Chooses the first call, from 1 to `stride`. */
  readonly seed: number
}

const injectUntilNotReached = async (
  prepared: Prepared,
  what: Omit<InjectedCall, "n">,
  { stride, seed }: Calls
): Promise<{ readonly count: number; readonly failures: ReadonlyArray<string> }> => {
  const failures: Array<string> = []
  // A program that makes few of these calls may end before the first; then its first call is taken.
  const first = 1 + (seed % stride)
  let count = 0
  for (let n = first; n <= callsMax; n += concurrency * stride) {
    const runs = await Promise.all(
      Array.from({ length: concurrency }, (_, i) => attempt(prepared, { ...what, n: n + i * stride }))
    )
    failures.push(...runs.flatMap((run) => run.failures))
    const done = runs.findIndex(({ injected }) => !injected)
    if (done === 0 && count === 0 && first > 1) return injectUntilNotReached(prepared, what, { stride, seed: 0 })
    if (done >= 0) return { count: count + done, failures }
    count += concurrency
  }
  return { count, failures: [...failures, `the program still made a call after ${callsMax} calls`] }
}

export const everyCall = async (calls: Calls): Promise<FaultRun> => {
  using bundled = await bundledProgram(script)
  const cache = scratch()
  const prepared: Prepared = { program: bundled.file, cache }
  const counts: Record<string, number> = {}
  const failures: Array<string> = []
  try {
    for (const injection of injections)
      for (const commitThread of commitThreads) {
        const { count, failures: broken } = await injectUntilNotReached(prepared, { injection, commitThread }, calls)
        const name = `runs, each with ${injection.fault} at another ${injection.call}`
        counts[name] = (counts[name] ?? 0) + count
        failures.push(...broken)
        if (count === 0) failures.push(`the program made no call of ${injection.call}`)
      }
    return { counts: { ...counts, "runs that lost data or could not recover": failures.length }, failures }
  } finally {
    removeFolder(cache)
  }
}
