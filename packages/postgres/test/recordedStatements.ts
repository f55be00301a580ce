/**
 * The statements that a test process sends to PostgreSQL.
 */
import pg from "pg"

type Send = (this: pg.Client, ...parameters: ReadonlyArray<unknown>) => unknown

const textOf = (statement: unknown): string | undefined =>
  typeof statement === "string" ? statement : (statement as { readonly text?: string } | undefined)?.text

/** Records each statement of every client from now on, once. The names of schemas of tests are replaced by `mailkeep`. */
export const recordStatements = (schemas: RegExp): ReadonlySet<string> => {
  const statements = new Set<string>()
  const prototype = pg.Client.prototype as unknown as { query: Send }
  const { query } = prototype
  prototype.query = function (this: pg.Client, ...parameters) {
    const text = textOf(parameters[0])
    if (text !== undefined) statements.add(text.replace(schemas, "mailkeep"))
    return query.apply(this, parameters as never)
  }
  return statements
}
