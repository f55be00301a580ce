import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Contacts, Domains, everyContact, EventRelay, Sending, Suppressions } from "@mailkeep/core"
import { expectBalanced, inHouse, project, relay, send, start, tick, delivery } from "@mailkeep/proving"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SqliteMailStore } from "../src/index.ts"
import { applicationId } from "../src/internal/migrations.ts"
import { sql as first } from "../src/internal/migrations/0001.ts"

const before = start - 86_400_000

/** A project as the first schema kept it: three contacts, two addresses that get no mail, a domain, a scheduled send, an event. */
const oldRecords = `
INSERT INTO contacts VALUES
  ('con_1', '${project}', 'Zoë@Example.org', 'zoë@example.org', NULL, 'Zoë', 'Ødegård', NULL, 'unsubscribed', 'manual', ${before}, ${before}, 2),
  ('con_2', '${project}', 'ann@example.org', 'ann@example.org', 'u2', 'Ann', '', '+1', 'subscribed', 'manual', ${before}, ${before}, 1),
  ('con_3', 'prj_other', 'ann@example.org', 'ann@example.org', NULL, '', '', NULL, 'subscribed', 'import', ${before}, ${before}, 1);
INSERT INTO suppressions VALUES
  ('${project}', 'zoë@example.org', '{"unsubscribed":${before}}', 1),
  ('${project}', 'dead@example.org', '{"hard_bounce":${before}}', 1);
INSERT INTO domains VALUES ('dom_1', '${project}', 'old.example', 'verified', ${before}, ${before}, ${before}, 1);
INSERT INTO messages VALUES
  ('msg_1', '${project}', NULL, 'embedded', 'hello@old.example', NULL, NULL, 'old.example', 'Hi', NULL, 'Hi', '[]', '[]', '{}', 'k', NULL, NULL, ${before});
INSERT INTO deliveries (id, project_id, message_id, kind, recipient, address, source, created_at, status, scheduled_at, due_at, token, attempts, deferrals, ambiguous, crashes, reached_relay, counted_day, sequence)
VALUES
  ('del_1', '${project}', 'msg_1', 'to', 'ann@example.org', 'ann@example.org', 'embedded', ${before}, 'scheduled', ${start}, ${start}, 0, 0, 0, 0, 0, 0, '2026-11-21', 1),
  ('del_2', '${project}', 'msg_1', 'to', 'dead@example.org', 'dead@example.org', 'embedded', ${before}, 'scheduled', ${start}, ${start}, 0, 0, 0, 0, 0, 0, '2026-11-21', 1);
INSERT INTO events VALUES
  ('evt_1', '${project}', ${before}, 'contact.unsubscribed', '{}');
INSERT INTO counters VALUES ('${project}', 'contacts', 2), ('prj_other', 'contacts', 1), ('${project}', 'waiting', 2), ('${project}', 'daily:2026-11-21', 2);
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-old-"))
  const old = new Database(join(folder, "mail.db"))
  old.pragma("journal_mode = WAL")
  old.exec(first)
  old.exec(oldRecords)
  old.pragma(`application_id = ${applicationId}`)
  old.pragma("user_version = 1")
  old.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Opened by today's code. */
const inOldHouse: ReturnType<typeof inHouse> = (test) =>
  inHouse({ name: "sqlite", layer: SqliteMailStore.layer({ filename: join(folder, "mail.db") }) })(test)

describe("a file of the first schema", () => {
  it("keeps its contacts, found by their letters and counted by status", () =>
    inOldHouse(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const found = (query: Partial<typeof everyContact>) =>
          Effect.map(contacts.page(project, { ...everyContact, ...query }, { page: 1, limit: 9 }), (page) => [
            page.total,
            ...page.items.map(({ id }) => id)
          ])
        expect(yield* found({})).toEqual([2, "con_2", "con_1"])
        expect(yield* found({ emailStatus: "unsubscribed" })).toEqual([1, "con_1"])
        expect(yield* found({ search: "ØDEG" })).toEqual([1, "con_1"])
        expect(yield* found({ search: "zoë ød" })).toEqual([1, "con_1"])
        expect(yield* contacts.get(project, "con_2")).toMatchObject({
          contact: { email: "ann@example.org", userId: "u2", phoneNumber: "+1", listIds: [] },
          properties: {}
        })
        yield* expectBalanced
      })
    ))

  it("still holds mail back from whom it held it back, and from nobody else", () =>
    inOldHouse(
      Effect.gen(function* () {
        const { result } = yield* send("now", { to: ["zoë@example.org", "DEAD@example.org", "ann@example.org"] })
        yield* tick
        const ended = yield* Effect.forEach([...result.deliveryIds, "del_1", "del_2"], delivery)
        expect(ended.map(({ status, reason }) => [status, reason])).toEqual([
          ["suppressed", "unsubscribed"],
          ["suppressed", "hard_bounce"],
          ["delivered", null],
          ["delivered", null],
          ["suppressed", "hard_bounce"]
        ])
        yield* expectBalanced
        const lifted = yield* (yield* Contacts).update(project, "con_1", {
          email: "zoë@example.org",
          emailStatus: "subscribed"
        })
        expect(lifted.emailStatus).toBe("subscribed")
        const { items } = yield* (yield* Suppressions).page(project, null, { limit: 9, cursor: null })
        expect(items.map(({ address }) => address)).toEqual(["dead@example.org"])
      })
    ))

  it("keeps its domains sending, and does not tell its old events again", () =>
    inOldHouse(
      Effect.gen(function* () {
        expect(yield* (yield* Domains).get(project, "dom_1")).toMatchObject({ status: "verified", vouched: true })
        const told: Array<string> = []
        yield* (yield* EventRelay).subscribe("audit", ({ id }) => Effect.sync(() => told.push(id)))
        yield* relay
        expect(told).toEqual([])
        yield* (yield* Sending).cancel(project, "msg_1")
        yield* relay
        expect(told).toHaveLength(2)
      })
    ))
})
