/**
 * Cuts the power at random points of a recorded run: keeps what was synced and any part of the rest, opens the store on that, and holds
 * it to everything that had been acknowledged.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { SqliteMailStore } from "@mailkeep/sqlite"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { explainedCopies } from "../copies.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import type { Told } from "../told.ts"
import type { TakenCopy } from "../RecordingTransport.ts"
import { seeded } from "../seeded.ts"
import type { Fate } from "./FileImage.ts"
import { fates, FileImage } from "./FileImage.ts"
import type { SystemCall } from "./systemCalls.ts"
import { watched } from "./systemCalls.ts"

const writer = fileURLToPath(new URL("writer.ts", import.meta.url))

export interface PowerOptions {
  readonly cuts: number
  /** Sends in the recorded run, and how many at once. */
  readonly sends: number
  readonly atOnce: number
  readonly seed: number
}

/** In memory, where there is such a folder: a thousand images are written. */
const scratch = () => mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "mailkeep-power-"))

/** The world at one point of the run. */
class World {
  readonly images = new Map<string, FileImage>()
  readonly sent: Array<Extract<Told, { told: "sent" }>> = []
  readonly contacts: Array<string> = []
  readonly taken: Array<TakenCopy> = []

  apply(call: SystemCall): void {
    switch (call.did) {
      case "write":
        return this.image(call.file).write(call.offset, call.octets)
      case "sync":
        return this.images.get(call.file)?.sync()
      case "truncate":
        return this.image(call.file).truncate(call.length)
      case "unlink":
        return void this.images.delete(call.file)
      case "tell":
        return this.hear(call.text)
    }
  }

  image(file: string): FileImage {
    const standing = this.images.get(file) ?? new FileImage()
    this.images.set(file, standing)
    return standing
  }

  hear(text: string): void {
    const line = JSON.parse(text) as Told | TakenCopy
    if (!("told" in line)) this.taken.push(line)
    else if (line.told === "sent") this.sent.push(line)
    else if (line.told === "contact") this.contacts.push(line.id)
  }
}

/** Opens as a product would after the power is back, which recovers the log. */
const reopened = (filename: string): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.asVoid(SqliteMailStore.make({ filename }))))

const lostOf = (filename: string, { sent, contacts }: World): ReadonlyArray<string> => {
  const database = new Database(filename, { readonly: true })
  const ids = (table: string) => new Set(database.prepare(`SELECT id FROM ${table}`).pluck().all())
  const [messages, deliveries, people] = [ids("messages"), ids("deliveries"), ids("contacts")]
  database.close()
  return [
    ...sent.filter(({ messageId }) => !messages.has(messageId)).map(({ key }) => `the send ${key} is lost`),
    ...sent.flatMap(({ deliveryIds }) => deliveryIds.filter((id) => !deliveries.has(id)).map((id) => `${id} is lost`)),
    ...contacts.filter((id) => !people.has(id)).map((id) => `${id} is lost`)
  ]
}

const tornApart = async (
  world: World,
  folder: string,
  fate: Fate,
  random: () => number
): Promise<ReadonlyArray<string>> => {
  const store = basename(filesIn(folder).store)
  for (const [name, image] of world.images) writeFileSync(join(folder, name), image.after(fate, random))
  try {
    await reopened(join(folder, store))
    const filename = join(folder, store)
    return [
      ...lostOf(filename, world),
      ...brokenInvariants(filename),
      ...explainedCopies(filename, world.taken).unexplained
    ]
  } catch (cause) {
    return [`it does not open: ${String(cause)}`]
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(join(folder, store + suffix), { force: true })
  }
}

/** Cuts at points in their order, so that the world is built once. */
const cutAt = async (
  calls: ReadonlyArray<SystemCall>,
  points: ReadonlyArray<number>,
  random: () => number
): Promise<ReadonlyArray<string>> => {
  const folder = scratch()
  const world = new World()
  const failures: Array<string> = []
  let at = 0
  try {
    for (const [n, point] of points.entries()) {
      while (at < point) world.apply(calls[at++]!)
      const fate = fates[n % fates.length]!
      const [broken] = await tornApart(world, folder, fate, random)
      if (broken !== undefined) failures.push(`cut ${n} at call ${point}, ${fate} of the unsynced kept: ${broken}`)
    }
    return failures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const pointsIn = (calls: ReadonlyArray<SystemCall>, count: number, random: () => number) =>
  Array.from({ length: count }, () => Math.floor(random() * (calls.length + 1))).toSorted((a, b) => a - b)

/** Cuts of the same run with its syncs taken out: a judge that finds nothing there would find nothing anywhere. */
const controlCuts = 40

export const powerCuts = async ({ cuts, sends, atOnce, seed }: PowerOptions): Promise<FaultRun> => {
  const folder = scratch()
  const { told, taken } = filesIn(folder)
  try {
    const outside = [basename(told), basename(taken)]
    const calls = watched([writer, folder, String(sends), String(atOnce)], folder, outside)
    const random = seeded(seed)
    const failures = await cutAt(calls, pointsIn(calls, cuts, random), random)
    const careless = calls.filter(({ did }) => did !== "sync")
    const caught = await cutAt(careless, pointsIn(careless, controlCuts, random), random)
    const count = (kind: SystemCall["did"]) => calls.filter(({ did }) => did === kind).length
    return {
      counts: {
        "power cuts": cuts,
        "system calls recorded": calls.length,
        "disk syncs among them": count("sync"),
        "sends, hand-overs and contacts acknowledged in the run": count("tell"),
        [`of ${controlCuts} cuts of the same run without its syncs, found broken`]: caught.length,
        "cuts with anything lost or broken": failures.length,
        seed
      },
      failures: [
        ...failures,
        ...(count("tell") < sends ? ["the run was not recorded"] : []),
        ...(caught.length === 0 ? ["nothing is found broken without syncs: the judge is blind"] : [])
      ]
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
