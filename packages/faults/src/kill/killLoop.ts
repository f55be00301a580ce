/**
 * Kills a product without warning at random instants, again and again on one file, and looks each time whether it kept its word.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { SendBody } from "@mailkeep/core"
import Database from "better-sqlite3"
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { TakenCopy } from "../RecordingTransport.ts"
import type { Told } from "./told.ts"
import type { WorkerOptions } from "./worker.ts"

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))

export interface KillOptions {
  readonly cycles: number
  /** Processes at once on the file. */
  readonly processes: number
}

/** Lets workers run for a moment under load, then kills them all. */
const oneCrash = async (folder: string, cycle: number, startAt: number, processes: number): Promise<string> => {
  const { told } = filesIn(folder)
  const size = () => (existsSync(told) ? statSync(told).size : 0)
  const before = size()
  let words = ""
  const children = Array.from({ length: processes }, (_, n) => {
    const options: WorkerOptions = { folder, startAt, name: `c${cycle}w${n}`, callers: 6 }
    const child = spawn(process.execPath, [worker, JSON.stringify(options)], { stdio: ["ignore", "ignore", "pipe"] })
    child.stderr.on("data", (chunk) => (words += String(chunk)))
    return child
  })
  // From the first word on, or there would be nothing to lose.
  while (size() === before && words === "") await wait(10)
  await wait(30 + Math.random() * 400)
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null) return
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
    })
  )
  return words
}

/** Everything a caller was told is so. */
const brokenWords = (folder: string, told: ReadonlyArray<Told>, taken: ReadonlySet<string>): ReadonlyArray<string> => {
  const database = new Database(filesIn(folder).store)
  const statusOf = database.prepare("SELECT status FROM deliveries WHERE id = ? AND message_id = ?").pluck()
  const ofMessage = database.prepare("SELECT id, status FROM deliveries WHERE message_id = ?")
  const contactOf = database.prepare("SELECT first_name, email_status FROM contacts WHERE id = ?")
  const trying = new Set(
    told.flatMap((line, n) => (line.told === "tryContact" && !answered(told, n) ? [line.email] : []))
  )
  const lastOf = new Map(told.flatMap((line) => (line.told === "contact" ? [[line.id, line] as const] : [])))
  const broken = told.flatMap((line): ReadonlyArray<string> => {
    switch (line.told) {
      case "sent":
        return line.deliveryIds
          .filter((id) => statusOf.get(id, line.messageId) === undefined)
          .map((id) => `${line.key}: delivery ${id} is lost`)
      case "canceled": {
        const rows = ofMessage.all(line.messageId) as ReadonlyArray<{ id: string; status: string }>
        return rows.flatMap(({ id, status }) =>
          status !== "canceled" || taken.has(id) ? [`${id} was canceled, and is ${status}`] : []
        )
      }
      case "contact": {
        if (lastOf.get(line.id) !== line || trying.has(line.email)) return []
        const row = contactOf.get(line.id) as { first_name: string; email_status: string } | undefined
        return row?.first_name === line.firstName && row.email_status === line.emailStatus
          ? []
          : [`contact ${line.email} is not what was answered`]
      }
      case "wrong":
        return [line.what]
      default:
        return []
    }
  })
  database.close()
  return broken
}

/** Whether a later line answers the try. */
const answered = (told: ReadonlyArray<Told>, at: number): boolean => {
  const tried = told[at]!
  return told
    .slice(at + 1)
    .some((line) =>
      tried.told === "trySend"
        ? line.told === "sent" && line.key === tried.key
        : tried.told === "tryContact" && line.told === "contact" && line.email === tried.email
    )
}

const unanswered = (told: ReadonlyArray<Told>): ReadonlyArray<{ readonly key: string; readonly body: SendBody }> => {
  const sent = new Set(told.flatMap((line) => (line.told === "sent" ? [line.key] : [])))
  return told.flatMap((line) =>
    line.told === "trySend" && !sent.has(line.key) ? [{ key: line.key, body: line.body }] : []
  )
}

export const killLoop = async ({ cycles, processes }: KillOptions): Promise<FaultRun> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-kill-"))
  const files = filesIn(folder)
  const failures: Array<string> = []
  let clock = Date.now()
  let checked = 0
  try {
    for (let cycle = 0; cycle < cycles && failures.length === 0; cycle++) {
      const words = await oneCrash(folder, cycle, clock, processes)
      if (words !== "") failures.push(`cycle ${cycle}: ${words}`)
      failures.push(...brokenInvariants(files.store).map((broken) => `cycle ${cycle}, found: ${broken}`))
      const told = readLines<Told>(files.told)
      const fresh = told.slice(checked)
      checked = told.length
      clock = 1000 + (await drain(folder, clock + 1000, unanswered(fresh)))
      const taken = readLines<TakenCopy>(files.taken)
      failures.push(
        ...brokenInvariants(files.store).map((broken) => `cycle ${cycle}, left: ${broken}`),
        ...brokenWords(folder, fresh, new Set(taken.map(({ deliveryId }) => deliveryId))),
        ...explainedCopies(files.store, taken).unexplained
      )
    }
    const told = readLines<Told>(files.told)
    const { doubles, uncertain } = explainedCopies(files.store, readLines<TakenCopy>(files.taken))
    const count = (what: Told["told"]) => told.filter((line) => line.told === what).length
    return {
      counts: {
        kills: cycles * processes,
        "sends acknowledged": count("sent"),
        "cancels acknowledged": count("canceled"),
        "contact writes acknowledged": count("contact"),
        "sends unanswered, and told the truth on a retry": count("trySend") - count("sent"),
        "outcomes marked uncertain": uncertain,
        "doubles, each after a marked attempt": doubles,
        "lost, stuck or doubled without a mark": failures.length
      },
      failures
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
