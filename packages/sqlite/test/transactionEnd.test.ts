/**
 * When the wait for the end of a transaction on a connection of better-sqlite3 ends.
 */
import Database from "better-sqlite3"
import { Effect, Fiber } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { untilTransactionEnd } from "../src/internal/transactionEnd.ts"

/** A connection whose looks are counted. */
const makeConnection = () => {
  let looks = 0
  const connection = {
    isOpen: true,
    get inTransaction() {
      looks++
      return connection.isOpen
    },
    looks: () => looks
  }
  return connection
}

describe("untilTransactionEnd", () => {
  it.each<readonly [string, (database: Database.Database) => unknown]>([
    ["commits", (database) => database.exec("COMMIT")],
    ["rolls back", (database) => database.exec("ROLLBACK")],
    ["is closed", (database) => database.close()]
  ])("ends after the connection %s", async (_, end) => {
    const database = new Database(":memory:")
    onTestFinished(() => void database.close())
    database.exec("BEGIN; CREATE TABLE orders (id INTEGER)")
    const waiting = Effect.runFork(untilTransactionEnd(database))
    await new Promise((resolve) => setImmediate(resolve))
    expect(waiting.pollUnsafe()).toBeUndefined()
    end(database)
    await Effect.runPromise(Fiber.join(waiting))
  })

  it("looks first on the next turn of the event loop, so that a commit at once does not wait", async () => {
    const connection = makeConnection()
    const waiting = Effect.runPromise(untilTransactionEnd(connection))
    connection.isOpen = false
    await waiting
    expect(connection.looks()).toBe(1)
  })

  it("looks again after pauses, and no more after its interruption", async () => {
    const connection = makeConnection()
    const waiting = Effect.runFork(untilTransactionEnd(connection))
    await expect.poll(connection.looks).toBeGreaterThan(3)
    await Effect.runPromise(Fiber.interrupt(waiting))
    const looks = connection.looks()
    const other = makeConnection()
    const others = Effect.runFork(untilTransactionEnd(other))
    await expect.poll(other.looks).toBeGreaterThan(4)
    await Effect.runPromise(Fiber.interrupt(others))
    expect(connection.looks()).toBe(looks)
  })
})
