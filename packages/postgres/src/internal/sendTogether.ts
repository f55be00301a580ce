/**
 * Sends several statements to a client of the product as one query of its driver. A statement of the product then comes before all of them or after
 * all of them. So a `COMMIT` that did not wait for a call keeps a whole commit of the store, or nothing of it. Source: decision 0079.
 */
import type { Connection as DriverConnection, Submittable } from "pg"
import pg from "pg"
import type { ProductClient } from "./driverClient.ts"

/** A statement as the driver takes it. */
export interface Sent {
  readonly text: string
  readonly values: Array<unknown>
  readonly types: { readonly getTypeParser: typeof pg.types.getTypeParser }
  readonly name?: string
}

interface SentResult {
  readonly rows: Array<object>
}

/** The protocol between the driver's client and a query. The declarations of the driver have only its first method. */
interface DriverQuery {
  readonly prepare: (connection: object) => void
  readonly handleRowDescription: (message: unknown) => void
  readonly handleDataRow: (message: unknown) => void
  readonly handleCommandComplete: (message: unknown, connection: unknown) => void
  readonly handleReadyForQuery: (connection: unknown) => void
  readonly handleError: (cause: unknown, connection: unknown) => void
}

const prepared = ["parse", "bind", "describe", "execute"] as const

/** Whether the client takes such a query. One with `pipeline` sends statements behind each other anyway, and one of another kind has no such connection. */
export const canSendTogether = ({ pipeline, connection }: ProductClient): boolean =>
  pipeline !== true &&
  connection !== undefined &&
  [...prepared, "sync"].every((name) => typeof (connection as Readonly<Record<string, unknown>>)[name] === "function")

/** The connection of the driver without its `sync`, with which the server ends a query. */
const withoutSync = (connection: DriverConnection) => ({
  ...Object.fromEntries(
    prepared.map((name) => [
      name,
      (message: never) => (connection[name] as (one: never) => void).call(connection, message)
    ])
  ),
  sync: () => {},
  close: () => {},
  parsedStatements: {},
  submittedNamedStatements: {}
})

class StatementsTogether implements Submittable {
  readonly #queries: ReadonlyArray<DriverQuery>
  /** The statement that the server runs. */
  #at = 0
  /**
   * The driver replaces it for its option `query_timeout`, and so do programs that record the queries of a driver. Some of these fail for a query without
   * one.
   */
  callback: (cause: unknown) => void = () => {}

  constructor(queries: ReadonlyArray<DriverQuery>) {
    this.#queries = queries
  }

  submit(connection: DriverConnection): void {
    const { stream } = connection
    stream.cork()
    try {
      for (const query of this.#queries) query.prepare(withoutSync(connection))
      connection.sync()
    } finally {
      stream.uncork()
    }
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#at]?.handleRowDescription(message)
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#at]?.handleDataRow(message)
  }

  handleCommandComplete(message: unknown, connection: unknown): void {
    this.#queries[this.#at++]?.handleCommandComplete(message, connection)
  }

  /** The server skips the statements behind one that has failed. */
  handleError(cause: unknown, connection: unknown): void {
    for (const query of this.#queries.slice(0, this.#at)) query.handleReadyForQuery(connection)
    for (const query of this.#queries.slice(this.#at)) query.handleError(cause, connection)
    this.#end(cause)
  }

  handleReadyForQuery(connection: unknown): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection)
    this.#end(null)
  }

  #end(cause: unknown): void {
    this.#at = this.#queries.length
    this.callback(cause)
  }
}

/** Sends the statements, and returns the result of each. */
const sendTogether = (client: ProductClient, statements: ReadonlyArray<Sent>): ReadonlyArray<Promise<SentResult>> => {
  const queries: Array<DriverQuery> = []
  const results = statements.map(
    (sent) =>
      new Promise<SentResult>((resolve, reject) => {
        const callback = (cause: unknown, result: SentResult) =>
          cause === null ? resolve(result) : reject(cause as Error)
        queries.push(new pg.Query(sent as never, callback as never) as unknown as DriverQuery)
      })
  )
  client.query(new StatementsTogether(queries))
  return results
}

/**
 * Returns a function that sends a statement when those before have ended, together with the others of the same turn of the event loop. Of those, each text
 * is one statement.
 */
export const inGroups = (client: ProductClient) => {
  let last: Promise<unknown> = Promise.resolve()
  let open: { readonly statements: Array<Sent>; readonly results: Promise<ReadonlyArray<Promise<SentResult>>> } | null =
    null
  const begin = () => {
    const statements: Array<Sent> = []
    const results = last.then(() => {
      open = null
      return statements.length === 1 ? [client.query<object>(statements[0]!)] : sendTogether(client, statements)
    })
    last = results.then((all) => Promise.allSettled(all)).catch(() => undefined)
    return { statements, results }
  }
  return async (sent: Sent): Promise<SentResult> => {
    open ??= begin()
    const { statements, results } = open
    const at = statements.push(sent) - 1
    return (await results)[at]!
  }
}
