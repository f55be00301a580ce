/**
 * Runs every attack on one server at the same time, while honest clients continue. Then checks the measurements against the bounds.
 * All connections are on the loopback interface.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { setInterval, clearInterval } from "node:timers"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { bundledProgram } from "@mailkeep/test-support/bundledProgram"
import { hasEnded } from "../childEnd.ts"
import type { FaultRun } from "../FaultRun.ts"
import { readLines } from "../Lines.ts"
import type { AnswerCounts } from "./Attack.ts"
import type { AttackerOptions } from "./attacker.ts"
import { contactAttacks, segmentListing } from "./attacks/contacts.ts"
import { attackTables } from "./attackReport.ts"
import type { Bounds, Observation } from "./attackVerdict.ts"
import { brokenBounds, megabytes, summarize } from "./attackVerdict.ts"
import type { AttackerProcess } from "./everyAttack.ts"
import { attackerProcesses, everyAttack, foreignReaderAttack } from "./everyAttack.ts"
import type { ForeignReaderOptions } from "./foreignReader.ts"
import { finalLog } from "./finalLog.ts"
import type { HonestClientOptions } from "./honestClient.ts"
import type { HonestRequest } from "./HonestRequest.ts"
import { honestKinds } from "./HonestRequest.ts"
import type { Prepared } from "./preparation.ts"
import { prepare } from "./preparation.ts"
import type { TargetServer } from "./targetServer.ts"
import { commandSource, startServer } from "./targetServer.ts"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

export interface AttackOptions {
  /** Duration of the attacks. */
  readonly seconds: number
  /** How slow the machine is: 2 means that the attackers send half as often. */
  readonly slowness: number
  /** Number of contacts of the attacked project. */
  readonly contacts: number
  /** Runs only the attacks whose name contains this text. */
  readonly only: string
  /** Runs the attacks one after the other instead of all at once. */
  readonly each: boolean
  /** Receives a line when each part of the run starts. */
  readonly progress: (line: string) => void
  /** The bounds that the run is checked against. */
  readonly bound: Bounds
}

const sampleMillis = 250

/** Time of honest load before the attacks, so that the memory of the server is that of a server in use. */
const warmUpMillis = { together: 20_000, alone: 10_000 }

/** Time that attackers may need to end after their duration. It is longer than they wait for an answer. */
const overtimeMillis = 60_000

const spawned = (program: string, options: unknown): ChildProcess =>
  owned(
    spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url)), JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
  )

/** Reads the line that an attacker prints at its end. Returns no counts when the attacker had to be killed. */
const countsOf = async (child: ChildProcess, millisMax: number): Promise<AnswerCounts> => {
  let text = ""
  child.stdout!.on("data", (chunk) => (text += String(chunk)))
  const over = new AbortController()
  void wait(millisMax, undefined, { signal: over.signal }).then(
    () => child.kill("SIGKILL"),
    () => {}
  )
  await once(child, "close")
  over.abort()
  return text === "" ? {} : (JSON.parse(text) as AnswerCounts)
}

/** Attackers use other machines. Here they share the processors, so the server goes first. */
const atLowPriority = (attacker: ChildProcess): ChildProcess => {
  setPriority(attacker.pid!, constants.priority.PRIORITY_BELOW_NORMAL)
  return attacker
}

const spawnAttackers = (
  server: TargetServer,
  { records }: Prepared,
  names: ReadonlyArray<string>,
  { seconds, slowness }: Pick<AttackOptions, "seconds" | "slowness">
): ReadonlyArray<ChildProcess> => {
  const groups = Object.keys(attackerProcesses) as ReadonlyArray<AttackerProcess>
  const attackers = groups
    .filter((group) => attackerProcesses[group].some(({ name }) => names.includes(name)))
    .map((group) =>
      spawned("attacker.ts", {
        process: group,
        address: server.address,
        prepared: records,
        seconds,
        slowness,
        names
      } satisfies AttackerOptions)
    )
  const readers = names.includes(foreignReaderAttack.name)
    ? [spawned("foreignReader.ts", { file: server.file, seconds } satisfies ForeignReaderOptions)]
    : []
  return [...attackers, ...readers].map(atLowPriority)
}

/** Samples the size of memory and write-ahead log until it is stopped. */
const startSampling = (server: TargetServer) => {
  const peaks = { rssBytes: 0, walBytes: 0 }
  const timer = setInterval(() => {
    peaks.rssBytes = Math.max(peaks.rssBytes, server.rssBytes() ?? 0)
    peaks.walBytes = Math.max(peaks.walBytes, server.walBytes())
  }, sampleMillis)
  return { peaks, stop: () => clearInterval(timer) }
}

/** Waits until the condition is true, the time is over or the server has ended. */
const until = async (server: TargetServer, millisMax: number, isTrue: () => boolean): Promise<void> => {
  const giveUpAt = Date.now() + millisMax
  while (!isTrue() && Date.now() < giveUpAt && server.ending() === undefined) await wait(sampleMillis)
}

/** Starts a server on the prepared folder, attacks it and returns the observation. */
const attackOnce = async (
  prepared: Prepared,
  names: ReadonlyArray<string>,
  { seconds, slowness, bound }: AttackOptions,
  warmUpMillis: number,
  file: string
) => {
  const begunAt = Date.now()
  const server = await startServer(prepared.command, prepared.folder)
  const children: Array<ChildProcess> = []
  const sampling = startSampling(server)
  try {
    const honest = spawned("honestClient.ts", {
      address: server.address,
      apiKeys: prepared.honestKeys,
      file
    } satisfies HonestClientOptions)
    children.push(honest)
    await until(server, warmUpMillis, () => false)
    // The highest sample: the memory of an idle heap varies by a fifth between two garbage collections.
    const rssBeforeBytes = sampling.peaks.rssBytes

    const startedAt = Date.now()
    const attackers = spawnAttackers(server, prepared, names, { seconds, slowness })
    children.push(...attackers)
    const counted = attackers.map((attacker) => countsOf(attacker, seconds * 1000 + overtimeMillis))
    await until(server, seconds * 1000, () => false)
    const endedAt = Date.now()
    for (const attacker of attackers) attacker.kill("SIGTERM")
    const answers: AnswerCounts = Object.assign({}, ...(await Promise.all(counted)))

    await until(
      server,
      bound.calmMillisMax,
      () => (server.rssBytes() ?? 0) <= rssBeforeBytes * bound.rssGrowthMax && server.walBytes() <= bound.walBytesMax
    )
    const rssAfterBytes = server.rssBytes() ?? 0
    const walAfterBytes = server.walBytes()
    const honestHasEnded = once(honest, "close")
    if (honest.kill("SIGTERM")) await honestHasEnded
    sampling.stop()
    const { log, ending } = await finalLog(server, prepared, begunAt)
    const seen: Observation = {
      attacks: names,
      answers,
      startedAt,
      endedAt,
      ending,
      rssBeforeBytes,
      rssPeakBytes: sampling.peaks.rssBytes,
      rssAfterBytes,
      walAfterBytes,
      honest: readLines<HonestRequest>(file),
      log
    }
    return { seen, walPeakBytes: sampling.peaks.walBytes }
  } finally {
    sampling.stop()
    for (const child of children) if (!hasEnded(child)) child.kill("SIGKILL")
    await server.stop()
  }
}

const countsIn = (seen: Observation): Readonly<Record<string, number>> => ({
  "attacks at the same time": seen.attacks.length,
  "answers, connections and skipped requests of the attackers": Object.values(seen.answers)
    .flatMap((counts) => Object.values(counts))
    .reduce((sum, count) => sum + count, 0),
  "deliveries accepted from honest clients": seen.honest.flatMap(({ deliveryIds }) => deliveryIds).length,
  ...Object.fromEntries(
    honestKinds.map((kind) => {
      const { p99Millis } = summarize(seen.honest, kind, seen.startedAt, seen.endedAt)
      return [`ms at the 99th percentile: ${kind}`, Math.round(p99Millis)]
    })
  ),
  "MB of memory, maximum": Math.round(seen.rssPeakBytes / 1e6),
  "MB of memory after the attacks": Math.round(seen.rssAfterBytes / 1e6)
})

/** The line for one attack that ran alone. */
const singleAttackLine = (seen: Observation, failures: ReadonlyArray<string>): string => {
  const p99 = honestKinds.map((kind) => {
    const { p99Millis } = summarize(seen.honest, kind, seen.startedAt, seen.endedAt)
    return Number.isFinite(p99Millis) ? p99Millis.toFixed(0) : "never"
  })
  const answers = Object.entries(seen.answers[seen.attacks[0]!] ?? {}).map(([answer, count]) => `${answer}: ${count}`)
  return [
    failures.length === 0 ? "passed" : "FAILED",
    seen.attacks[0],
    `p99 ${p99.join(" / ")} ms`,
    `memory ${[seen.rssBeforeBytes, seen.rssPeakBytes, seen.rssAfterBytes].map(megabytes).join(" / ")}`,
    seen.ending === null ? "running" : `ended or hangs: ${seen.ending.slice(0, 60).replaceAll("\n", " ")}`,
    answers.join(", ")
  ].join(" | ")
}

/** Runs the attacks all at once, or each alone, and checks each run against the bounds. */
export const attackRun = async (options: AttackOptions): Promise<FaultRun> => {
  const { seconds, slowness, contacts, only, each, bound, progress } = options
  const names = everyAttack.map(({ name }) => name).filter((name) => name.includes(only))
  if (names.length === 0) return { counts: {}, failures: [`no attack has a name that contains "${only}"`] }
  const parent = newFolder("mailkeep-attack-")
  const file = join(parent, "honest.jsonl")
  using program = await bundledProgram(commandSource)
  try {
    if (slowness > 1) progress(`this machine is slow: the attackers send 1/${slowness.toFixed(1)} as often`)
    progress("preparing contacts, templates and segments")
    const prepared = await prepare(parent, {
      command: program.file,
      contacts: contactAttacks.some(({ name }) => names.includes(name)) ? contacts : 1,
      maximalSegments: names.includes(segmentListing)
    })
    progress(`created ${prepared.segmentsCreated} segments of maximum size`)
    if (!each) {
      progress(`${names.length} attacks at the same time, ${seconds} s`)
      const { seen, walPeakBytes } = await attackOnce(prepared, names, options, warmUpMillis.together, file)
      return { counts: countsIn(seen), failures: brokenBounds(seen, bound), report: attackTables(seen, walPeakBytes) }
    }
    const failures: Array<string> = []
    for (const name of names) {
      const { seen } = await attackOnce(prepared, [name], options, warmUpMillis.alone, file)
      const broken = brokenBounds(seen, bound)
      progress(singleAttackLine(seen, broken))
      failures.push(...broken.map((failure) => `${name}: ${failure}`))
      rmSync(file)
    }
    return { counts: { "attacks, each alone": names.length }, failures }
  } finally {
    removeFolder(parent)
  }
}
