/**
 * Tests which files the store refuses to open.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, it } from "node:test"
import { MailStore } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { layer } from "../src/NodeSqliteStore.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "third-party-store-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Opens the store and returns its capabilities, or the reason why it was not opened. */
const opened = (filename: string) =>
  Effect.runPromise(
    Effect.map(MailStore, ({ capabilities }) => capabilities).pipe(
      Effect.provide(layer(filename)),
      Effect.catchTag("StoreNotOpened", ({ reason }) => Effect.succeed(reason))
    )
  )

describe("opening", () => {
  it("creates a file that only its owner can read, and opens it again", async () => {
    const filename = join(folder, "mail.db")
    const capabilities = { durable: true, multiProcess: true }
    deepStrictEqual(await opened(filename), capabilities)
    strictEqual(statSync(filename).mode & 0o777, 0o600)
    deepStrictEqual(await opened(filename), capabilities)
  })

  it("refuses a file of a newer version and leaves it unchanged", async () => {
    const filename = join(folder, "mail.db")
    const newer = new DatabaseSync(filename)
    newer.exec("PRAGMA user_version = 2")
    newer.close()
    strictEqual(await opened(filename), "newer_schema")
    const again = new DatabaseSync(filename)
    deepStrictEqual(again.prepare("SELECT count(*) AS tables FROM sqlite_schema").all().map(Object.values), [[0]])
    again.close()
  })

  it("refuses a file that is no database", async () => {
    const filename = join(folder, "mail.db")
    writeFileSync(filename, "This is a text and not a database. ".repeat(100))
    strictEqual(await opened(filename), "not_a_database")
  })

  it("refuses a file in a folder that does not exist", async () => {
    strictEqual(await opened(join(folder, "none", "mail.db")), "unreachable")
  })
})
