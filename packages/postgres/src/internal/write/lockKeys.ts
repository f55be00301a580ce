/**
 * Locks for the guards of records that a commit reads and does not write, held until the commit ends. A commit that expects a record shares the
 * lock of its name, and a commit that writes such a record has the lock alone. So an absent record stays absent. Source: decision 0072.
 */
import type { Change } from "@mailkeep/core/adapter"
import { recordKeyOf } from "@mailkeep/core/adapter"
import type { Connection } from "../database.ts"
import { jsonRows } from "../recordTable.ts"
import type { MessageFiles } from "./contentSet.ts"

/** A lock, by the name of its record. */
interface Lock {
  readonly key: string
  readonly exclusive: boolean
}

const contactAddress = (projectId: string, address: string) => `ContactAddress/${projectId}/${address}`

/** The name of the lock of a content. A sweep of messages locks the contents that it may delete. */
export const contentKeys = ({ projectId, attachments }: MessageFiles): ReadonlyArray<string> =>
  attachments.map(({ hash }) => `Content/${projectId}/${hash}`)

const locksOf = (change: Change): ReadonlyArray<Lock> => {
  switch (change._tag) {
    case "Expect":
      return [{ key: recordKeyOf(change), exclusive: false }]
    case "PutApiKey":
    case "PutDomain":
    case "RemoveDomain":
    case "PutResource":
    case "RemoveResource":
    case "PutSuppression":
      return [{ key: recordKeyOf(change), exclusive: true }]
    case "PutContact":
      return [{ key: contactAddress(change.contact.projectId, change.contact.address), exclusive: true }]
    // Shared, because writers of one content write the same bytes.
    case "PutContent":
      return [{ key: recordKeyOf(change), exclusive: false }]
    case "RewriteRecord":
      return [change.before, change.after].flatMap((one) =>
        one?.kind === "Message" ? contentKeys(one.record).map((key) => ({ key, exclusive: true })) : []
      )
    case "RemoveRecord":
      return [{ key: recordKeyOf(change), exclusive: true }]
    default:
      return []
  }
}

/** A contact by its key. */
interface ContactKey {
  readonly projectId: string
  readonly id: string
}

/** The contacts whose present address is locked too: the change does not contain it. */
const lockedContacts = (change: Change): ReadonlyArray<ContactKey> => {
  switch (change._tag) {
    case "PutContact":
      return change.replaces === null ? [] : [{ projectId: change.contact.projectId, id: change.contact.id }]
    case "RemoveContact":
      return [{ projectId: change.projectId, id: change.id }]
    default:
      return []
  }
}

export interface Locks {
  readonly locks: ReadonlyArray<Lock>
  readonly contacts: ReadonlyArray<ContactKey>
}

export const locksOfChanges = (changes: ReadonlyArray<Change>): Locks => ({
  locks: changes.flatMap(locksOf),
  contacts: changes.flatMap(lockedContacts)
})

/** Takes all locks in the order of their numbers, so that two commits do not wait for each other. */
export const makeTakeLocks = (schema: string) => {
  const sql = `SELECT CASE WHEN exclusive THEN pg_advisory_xact_lock(lock) ELSE pg_advisory_xact_lock_shared(lock) END
FROM (
  SELECT hashtextextended('mailkeep ${schema.replaceAll("'", "''")} ' || key, 0) AS lock, bool_or(exclusive) AS exclusive
  FROM (
    SELECT key, exclusive FROM ${jsonRows("$1", "r", "key text, exclusive boolean")}
    UNION ALL
    SELECT 'ContactAddress/' || t.project_id || '/' || t.address, true
    FROM ${schema}.contacts AS t JOIN ${jsonRows("$2", "r", `"projectId" text, id text`)} ON (t.project_id, t.id) = (r."projectId", r.id)
  ) AS keys
  GROUP BY 1 ORDER BY 1
) AS ordered`
  return async (connection: Connection, { locks, contacts }: Locks): Promise<void> => {
    if (locks.length + contacts.length > 0)
      await connection.prepared(sql, [JSON.stringify(locks), JSON.stringify(contacts)])
  }
}
