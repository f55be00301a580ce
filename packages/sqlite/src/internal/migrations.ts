/**
 * The numbered steps from a file without Mailkeep tables to the newest schema. A released step never changes; a test compares its checksum.
 * The steps repeat lists such as statuses on purpose, and a test compares these with the lists of the domain.
 */
import { caseFold } from "@mailkeep/core/adapter/evaluation"
import type { Database } from "better-sqlite3"
import { NotOpened } from "./notOpened.ts"
import { sql as access } from "./schema/access.ts"
import { sql as contacts } from "./schema/contacts.ts"
import { sql as contactTexts } from "./schema/contactTexts.ts"
import { sql as deliveriesOfStatus } from "./schema/deliveriesOfStatus.ts"
import { sql as events } from "./schema/events.ts"
import { sql as eventsOfDelivery } from "./schema/eventsOfDelivery.ts"
import { sql as mail } from "./schema/mail.ts"
import { sql as resources } from "./schema/resources.ts"
import { sql as stagedContents } from "./schema/stagedContents.ts"
import { sql as store } from "./schema/store.ts"
import { sql as suppressedAt } from "./schema/suppressedAt.ts"

export const migrations: ReadonlyArray<string> = [
  [store, access, mail, events, resources, contacts].join(""),
  eventsOfDelivery,
  [deliveriesOfStatus, contactTexts].join(""),
  stagedContents,
  suppressedAt
]

export const schemaVersion = migrations.length

/** The version of the schema in the file; 0 before the first step. */
const versionOf = (database: Database): number => {
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'mailkeep_schema'").get()
  if (exists === undefined) return 0
  return database.prepare("SELECT version FROM mailkeep_schema").pluck().get() as number
}

/** Refuses a file of a newer Mailkeep. Does not touch the tables of other programs. */
export const checkVersion = (database: Database): void => {
  if (versionOf(database) > schemaVersion) throw new NotOpened("newer_schema")
}

/**
 * Migrates the file to `schemaVersion` in one transaction, with one disk sync. Several processes may migrate at once: each checks the version under the
 * write lock. Writes the version also when there is no step left, because SQLite reports one setting correctly only after a write.
 */
export const migrate = (database: Database): void => {
  database.function("mailkeep_case_fold", { deterministic: true }, (text) => caseFold(text as string))
  database.exec("BEGIN IMMEDIATE")
  try {
    checkVersion(database)
    for (const step of migrations.slice(versionOf(database))) database.exec(step)
    database.exec(`UPDATE mailkeep_schema SET version = ${schemaVersion}`)
    database.exec("COMMIT")
  } catch (cause) {
    if (database.inTransaction) database.exec("ROLLBACK")
    throw cause
  }
}
