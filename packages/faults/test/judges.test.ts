/**
 * The judges of crashes can find something: every invariant of a file is found broken when it is, every unexplained copy is told, and a
 * cut file is what a disk could hold.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Contacts, Dispatcher, Domains, formatInstant, hourMillis, parseCreateContact } from "@mailkeep/core"
import Database from "better-sqlite3"
import { Clock, Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { explainedCopies } from "../src/copies.ts"
import { embeddedMail, filesIn, project, send, sendBody } from "../src/embeddedMail.ts"
import { brokenInvariants, questions } from "../src/fileInvariants.ts"
import { readLines } from "../src/Lines.ts"
import { FileImage } from "../src/power/FileImage.ts"
import type { TakenCopy } from "../src/RecordingTransport.ts"
import { fairWeather } from "../src/RecordingTransport.ts"
import { seeded } from "../src/seeded.ts"

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-judges-"))
  await Effect.gen(function* () {
    yield* (yield* Domains).add(project, { domain: "example.com", verified: true })
    yield* (yield* Contacts).create(project, Result.getOrThrow(parseCreateContact({ email: "ada@example.org" })))
    yield* send("now", sendBody({ to: ["ada@example.org", "bob@example.org"] }))
    const now = yield* Clock.currentTimeMillis
    yield* send("later", sendBody({ scheduledAt: formatInstant(now + hourMillis) }))
    yield* (yield* Dispatcher).tick
  }).pipe(Effect.provide(embeddedMail(folder, fairWeather)), Effect.scoped, Effect.runPromise)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A copy of the file, damaged. */
const damaged = (sql: string): string => {
  const file = join(folder, "damaged.db")
  rmSync(file, { force: true })
  copyFileSync(filesIn(folder).store, file)
  const database = new Database(file)
  database.pragma("ignore_check_constraints = ON")
  database.exec(sql)
  database.close()
  return file
}

const damage: Readonly<Record<string, string>> = {
  "a delivery has its message": "DELETE FROM messages WHERE idempotency_key = 'now'",
  "a message has its deliveries": "DELETE FROM deliveries",
  "a message has its idempotency record": "DELETE FROM idempotency WHERE key = 'now'",
  "an idempotency record tells all deliveries, in order": "DELETE FROM deliveries WHERE recipient = 'bob@example.org'",
  "an attempt has its delivery": "DELETE FROM deliveries WHERE recipient = 'bob@example.org'",
  "a delivery counts its attempts": "UPDATE deliveries SET attempts = 2 WHERE status = 'delivered'",
  "an attempt is open only while its delivery is sending, and only the last": "UPDATE attempts SET phase = 'dot'",
  "a delivery that is sending has an open attempt":
    "UPDATE deliveries SET status = 'sending', due_at = 1 WHERE status = 'delivered'",
  "each move that emits has its one event, numbered":
    "DELETE FROM events WHERE id = (SELECT min(id) FROM events WHERE kind LIKE 'email.%')",
  "a final status that emits has its event": "UPDATE deliveries SET status = 'failed' WHERE status = 'delivered'",
  "what was handed over, or will be, is charged and counted":
    "UPDATE deliveries SET charged_at = NULL WHERE status = 'delivered'",
  "what never reached a relay, and has ended or waits for its time, is not charged":
    "UPDATE deliveries SET charged_at = 1 WHERE status = 'scheduled'",
  "the waiting counter is what waits": "UPDATE counters SET value = 5 WHERE name = 'waiting'",
  "the allowance counter is what is charged": "UPDATE counters SET value = 5 WHERE name = 'allowance'",
  "each day's counter is what counts on it": "UPDATE counters SET value = 9 WHERE name LIKE 'daily:%'",
  "what counts on a day has its counter": "DELETE FROM counters WHERE name LIKE 'daily:%'",
  "the contact counter is the contacts": "UPDATE counters SET value = 5 WHERE name = 'contacts'",
  "a contact is unsubscribed exactly while its address is": "UPDATE contacts SET email_status = 'unsubscribed'"
}

describe("the invariants of a file", () => {
  it("hold for a file that nothing happened to, and have a damage each", () => {
    expect(brokenInvariants(filesIn(folder).store)).toEqual([])
    expect(Object.keys(damage)).toEqual(Object.keys(questions))
  })

  it.each(Object.entries(damage))("find it when this is broken: %s", (says, sql) => {
    expect(brokenInvariants(damaged(sql.replaceAll("rowid", "id"))).map((broken) => broken.split(":")[0])).toContain(
      says
    )
  })
})

describe("the copies that a relay has", () => {
  const taken = () => readLines<TakenCopy>(filesIn(folder).taken)

  it("are explained when each attempt says that its dot may have gone", () => {
    expect(explainedCopies(filesIn(folder).store, taken())).toEqual({ doubles: 0, uncertain: 0, unexplained: [] })
  })

  it.each<[string, string, (copies: ReadonlyArray<TakenCopy>) => ReadonlyArray<TakenCopy>]>([
    ["of an attempt that ended before its dot", "UPDATE attempts SET outcome = 'lost'", (copies) => copies],
    ["of an attempt that there is not", "", ([one]) => [{ ...one!, attempt: 9 }]],
    ["where an attempt says that it went well and the relay has nothing", "", () => []],
    ["twice, the first not marked uncertain", "", ([one]) => [one!, one!]],
    [
      "under two Message-IDs",
      "UPDATE attempts SET outcome = 'ambiguous'",
      ([one]) => [one!, { ...one!, messageId: "<b>" }]
    ]
  ])("are not explained %s", (_, sql, copies) => {
    expect(explainedCopies(damaged(sql), copies(taken())).unexplained.length).toBeGreaterThan(0)
  })
})

describe("a file after a power cut", () => {
  const image = () => {
    const file = new FileImage()
    file.write(0, Buffer.from("synced"))
    file.sync()
    file.write(6, Buffer.from(" one"))
    file.write(2000, Buffer.alloc(1500, "x"))
    file.truncate(3000)
    return file
  }

  it("always holds what was synced", () => {
    for (const fate of ["none", "all", "some", "torn", "reordered"] as const)
      for (let seed = 0; seed < 50; seed++)
        expect(image().after(fate, seeded(seed)).subarray(0, 6).toString()).toBe("synced")
  })

  it("holds none, all or any part of the rest, as its fate is", () => {
    expect(image().after("none", seeded(1)).toString()).toBe("synced")
    expect(image().after("all", seeded(1))).toHaveLength(3000)
    const lengths = (fate: "some" | "torn" | "reordered") =>
      new Set(Array.from({ length: 50 }, (_, seed) => image().after(fate, seeded(seed)).length))
    expect(lengths("some")).toEqual(new Set([6, 10, 3000, 3500]))
    expect(lengths("torn").size).toBeGreaterThan(3)
    expect(lengths("reordered").size).toBeGreaterThan(2)
  })
})
