/**
 * The scan thread: answers queries that read many rows on its own read-only connection. It yields the processor to the threads that accept and
 * send mail.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Query } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { answerQuery } from "../answerQuery.ts"
import { prepared } from "../recordTable.ts"
import { takeLowPriority } from "./lowPriority.ts"
import { answerRequests, takeThreadData } from "./replies.ts"

const filename = takeThreadData<string>(workerData)
takeLowPriority()
const database = new Database(filename, { readonly: true, fileMustExist: true, timeout: 0 })
// In KiB. A scan reads most pages once, so a larger cache would only take memory.
database.pragma("cache_size = -2048")
const connection = prepared(database)
const inOneState = database.transaction((queries: ReadonlyArray<Query>) =>
  queries.map((query) => answerQuery(connection, query))
)

answerRequests(parentPort!, (queries: ReadonlyArray<Query>) => inOneState(queries))
