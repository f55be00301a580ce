/**
 * Names for the statements that are sent again and again. The server keeps a named statement for the time of a connection, and parses and plans it
 * once. Source: decision 0093.
 */
import { createHash } from "node:crypto"

/** A statement that is sent a few times in the life of a process is not worth memory of the server. */
const usesMin = 5
/** The server keeps each named statement for each connection. */
const namesMax = 256
/** The statements whose uses are counted. A read of many records can have a long text. */
const countedMax = 1024
const countedLengthMax = 16_384

export interface StatementNames {
  /** Counts a use of the statement. Returns its name from the fifth use on. */
  readonly nameOf: (sql: string) => string | undefined
  /** Gives no more names. */
  readonly stop: () => void
}

export const makeStatementNames = (): StatementNames => {
  const names = new Map<string, string>()
  const uses = new Map<string, number>()
  let isStopped = false

  const count = (sql: string): number => {
    const now = (uses.get(sql) ?? 0) + 1
    uses.set(sql, now)
    if (uses.size > countedMax) uses.delete(uses.keys().next().value!)
    return now
  }

  return {
    nameOf: (sql) => {
      if (isStopped) return undefined
      const existing = names.get(sql)
      if (existing !== undefined) return existing
      if (names.size >= namesMax || sql.length > countedLengthMax || count(sql) < usesMin) return undefined
      uses.delete(sql)
      // Another store in the same connection gives the same name to the same text only.
      const name = `mailkeep_${createHash("sha256").update(sql).digest("hex").slice(0, 32)}`
      names.set(sql, name)
      return name
    },
    stop: () => {
      isStopped = true
      names.clear()
      uses.clear()
    }
  }
}
