/**
 * Tests the checks that run after a crash: they report every broken invariant of a file and every unexplained copy. A simulated power cut
 * leaves only content that a disk can have.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Contacts, Dispatcher, Domains, formatInstant } from "@mailkeep/core"
import { hourMillis } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { Clock, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { explainedCopies } from "../src/copies.ts"
import { embeddedMail, filesIn, project, send, sendBody } from "../src/embeddedMail.ts"
import { brokenInvariants, questions } from "../src/fileInvariants.ts"
import { readLines } from "../src/Lines.ts"
import { FileImage } from "../src/power/FileImage.ts"
import type { ReceivedCopy } from "../src/RecordingTransport.ts"
import { noRelayFaults } from "../src/RecordingTransport.ts"
import { seeded } from "../src/seeded.ts"

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-checks-"))
  await Effect.gen(function* () {
    yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
    yield* (yield* Contacts).create(project, { email: "ada@example.org" })
    yield* send("now", sendBody({ to: ["ada@example.org", "bob@example.org"] }))
    const now = yield* Clock.currentTimeMillis
    yield* send("later", sendBody({ scheduledAt: formatInstant(now + hourMillis) }))
    yield* (yield* Dispatcher).tick
  }).pipe(Effect.provide(embeddedMail(folder, noRelayFaults)), Effect.scoped, Effect.runPromise)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns a copy of the store file, changed by the SQL. */
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
  "a delivery has a message": "DELETE FROM mailkeep_messages WHERE idempotency_key = 'now'",
  "a message has at least one delivery": "DELETE FROM mailkeep_deliveries",
  "a message that was sent with an idempotency key has its record":
    "DELETE FROM mailkeep_idempotency WHERE key = 'now'",
  "an idempotency record lists all deliveries of its message, in order":
    "DELETE FROM mailkeep_deliveries WHERE recipient = 'bob@example.org'",
  "an attempt has a delivery": "DELETE FROM mailkeep_deliveries WHERE recipient = 'bob@example.org'",
  "a delivery has as many attempts as it counts":
    "UPDATE mailkeep_deliveries SET attempt_count = 2 WHERE status = 'delivered'",
  "only the last attempt of a sending delivery is open": "UPDATE mailkeep_attempts SET phase = 'finalizing'",
  "a sending delivery has an open attempt":
    "UPDATE mailkeep_deliveries SET status = 'sending', due_at = 1 WHERE status = 'delivered'",
  "each transition that emits an event has exactly one event, with its sequence number":
    "DELETE FROM mailkeep_events WHERE id = (SELECT min(id) FROM mailkeep_events WHERE kind LIKE 'email.%')",
  "a final status has its event": "UPDATE mailkeep_deliveries SET status = 'failed' WHERE status = 'delivered'",
  "a delivery that was handed off, or will be, is charged and counted":
    "UPDATE mailkeep_deliveries SET charged_at = NULL WHERE status = 'delivered'",
  "a scheduled or ended delivery that never reached a relay is not charged":
    "UPDATE mailkeep_deliveries SET charged_at = 1 WHERE status = 'scheduled'",
  "the counter of scheduled recipients equals the scheduled deliveries":
    "UPDATE mailkeep_counters SET value = 5 WHERE name = 'scheduledRecipients'",
  "the allowance counter equals the charged deliveries":
    "UPDATE mailkeep_counters SET value = 5 WHERE name = 'allowance'",
  "the counter of each day equals the deliveries counted on that day":
    "UPDATE mailkeep_counters SET value = 9 WHERE name LIKE 'daily:%'",
  "a delivery that is counted on a day has the counter of that day":
    "DELETE FROM mailkeep_counters WHERE name LIKE 'daily:%'",
  "the contact counter equals the number of contacts": "UPDATE mailkeep_counters SET value = 5 WHERE name = 'contacts'",
  "a contact is unsubscribed if and only if its address is":
    "UPDATE mailkeep_contacts SET email_status = 'unsubscribed'"
}

describe("brokenInvariants", () => {
  it("finds no broken invariant in an undamaged file, and has one test damage for each invariant", () => {
    expect(brokenInvariants(filesIn(folder).store)).toEqual([])
    expect(Object.keys(damage)).toEqual(Object.keys(questions))
  })

  it.each(Object.entries(damage))("reports the broken invariant: %s", (invariant, sql) => {
    expect(brokenInvariants(damaged(sql)).map((broken) => broken.split(":")[0])).toContain(invariant)
  })
})

describe("explainedCopies", () => {
  const received = () => readLines<ReceivedCopy>(filesIn(folder).received)

  it("explains every copy when its attempt may have reached the relay", () => {
    expect(explainedCopies(filesIn(folder).store, received())).toEqual({ duplicates: 0, ambiguous: 0, unexplained: [] })
  })

  it.each<
    [
      what: string,
      sql: string,
      change: (copies: ReadonlyArray<ReceivedCopy>) => ReadonlyArray<ReceivedCopy>,
      messages: ReadonlyArray<RegExp>
    ]
  >([
    [
      "a copy of an attempt that ended before finalizing",
      "UPDATE mailkeep_attempts SET outcome = 'lost'",
      (copies) => copies.slice(0, 1),
      [/: the relay has a copy of attempt 1, whose outcome is lost$/]
    ],
    [
      "a copy of an attempt that does not exist",
      "",
      (copies) => [...copies, { ...copies.at(-1)!, deliveryId: "del_none" }],
      [/^del_none: the relay has a copy of attempt 1, whose outcome is unknown$/]
    ],
    [
      "a successful attempt without a copy at the relay",
      "",
      (copies) => copies.slice(1),
      [/: attempt 1 is delivered, but the relay has no copy$/]
    ],
    [
      "two copies when the first attempt is not ambiguous",
      "",
      (copies) => [...copies, copies[0]!],
      [/: the relay has a copy after attempt 1, whose outcome is delivered$/]
    ],
    [
      "two copies with different Message-IDs",
      "UPDATE mailkeep_attempts SET outcome = 'ambiguous'",
      ([one]) => [one!, { ...one!, messageIdHeader: "<b>" }],
      [/: the copies have different Message-IDs$/]
    ]
  ])("reports %s and nothing else", (_, sql, change, messages) => {
    expect(explainedCopies(damaged(sql), change(received())).unexplained).toEqual(
      messages.map((one) => expect.stringMatching(one))
    )
  })
})

describe("FileImage.after", () => {
  const image = () => {
    const file = new FileImage()
    file.write(0, Buffer.from("synced"))
    file.sync()
    file.write(6, Buffer.from(" one"))
    file.write(2000, Buffer.alloc(1500, "x"))
    file.truncate(3000)
    return file
  }

  it("always contains the synced writes", () => {
    for (const outcome of ["none", "all", "some", "torn", "reordered"] as const)
      for (let seed = 0; seed < 50; seed++)
        expect(image().after(outcome, seeded(seed)).subarray(0, 6).toString()).toBe("synced")
  })

  it("contains none, all or some of the unsynced writes, as requested", () => {
    expect(image().after("none", seeded(1)).toString()).toBe("synced")
    expect(image().after("all", seeded(1))).toHaveLength(3000)
    const lengths = (outcome: "some" | "torn" | "reordered") =>
      new Set(Array.from({ length: 50 }, (_, seed) => image().after(outcome, seeded(seed)).length))
    expect(lengths("some")).toEqual(new Set([6, 10, 3000, 3500]))
    expect(lengths("torn").size).toBeGreaterThan(3)
    expect(lengths("reordered").size).toBeGreaterThan(2)
  })
})
