/**
 * Simulates power cuts at random points of a recorded run. Each cut keeps the synced writes and any part of the other writes.
 * Then it opens the store on these files and checks that everything acknowledged before the cut is kept.
 */
import { rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { SqliteMailStore } from "@mailkeep/sqlite"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { explainedCopies } from "../copies.ts"
import type { CommitThread } from "../embeddedMail.ts"
import { commitThreads, environmentWith, filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import type { WorkerReport } from "../workerReports.ts"
import type { ReceivedCopy } from "../RecordingTransport.ts"
import { seeded } from "../seeded.ts"
import type { UnsyncedOutcome } from "./FileImage.ts"
import { FileImage, unsyncedOutcomes } from "./FileImage.ts"
import type { SystemCall } from "./systemCalls.ts"
import { recordCalls } from "./systemCalls.ts"
import { newMemoryFolder, removeFolder } from "@mailkeep/test-support/runEnd"

const writer = fileURLToPath(new URL("writer.ts", import.meta.url))

export interface PowerOptions {
  readonly cuts: number
  /** Number of sends in the recorded run. */
  readonly sends: number
  /** Number of concurrent sends. */
  readonly atOnce: number
  readonly seed: number
}

/** A new folder, in memory where possible, because a thousand file images are written to it. */
const scratch = () => newMemoryFolder("mailkeep-power-")

/** The files and reports at one point of the recorded run. */
class RecordedState {
  readonly images = new Map<string, FileImage>()
  readonly sent: Array<Extract<WorkerReport, { kind: "sent" }>> = []
  readonly contacts: Array<string> = []
  readonly received: Array<ReceivedCopy> = []

  apply(call: SystemCall): void {
    switch (call.did) {
      case "write":
        return this.image(call.file).write(call.offset, call.bytes)
      case "sync":
        return this.images.get(call.file)?.sync()
      case "truncate":
        return this.image(call.file).truncate(call.length)
      case "unlink":
        return void this.images.delete(call.file)
      case "report":
        return this.addReport(call.text)
    }
  }

  image(file: string): FileImage {
    const existing = this.images.get(file) ?? new FileImage()
    this.images.set(file, existing)
    return existing
  }

  addReport(text: string): void {
    const line = JSON.parse(text) as WorkerReport | ReceivedCopy
    if (!("kind" in line)) this.received.push(line)
    else if (line.kind === "sent") this.sent.push(line)
    else if (line.kind === "contact") this.contacts.push(line.id)
  }
}

/** Opens the store as a product does after a restart. SQLite then recovers its log. */
const reopen = (filename: string): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.asVoid(SqliteMailStore.make({ filename, commitThread: "caller" }))))

const lostOf = (filename: string, { sent, contacts }: RecordedState): ReadonlyArray<string> => {
  const database = new Database(filename, { readonly: true })
  const ids = (table: string) => new Set(database.prepare(`SELECT id FROM mailkeep_${table}`).pluck().all())
  const [messages, deliveries, storedContacts] = [ids("messages"), ids("deliveries"), ids("contacts")]
  database.close()
  return [
    ...sent.filter(({ messageId }) => !messages.has(messageId)).map(({ key }) => `the send ${key} is lost`),
    ...sent.flatMap(({ deliveryIds }) => deliveryIds.filter((id) => !deliveries.has(id)).map((id) => `${id} is lost`)),
    ...contacts.filter((id) => !storedContacts.has(id)).map((id) => `${id} is lost`)
  ]
}

/** Writes the files as the power cut leaves them, opens the store and returns the problems. */
const problemsAfterCut = async (
  state: RecordedState,
  folder: string,
  outcome: UnsyncedOutcome,
  random: () => number
): Promise<ReadonlyArray<string>> => {
  const store = basename(filesIn(folder).store)
  for (const [name, image] of state.images) writeFileSync(join(folder, name), image.after(outcome, random))
  try {
    await reopen(join(folder, store))
    const filename = join(folder, store)
    return [
      ...lostOf(filename, state),
      ...brokenInvariants(filename),
      ...explainedCopies(filename, state.received).unexplained
    ]
  } catch (cause) {
    return [`the store cannot be opened: ${String(cause)}`]
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(join(folder, store + suffix), { force: true })
  }
}

/** Simulates cuts at the given points, in ascending order, so that the calls are applied only once. */
const cutAt = async (
  calls: ReadonlyArray<SystemCall>,
  points: ReadonlyArray<number>,
  random: () => number
): Promise<ReadonlyArray<string>> => {
  const folder = scratch()
  const state = new RecordedState()
  const failures: Array<string> = []
  let applied = 0
  try {
    for (const [n, point] of points.entries()) {
      while (applied < point) state.apply(calls[applied++]!)
      const outcome = unsyncedOutcomes[n % unsyncedOutcomes.length]!
      const [problem] = await problemsAfterCut(state, folder, outcome, random)
      if (problem !== undefined)
        failures.push(`cut ${n} at call ${point}, unsynced writes kept: ${outcome}: ${problem}`)
    }
    return failures
  } finally {
    removeFolder(folder)
  }
}

const pointsIn = (calls: ReadonlyArray<SystemCall>, count: number, random: () => number) =>
  Array.from({ length: count }, () => Math.floor(random() * (calls.length + 1))).toSorted((a, b) => a - b)

/** Number of cuts of the same run without its syncs. The checks must find problems there; otherwise they find nothing at all. */
const controlCuts = 40

/** Records one run of the product and cuts its power at many points. */
const cutsOf = async (commitThread: CommitThread, { cuts, sends, atOnce, seed }: PowerOptions) => {
  const folder = scratch()
  const { reports, received } = filesIn(folder)
  try {
    const outside = [basename(reports), basename(received)]
    const program = [writer, folder, String(sends), String(atOnce)]
    const calls = recordCalls(program, folder, outside, environmentWith(commitThread))
    const random = seeded(seed)
    const failures = await cutAt(calls, pointsIn(calls, cuts, random), random)
    const unsynced = calls.filter(({ did }) => did !== "sync")
    const found = await cutAt(unsynced, pointsIn(unsynced, controlCuts, random), random)
    const count = (kind: SystemCall["did"]) => calls.filter(({ did }) => did === kind).length
    return {
      calls: calls.length,
      syncs: count("sync"),
      reports: count("report"),
      found: found.length,
      failures: [
        ...failures,
        ...(count("report") < sends ? ["the recording has fewer reports than sends"] : []),
        ...(found.length === 0 ? ["the checks find no problem in a run without syncs"] : [])
      ].map((failure) => `commits on the ${commitThread} thread: ${failure}`)
    }
  } finally {
    removeFolder(folder)
  }
}

export const powerCuts = async (options: PowerOptions): Promise<FaultRun> => {
  const runs: Array<Awaited<ReturnType<typeof cutsOf>>> = []
  const cuts = Math.ceil(options.cuts / commitThreads.length)
  for (const commitThread of commitThreads) runs.push(await cutsOf(commitThread, { ...options, cuts }))
  const sum = (count: (run: (typeof runs)[number]) => number) => runs.reduce((total, run) => total + count(run), 0)
  const failures = runs.flatMap((run) => run.failures)
  return {
    counts: {
      "power cuts": cuts * runs.length,
      "system calls recorded": sum(({ calls }) => calls),
      "disk syncs among them": sum(({ syncs }) => syncs),
      "sends, hand-offs and contacts acknowledged in the runs": sum(({ reports }) => reports),
      [`problems found in ${controlCuts * runs.length} cuts of the same runs without their syncs`]: sum(
        ({ found }) => found
      ),
      "power cuts that lost or corrupted data": failures.length,
      seed: options.seed
    },
    failures
  }
}
