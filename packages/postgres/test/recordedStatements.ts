/**
 * The statements that a test process sends to PostgreSQL.
 */
import pg from "pg"

type Send = (this: pg.Client, ...parameters: ReadonlyArray<unknown>) => unknown

/** A statement and its parameters. */
export interface SentStatement {
  readonly text: string
  readonly values?: ReadonlyArray<unknown>
}

/** Calls `onStatement` for each statement of every client from now on. */
export const observeStatements = (onStatement: (statement: SentStatement) => void): void => {
  const prototype = pg.Client.prototype as unknown as { query: Send }
  const { query } = prototype
  prototype.query = function (this: pg.Client, ...parameters) {
    const [first] = parameters
    if (typeof first === "string") onStatement({ text: first })
    else if (typeof first === "object" && first !== null && "text" in first) onStatement(first as SentStatement)
    return query.apply(this, parameters as never)
  }
}

/** Records each text of a statement from now on, once. The names of schemas of tests are replaced by `mailkeep`. */
export const recordStatements = (schemas: RegExp): ReadonlySet<string> => {
  const statements = new Set<string>()
  observeStatements(({ text }) => statements.add(text.replace(schemas, "mailkeep")))
  return statements
}
