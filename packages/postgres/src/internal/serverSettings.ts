/**
 * Says which servers the store refuses, by their version and their settings: those that cannot have the tables, and those that can lose a commit.
 */
import type { Connection } from "./database.ts"
import type { Refusal } from "./openingFailure.ts"
import { NotOpened } from "./openingFailure.ts"

/** What the operator says about the durability of the server. */
export interface DurabilityOptions {
  readonly allowAsynchronousCommit: boolean
  readonly storageKeepsCommits: boolean
}

const versionMin = 140_000

/** The settings of a server. */
export interface ServerSettings {
  readonly version: number
  readonly encoding: string
  readonly recovering: boolean
  readonly readOnly: string
  readonly synchronous: string
  readonly fsync: string
  readonly pages: string
}

const settingsSql = `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
pg_is_in_recovery() AS recovering, current_setting('transaction_read_only') AS "readOnly",
current_setting('synchronous_commit') AS synchronous, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages`

/** With these, the server acknowledges a commit before it is on the disk. */
const asynchronous: ReadonlySet<string> = new Set(["off", "local"])

/** Says why a server with these settings cannot have the tables. Returns `undefined` when it can. */
export const unusableOf = ({ version, encoding, recovering, readOnly }: ServerSettings): Refusal | undefined => {
  if (version < versionMin) return { reason: "unsupported_runtime", detail: "Mailkeep needs PostgreSQL 14 or newer" }
  if (encoding !== "UTF8")
    return { reason: "unsupported_runtime", detail: `The encoding of the database is ${encoding}. Create it with UTF8` }
  if (recovering) return { reason: "read_only", detail: "The server is a standby. Connect to the primary" }
  if (readOnly === "on")
    return {
      reason: "read_only",
      detail:
        "Transactions of this role are read-only. Turn `default_transaction_read_only` off for the role, the database and the server"
    }
  return undefined
}

/** Says why the store does not open on a server with these settings. Returns `undefined` when it does. */
export const serverRefusalOf = (
  settings: ServerSettings,
  { allowAsynchronousCommit, storageKeepsCommits }: DurabilityOptions
): Refusal | undefined => {
  const { synchronous, fsync, pages } = settings
  const unusable = unusableOf(settings)
  if (unusable !== undefined) return unusable
  if ((fsync !== "on" || pages !== "on") && !storageKeepsCommits)
    return {
      reason: "not_durable",
      detail:
        "The server can lose commits in a power failure: fsync or full_page_writes is off. Set both to on. If the storage of a managed service keeps commits without them, set `storageKeepsCommits`"
    }
  if (asynchronous.has(synchronous) && !allowAsynchronousCommit)
    return {
      reason: "not_durable",
      detail: `The server acknowledges commits before they are on the disk of each server (synchronous_commit is ${synchronous}). Set it to on for the role of Mailkeep`
    }
  return undefined
}

/** Throws if the settings of the server are refused. */
export const checkServer = async (
  connection: Connection,
  refusalFor: (settings: ServerSettings) => Refusal | undefined
): Promise<void> => {
  const [settings] = await connection.query<ServerSettings>(settingsSql)
  const refusal = refusalFor(settings!)
  if (refusal !== undefined) throw new NotOpened(refusal)
}
