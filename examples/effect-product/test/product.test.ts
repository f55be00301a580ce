/**
 * Tests the product with a test clock, and as a process that is stopped and started again.
 */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, beforeEach, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { Dispatcher, EventSender } from "@mailkeep/core"
import type { StubOptions } from "@mailkeep/smtp"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../src/Accounts.ts"
import { mail } from "../src/mail.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "effect-product-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const ada = { id: "1", name: "Ada", email: "ada@example.org", createdAt: 0 }

/** Runs a test with a new product. `sent` has the subjects of the messages that the transport has accepted. */
const withProduct = <A, E>(
  test: (sent: ReadonlyArray<string>) => Effect.Effect<A, E, Accounts | Dispatcher | EventSender>,
  stub: StubOptions = {}
) => {
  const sent: Array<string> = []
  const layer = Accounts.layer.pipe(
    Layer.provideMerge(
      mail(join(folder, "mail.db"), { ...stub, onCaptured: ({ message }) => sent.push(message.subject) })
    ),
    Layer.provideMerge(TestClock.layer())
  )
  return Effect.runPromise(Effect.provide(test(sent), layer))
}

const tick = Effect.gen(function* () {
  yield* (yield* Dispatcher).tick
  yield* (yield* EventSender).tick
})

describe("an account", () => {
  it("gets a welcome at once and a reminder after three days", () =>
    withProduct((sent) =>
      Effect.gen(function* () {
        yield* (yield* Accounts).signUp(ada)
        yield* TestClock.adjust("71 hours")
        yield* tick
        deepStrictEqual(sent, ["Welcome, Ada"])
        yield* TestClock.adjust("1 hour")
        yield* tick
        deepStrictEqual(sent, ["Welcome, Ada", "Still there?"])
      })
    ))

  it("gets no reminder when the address is confirmed before", () =>
    withProduct((sent) =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        yield* accounts.signUp(ada)
        yield* accounts.confirm(ada.id)
        yield* TestClock.adjust("4 days")
        yield* tick
        deepStrictEqual(sent, ["Welcome, Ada"])
      })
    ))

  it("accepts a confirmation after the reminder was sent", () =>
    withProduct((sent) =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        yield* accounts.signUp(ada)
        yield* TestClock.adjust("4 days")
        yield* tick
        yield* accounts.confirm(ada.id)
        strictEqual(sent.length, 2)
      })
    ))

  it("gets each message once when it signs up twice", () =>
    withProduct((sent) =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        yield* accounts.signUp(ada)
        yield* TestClock.adjust("1 minute")
        yield* accounts.signUp(ada)
        yield* TestClock.adjust("4 days")
        yield* tick
        strictEqual(sent.length, 2)
      })
    ))

  it("is marked as unreachable when its address does not exist", () =>
    withProduct(
      () =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          yield* accounts.signUp(ada)
          deepStrictEqual(yield* accounts.unreachable, new Set())
          yield* tick
          deepStrictEqual(yield* accounts.unreachable, new Set([ada.email]))
        }),
      { script: [{ recipient: ada.email, acts: [{ act: "refuse" }] }] }
    ))
})

/** Starts the program with some input, stops it after it has printed some lines, and returns all lines with the exit code. */
const runUntil = (filename: string, input: string, expected: ReadonlyArray<string>) =>
  new Promise<{ readonly lines: ReadonlyArray<string>; readonly code: number | null }>((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL("../src/main.ts", import.meta.url)), filename], {
      stdio: ["pipe", "pipe", "inherit"],
      timeout: 30_000,
      killSignal: "SIGKILL"
    })
    child.stdin.write(input)
    const lines: Array<string> = []
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line)
      if (!child.killed && expected.every((one) => lines.includes(one))) child.kill("SIGTERM")
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ lines, code }))
  })

describe("the program", () => {
  it("sends a welcome, stops cleanly, and sends nothing again after a restart", { timeout: 60_000 }, async () => {
    const filename = join(folder, "mail.db")
    const first = await runUntil(filename, "nobody\nada@example.org\n", ["delivered: Welcome, ada"])
    const [running, refused, ...rest] = first.lines
    match(refused!, /^refused: to must be an address/)
    deepStrictEqual([running, ...rest], ["running", "delivered: Welcome, ada", "stopped"])
    const second = await runUntil(filename, "", ["running"])
    deepStrictEqual(second.lines, ["running", "stopped"])
    deepStrictEqual([first.code, second.code], [0, 0])
  })
})
