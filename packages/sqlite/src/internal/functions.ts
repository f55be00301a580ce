/**
 * What SQL calls of TypeScript: SQLite has its own idea of lower case, and none of a hash.
 */
import { createHmac } from "node:crypto"
import { folded } from "@mailkeep/core/domain"
import type { Database } from "better-sqlite3"

const deterministic = { deterministic: true } as const

export const registerFunctions = (database: Database): void => {
  database.function("folded", deterministic, (text) => (text === null ? null : folded(text as string)))
  /** As the core makes the key of an address; for suppressions from before there were keys. */
  database.function("address_key", deterministic, (secret, address) =>
    createHmac("sha256", secret as string)
      .update(address as string)
      .digest("base64url")
  )
}
