/**
 * The scan thread: answers queries that read many rows on its own read-only connection, so that they do not delay other
 * queries.
 */
import { parentPort, workerData } from "node:worker_threads"
import Database, { SqliteError } from "better-sqlite3"
import { answerQuery } from "./answerQuery.ts"
import { prepared } from "./recordTable.ts"
import type { ScanReply, ScanRequest } from "./scanThread.ts"

const database = new Database(workerData as string, { readonly: true, fileMustExist: true, timeout: 0 })
const connection = prepared(database)
const inOneState = database.transaction((queries: ScanRequest["queries"]) =>
  queries.map((query) => answerQuery(connection, query))
)

const reply = ({ id, queries }: ScanRequest): ScanReply => {
  try {
    return { id, answers: inOneState(queries) }
  } catch (cause) {
    return cause instanceof SqliteError
      ? { id, code: cause.code }
      : { id, defect: cause instanceof Error ? cause.name : typeof cause }
  }
}

parentPort!.on("message", (request: ScanRequest) => parentPort!.postMessage(reply(request)))
