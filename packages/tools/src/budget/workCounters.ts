/**
 * Counts the statements of SQLite and the messages between threads. `node --import` loads this module into the program and into each of its
 * threads, before they load the driver. All threads count in the same memory.
 */
import { getEnvironmentData, MessagePort, setEnvironmentData } from "node:worker_threads"
import type { Statement } from "better-sqlite3"
import Database from "better-sqlite3"

const names = ["readStatements", "writeStatements", "threadMessages"] as const
/** What is counted: statements outside and inside of a transaction that writes, and messages from one thread to another. */
type CounterName = (typeof names)[number]

const shared = "mailkeep work counters"
const existing = getEnvironmentData(shared)
const memory = existing instanceof SharedArrayBuffer ? existing : new SharedArrayBuffer(names.length * 4)
setEnvironmentData(shared, memory)
const counters = new Uint32Array(memory)

const add = (name: CounterName): void => {
  Atomics.add(counters, names.indexOf(name), 1)
}

/** The counts since the start of the program, of all threads. */
export const workCounters = (): Readonly<Record<CounterName, number>> => ({
  readStatements: Atomics.load(counters, 0),
  writeStatements: Atomics.load(counters, 1),
  threadMessages: Atomics.load(counters, 2)
})

/** A `BEGIN` of a reader takes a snapshot; `BEGIN IMMEDIATE` takes the write lock. */
let writes = false

const countStatement = (sql: string): void => {
  if (sql === "BEGIN IMMEDIATE") writes = true
  add(writes ? "writeStatements" : "readStatements")
  if (sql === "COMMIT" || sql === "ROLLBACK") writes = false
}

/** Replaces a method by one that calls `count` first, with the object and the first parameter. */
const countCalls = <T extends object, K extends keyof T>(
  prototype: T,
  method: K,
  count: (self: T, first: unknown) => void
): void => {
  const original = prototype[method] as (...values: Array<unknown>) => unknown
  prototype[method] = function (this: T, ...values: Array<unknown>) {
    count(this, values[0])
    return original.apply(this, values)
  } as T[K]
}

/** Node's own messages, such as those that start a thread, have a type. Their number varies. */
const isMessageOfNode = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "type" in message

const database = new Database(":memory:")
const statements = Object.getPrototypeOf(database.prepare("SELECT 1")) as Statement
for (const method of ["run", "get", "all", "iterate"] as const)
  countCalls(statements, method, ({ source }) => countStatement(source))
database.close()
countCalls(MessagePort.prototype, "postMessage", (_, message) => {
  if (!isMessageOfNode(message)) add("threadMessages")
})
