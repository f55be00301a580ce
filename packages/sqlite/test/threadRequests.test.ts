/**
 * The requests between the threads of the store: canceled ones, and a thread that cannot be started.
 */
import type { ExecFileSyncOptionsWithStringEncoding } from "node:child_process"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { MessageChannel } from "node:worker_threads"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { ThreadCancel, ThreadReply, ThreadRequest } from "../src/internal/thread/replies.ts"
import { answerRequests } from "../src/internal/thread/replies.ts"
import type { Copies } from "./changedCopies.ts"
// oxlint-disable-next-line import/default -- `bundledCommand.ts` of the tools makes this module.
import openingProgram from "./openingProgram.ts?bundled"

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

const packageFolder = fileURLToPath(new URL("..", import.meta.url))

const run = (args: ReadonlyArray<string>, options: ExecFileSyncOptionsWithStringEncoding = { encoding: "utf8" }) =>
  execFileSync(process.execPath, args, { timeout: 60_000, ...options })

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-threads-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Makes a folder with a copy of the sources of this package, and with its packages. */
const copySources = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-threads-"))
  symlinkSync(join(packageFolder, "node_modules"), join(folder, "node_modules"))
  cpSync(join(packageFolder, "src"), join(folder, "src"), { recursive: true })
  return folder
}

const inThreadFolder = (folder: string, file: string): string => join(folder, "src", "internal", "thread", file)

describe("the threads of a copy that a bundler has changed", () => {
  const leaveOut = (file: string) => (folder: string) => rmSync(inThreadFolder(folder, file))

  const replaceWorker = (source: string) => (folder: string) =>
    writeFileSync(inThreadFolder(folder, "commitWorker.ts"), source)

  /** As a bundle that is an ES module, which has no `__dirname`, or has another folder. */
  const replaceDirname = (name: string) => (folder: string) => {
    const packages = join(folder, "node_modules")
    rmSync(packages)
    mkdirSync(packages)
    for (const own of ["@mailkeep", "effect"])
      symlinkSync(join(packageFolder, "node_modules", own), join(packages, own))
    for (const part of ["lib", "package.json"])
      cpSync(join(packageFolder, "node_modules", "better-sqlite3", part), join(packages, "better-sqlite3", part), {
        recursive: true
      })
    const file = join(packages, "better-sqlite3", "lib", "binding.js")
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("__dirname", name))
  }

  const withoutModuleUrl = (folder: string) => {
    const file = inThreadFolder(folder, "workerThread.ts")
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("import.meta.url", "(undefined as string | undefined)!"))
  }

  /** What is changed in each copy. A store is opened in the copies of `opened`, and only the thread is started in those of `started`. */
  const changes = {
    opened: {
      "commitWorker.ts": leaveOut("commitWorker.ts"),
      "scanWorker.ts": leaveOut("scanWorker.ts"),
      __dirname: replaceDirname("__dirname"),
      bundleFolder: replaceDirname("bundleFolder"),
      "import.meta.url": withoutModuleUrl
    },
    started: {
      'import "./missing.ts"': replaceWorker('import "./missing.ts"'),
      "import from a bundle": replaceWorker("import from a bundle")
    }
  } as const

  const folders: Array<string> = []
  let failures: Readonly<Record<string, unknown>> = {}
  beforeAll(() => {
    const copyEach = (some: Readonly<Record<string, (folder: string) => void>>) =>
      Object.fromEntries(
        Object.entries(some).map(([name, change]) => {
          const folder = copySources()
          folders.push(folder)
          change(folder)
          return [name, folder]
        })
      )
    const copies = { opened: copyEach(changes.opened), started: copyEach(changes.started) }
    const program = fileURLToPath(new URL("./changedCopies.ts", import.meta.url))
    failures = JSON.parse(run([program, JSON.stringify(copies satisfies Copies)]))
  })
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  it.each(["commitWorker.ts", "scanWorker.ts"])("does not open when a bundler has left out %s", (missing) => {
    expect(failures[missing]).toEqual({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining(
        `The file ${missing} of @mailkeep/sqlite is missing. Mark the package as external in your bundler`
      )
    })
  })

  it.each(Object.keys(changes.started))("names the bundler when a thread cannot run: %s", (source) => {
    expect(failures[source]).toMatchObject({
      _tag: "StoreUnavailable",
      message: expect.stringContaining("Mark the package @mailkeep/sqlite as external in your bundler.")
    })
  })

  it.each(["__dirname", "bundleFolder"])(
    "does not open when the native module is not found below the folder %s",
    (name) => {
      expect(failures[name]).toMatchObject({
        _tag: "StoreNotOpened",
        reason: "unsupported_runtime",
        message: expect.stringContaining("The native module of better-sqlite3 for")
      })
    }
  )

  it("does not open when a bundler has replaced import.meta.url by undefined", () => {
    expect(failures["import.meta.url"]).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining("Mark the package as external in your bundler")
    })
  })
})

describe("the threads of a store", () => {
  it.each(["commitWorker", "scanWorker"])(
    "names the published file of %s in full, so that a file tracer copies it",
    (module) => {
      const source = readFileSync(inThreadFolder(packageFolder, "workerThread.ts"), "utf8")
      expect(source).toContain(`new URL("./${module}.js", import.meta.url)`)
    }
  )

  /** Opens a store in a process with these flags, and returns what the program prints. */
  const opened = (folder: string, flags: ReadonlyArray<string>, env = process.env): unknown =>
    JSON.parse(run([...flags, openingProgram, join(folder, "mail.db")], { env, encoding: "utf8" }))

  it("does not open when the process may start no thread", () => {
    const flags = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-addons"]
    expect(opened(makeFolder(), flags)).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining("may not start a thread. With node --permission, add --allow-worker")
    })
  })

  it("does not open when the process may not load the native module", () => {
    const flags = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-worker"]
    expect(opened(makeFolder(), flags)).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unsupported_runtime",
      message: expect.stringContaining("With node --permission, add --allow-addons")
    })
  })

  it("does not create a file that others could read when the process may not write", () => {
    const folder = makeFolder()
    const flags = ["--permission", "--allow-fs-read=*", "--allow-addons", "--allow-worker"]
    expect(opened(folder, flags)).toMatchObject({
      _tag: "StoreNotOpened",
      reason: "read_only",
      message: expect.stringContaining("With node --permission, add --allow-fs-write")
    })
    expect(existsSync(join(folder, "mail.db"))).toBe(false)
  })

  it("commits in a process of node --watch, whose threads report the modules that they load", () => {
    // What node --watch sets for the process that it starts again.
    expect(opened(makeFolder(), [], { ...process.env, WATCH_REPORT_DEPENDENCIES: "1" })).toBe("written")
  })

  it.each(["--input-type=module", "--input-type module"])(
    "starts the thread of a program that Node got as text with the flag %s",
    (flag) => {
      const folder = copySources()
      onTestFinished(() => rmSync(folder, { recursive: true }))
      writeFileSync(
        inThreadFolder(folder, "commitWorker.ts"),
        `import { parentPort } from "node:worker_threads"
parentPort.once("message", ({ id }) => parentPort.postMessage([{ id, reply: "answered" }]))
`
      )
      const program = `import { Effect } from "effect"
import { makeWorkerThread } from ${JSON.stringify(inThreadFolder(folder, "workerThread.ts"))}
const options = { module: "commitWorker", workerData: {}, pendingMax: 1, idleMillis: 1000 }
const answer = Effect.scoped(Effect.flatMap(makeWorkerThread(options), ({ request }) => request(1)))
console.log(await Effect.runPromise(Effect.match(answer, { onSuccess: (reply) => reply, onFailure: ({ cause }) => cause.code })))
`
      expect(run([...flag.split(" "), "--eval", program], { cwd: folder, encoding: "utf8" })).toBe("answered\n")
    }
  )
})
