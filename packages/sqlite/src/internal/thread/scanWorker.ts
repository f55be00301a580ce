/**
 * The scan thread: answers queries that read many rows on its own read-only connection. It yields the processor to the threads that accept and
 * send mail.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Query } from "@mailkeep/core/adapter"
import Database from "better-sqlite3"
import { answerQuery } from "../answerQuery.ts"
import { checkFiles } from "../fileCheck.ts"
import { prepared } from "../recordTable.ts"
import { takeLowPriority } from "./lowPriority.ts"
import { answerRequests, takeThreadData } from "./replies.ts"
import type { ScanThreadData } from "./scanThread.ts"

const { filename, identity } = takeThreadData<ScanThreadData>(workerData)
takeLowPriority()
const database = new Database(filename, { readonly: true, fileMustExist: true, timeout: 0 })
// An error ends the thread. The next scan starts another one, which tries again.
checkFiles(filename, identity)
// In KiB. A scan reads most pages once, so a larger cache would only take memory.
database.pragma("cache_size = -2048")
const connection = prepared(database)
const inOneState = database.transaction((queries: ReadonlyArray<Query>) =>
  queries.map((query) => answerQuery(connection, query))
)

answerRequests(parentPort!, (queries: ReadonlyArray<Query>) => inOneState(queries))
