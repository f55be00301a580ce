/**
 * The requests between the threads of the store: canceled ones, and a thread that cannot be started.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { MessageChannel } from "node:worker_threads"
import { describe, expect, it, onTestFinished } from "vitest"
import type { ThreadCancel, ThreadReply, ThreadRequest } from "../src/internal/thread/replies.ts"
import { answerRequests } from "../src/internal/thread/replies.ts"

/** Sends messages at once to a thread that answers with upper case. Returns what it answered, and what it sent. */
const exchange = async (messages: ReadonlyArray<ThreadRequest<string> | ThreadCancel>, replies: number) => {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const answered: Array<string> = []
  answerRequests(port2, (request: string) => {
    answered.push(request)
    return request.toUpperCase()
  })
  const received: Array<ThreadReply<string>> = []
  const all = new Promise<void>((resolve) =>
    port1.on("message", (some: ReadonlyArray<ThreadReply<string>>) => {
      received.push(...some)
      if (received.length === replies) resolve()
    })
  )
  for (const message of messages) port1.postMessage(message)
  await all
  return { answered, received }
}

describe("a canceled request", () => {
  it("is not answered while it waits, and does not hold up the others", async () => {
    const { answered, received } = await exchange(
      [{ id: 0, request: "a" }, { id: 1, request: "b" }, { cancel: 1 }, { id: 2, request: "c" }],
      2
    )
    expect(answered).toEqual(["a", "c"])
    expect(received.toSorted((one, other) => one.id - other.id)).toEqual([
      { id: 0, reply: "A" },
      { id: 2, reply: "C" }
    ])
  })

  it("leaves no answer when it was the only one, and requests after it are answered once", async () => {
    const { answered, received } = await exchange(
      [{ id: 0, request: "a" }, { cancel: 0 }, { id: 1, request: "b" }, { cancel: 7 }],
      1
    )
    expect(answered).toEqual(["b"])
    expect(received).toEqual([{ id: 1, reply: "B" }])
  })
})

describe("the threads of a store", () => {
  const packageFolder = fileURLToPath(new URL("..", import.meta.url))

  /** Opens a store in a process of its own, and returns the failure. */
  const failureOf = (sources: string, folder: string, flags: ReadonlyArray<string> = []): unknown => {
    const program = join(folder, "program.ts")
    writeFileSync(
      program,
      `import { Effect } from "effect"
import { SqliteMailStore } from ${JSON.stringify(join(sources, "index.ts"))}
const opened = Effect.scoped(SqliteMailStore.make({ filename: ${JSON.stringify(join(folder, "mail.db"))} }))
const { _tag, reason, message } = await Effect.runPromise(Effect.flip(opened))
console.log(JSON.stringify({ _tag, reason, message }))
`
    )
    const output = execFileSync(process.execPath, [...flags, program], { encoding: "utf8", timeout: 60_000 })
    return JSON.parse(output)
  }

  const makeFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "mailkeep-threads-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    symlinkSync(join(packageFolder, "node_modules"), join(folder, "node_modules"))
    return folder
  }

  it.each(["commitWorker", "scanWorker"])(
    "names the published file of %s in full, so that a file tracer copies it",
    (module) => {
      const source = readFileSync(join(packageFolder, "src", "internal", "thread", "workerThread.ts"), "utf8")
      expect(source).toContain(`new URL("./${module}.js", import.meta.url)`)
    }
  )

  it.each(["commitWorker.ts", "scanWorker.ts"])("does not open when a bundler has left out %s", (missing) => {
    const folder = makeFolder()
    cpSync(join(packageFolder, "src"), join(folder, "src"), { recursive: true })
    rmSync(join(folder, "src", "internal", "thread", missing))
    expect(failureOf(join(folder, "src"), folder)).toEqual({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining(
        `The file ${missing} of @mailkeep/sqlite is missing. Mark the package as external in your bundler`
      )
    })
  })

  it.each(['import "./missing.ts"', "import from a bundle"])(
    "names the bundler when a thread cannot run: %s",
    (source) => {
      const folder = makeFolder()
      cpSync(join(packageFolder, "src"), join(folder, "src"), { recursive: true })
      const threads = join(folder, "src", "internal", "thread")
      writeFileSync(join(threads, "commitWorker.ts"), source)
      const program = join(folder, "program.ts")
      writeFileSync(
        program,
        `import { Effect } from "effect"
import { makeWorkerThread } from ${JSON.stringify(join(threads, "workerThread.ts"))}
const options = { module: "commitWorker", workerData: {}, pendingMax: 1, idleMillis: 1000 } as const
const answer = Effect.scoped(Effect.flatMap(makeWorkerThread(options), ({ request }) => request(1)))
console.log((await Effect.runPromise(Effect.flip(answer))).message)
`
      )
      const output = execFileSync(process.execPath, [program], { encoding: "utf8", timeout: 60_000 })
      expect(output).toContain("Mark the package @mailkeep/sqlite as external in your bundler.")
    }
  )

  it("does not open when the process may start no thread", () => {
    const flags = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-addons"]
    expect(failureOf(join(packageFolder, "src"), makeFolder(), flags)).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining("may not start a thread. With node --permission, add --allow-worker")
    })
  })

  it("does not open when the process may not load the native module", () => {
    const flags = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-worker"]
    expect(failureOf(join(packageFolder, "src"), makeFolder(), flags)).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining("With node --permission, add --allow-addons")
    })
  })

  it.each(["__dirname", "bundleFolder"])(
    "does not open when the native module is not found below the folder %s",
    (name) => {
      const folder = makeFolder()
      cpSync(join(packageFolder, "src"), join(folder, "src"), { recursive: true })
      const packages = join(folder, "node_modules")
      rmSync(packages)
      mkdirSync(packages)
      for (const name of ["@mailkeep", "effect"])
        symlinkSync(join(packageFolder, "node_modules", name), join(packages, name))
      for (const name of ["lib", "package.json"])
        cpSync(join(packageFolder, "node_modules", "better-sqlite3", name), join(packages, "better-sqlite3", name), {
          recursive: true
        })
      // A bundle as an ES module has no `__dirname`.
      const file = join(packages, "better-sqlite3", "lib", "binding.js")
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("__dirname", name))
      expect(failureOf(join(folder, "src"), folder)).toMatchObject({
        _tag: "StoreNotOpened",
        reason: "unsupported_runtime",
        message: expect.stringContaining("The native module of better-sqlite3 for")
      })
    }
  )

  it("does not open when a bundler has replaced import.meta.url by undefined", () => {
    const folder = makeFolder()
    cpSync(join(packageFolder, "src"), join(folder, "src"), { recursive: true })
    const file = join(folder, "src", "internal", "thread", "workerThread.ts")
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("import.meta.url", "(undefined as string | undefined)!"))
    expect(failureOf(join(folder, "src"), folder)).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining("Mark the package as external in your bundler")
    })
  })

  it("commits in a process of node --watch, whose threads report the modules that they load", () => {
    const folder = makeFolder()
    const program = join(folder, "program.ts")
    writeFileSync(
      program,
      `import { Effect } from "effect"
import { SqliteMailStore } from ${JSON.stringify(join(packageFolder, "src", "index.ts"))}
const written = Effect.flatMap(SqliteMailStore.make({ filename: ${JSON.stringify(join(folder, "mail.db"))} }), (store) =>
  Effect.andThen(store.commitThreadStarted, store.commit([{ _tag: "PutSetting", name: "a", value: "1" }]))
)
await Effect.runPromise(Effect.scoped(written))
console.log("written")
`
    )
    // What node --watch sets for the process that it starts again.
    const env = { ...process.env, WATCH_REPORT_DEPENDENCIES: "1" }
    expect(execFileSync(process.execPath, [program], { env, encoding: "utf8", timeout: 60_000 })).toBe("written\n")
  })

  it("does not create a file that others could read when the process may not write", () => {
    const folder = makeFolder()
    const flags = ["--permission", "--allow-fs-read=*", "--allow-addons", "--allow-worker"]
    expect(failureOf(join(packageFolder, "src"), folder, flags)).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "read_only",
      message: expect.stringContaining("With node --permission, add --allow-fs-write")
    })
    expect(existsSync(join(folder, "mail.db"))).toBe(false)
  })

  it.each(["--input-type=module", "--input-type module"])(
    "starts the thread of a program that Node got as text with the flag %s",
    (flag) => {
      const folder = makeFolder()
      cpSync(join(packageFolder, "src"), join(folder, "src"), { recursive: true })
      const threads = join(folder, "src", "internal", "thread")
      writeFileSync(
        join(threads, "commitWorker.ts"),
        `import { parentPort } from "node:worker_threads"
parentPort.once("message", ({ id }) => parentPort.postMessage([{ id, reply: "answered" }]))
`
      )
      const program = `import { Effect } from "effect"
import { makeWorkerThread } from ${JSON.stringify(join(threads, "workerThread.ts"))}
const options = { module: "commitWorker", workerData: {}, pendingMax: 1, idleMillis: 1000 }
const answer = Effect.scoped(Effect.flatMap(makeWorkerThread(options), ({ request }) => request(1)))
console.log(await Effect.runPromise(Effect.match(answer, { onSuccess: (reply) => reply, onFailure: ({ cause }) => cause.code })))
`
      const args = [...flag.split(" "), "--eval", program]
      const output = execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: 60_000 })
      expect(output).toBe("answered\n")
    }
  )
})
