/**
 * Runs the laws against mutants in child processes, and decides which mutants they catch.
 */
import type { ChildProcess } from "node:child_process"
import { fork } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clearTimeout, setTimeout } from "node:timers"
import { pathToFileURL } from "node:url"
import { storeLaws } from "@mailkeep/conformance"
import { read, root } from "../workspace.ts"
import type { Begun, Reply, Request } from "./lawRunner.ts"
import { isSlow, lawSecondsMax } from "./lawTimes.ts"
import type { Mutant } from "./Mutant.ts"
import { mutated } from "./Mutant.ts"
import type { Subject, SubjectName } from "./subjects.ts"
import { subjects } from "./subjects.ts"

export interface Result {
  readonly mutant: Mutant
  /** `invalid`: the changed file does not load, or its SQL has an error of syntax, so no test is needed to see it. */
  readonly verdict: "caught" | "survived" | "invalid"
  /** The law that was broken, or what ended the run. */
  readonly by: string
  readonly detail: string
  readonly millis: number
}

/** A law ends by itself at its limit. A process that takes so much longer hangs, and the mutant is caught. */
const hangSeconds = 10

/** The time in which a process loads a mutant. */
const loadSeconds = 120

/** A process is replaced after this number of mutants, to free what they left behind. */
const mutantsOfProcessMax = 30

const invalidSql =
  /syntax error|no such column|no such table|ambiguous column|wrong number of arguments|incomplete input|no query solution|cannot use DEFAULT|near "/

/** Class 42 of the codes of PostgreSQL: the server refuses the statement itself, whatever the tables contain. */
const invalidPostgres = /PostgreSQL failed with 42/

/** Memory, if the system has such a folder: the laws open thousands of files. */
const folderOfFiles = () => mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "mailkeep-mutants-"))

interface Runner {
  readonly send: (request: Request) => Promise<Reply | undefined>
  readonly stop: () => void
}

const startRunner = async (env: NodeJS.ProcessEnv): Promise<Runner> => {
  const child: ChildProcess = fork(new URL("lawRunner.ts", import.meta.url), {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
  let receive: (message: unknown) => void = () => {}
  let timer: NodeJS.Timeout | undefined
  const limit = (seconds: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000)
  }
  child.on("message", (message: Begun | Reply | "ready") => {
    if (message !== "ready" && "law" in message) limit(lawSecondsMax(message.law) + hangSeconds)
    else receive(message)
  })
  child.on("exit", () => receive(undefined))
  const next = () => new Promise<unknown>((resolve) => (receive = resolve))
  await next()
  return {
    send: async (request) => {
      const replied = next() as Promise<Reply | undefined>
      limit(loadSeconds)
      child.send(request)
      const reply = await replied
      clearTimeout(timer)
      return reply
    },
    stop: () => child.kill("SIGKILL")
  }
}

const resultOf = (mutant: Mutant, reply: Reply | undefined): Result => {
  if (reply === undefined)
    return { mutant, verdict: "caught", by: "the process ended or did not answer", detail: "", millis: 0 }
  const { brokenLaw, detail, millis } = reply
  const isInvalid =
    brokenLaw === "does not load" ||
    (detail.includes("SqliteError") && invalidSql.test(detail)) ||
    invalidPostgres.test(detail)
  const verdict = brokenLaw === null ? "survived" : isInvalid ? "invalid" : "caught"
  return { mutant, verdict, by: brokenLaw ?? "", detail, millis }
}

/** The laws that run against a subject: those that caught the last mutants first, and the slow laws last. */
const lawOrder = (name: SubjectName) => {
  const without: ReadonlySet<string> = subjects[name].without
  const ids = storeLaws.laws.map(({ id }) => id as string).filter((id) => !without.has(id))
  let quick = ids.filter((id) => !isSlow(id))
  const slow = ids.filter(isSlow)
  return {
    ids: (isQuick: boolean) => (isQuick ? quick : [...quick, ...slow]),
    caught: (id: string) => {
      if (quick.includes(id)) quick = [id, ...quick.filter((one) => one !== id)]
    }
  }
}

export interface RunOptions {
  readonly jobs: number
  /** Whether the laws that start processes or run long are left out. */
  readonly isQuick: boolean
  /** Whether the laws that start processes or run long are checked first on the store without a change. */
  readonly checksSlow: boolean
  /** Is called with each result. */
  readonly onResult: (result: Result) => void
}

/** Runs the laws against the mutants of one subject. Throws if the subject breaks a law without any change. */
export const runMutants = async (
  name: SubjectName,
  mutants: ReadonlyArray<Mutant>,
  { jobs, isQuick, checksSlow, onResult }: RunOptions
): Promise<ReadonlyArray<Result>> => {
  const { entry, folders, replaced = {}, start }: Subject = subjects[name]
  const urlOf = (path: string) => pathToFileURL(join(root, path)).href
  const folder = folderOfFiles()
  mkdirSync(join(folder, "files"))
  for (const mutant of mutants)
    writeFileSync(
      join(folder, `${mutant.number}.json`),
      JSON.stringify({ file: join(root, mutant.file), text: mutated(read(mutant.file), mutant) })
    )
  const loader = new URL("mutantLoader.ts", import.meta.url).href
  const server = await start?.()
  const env = {
    ...server?.env,
    NODE_OPTIONS: `--import ${loader} --disable-warning=ExperimentalWarning`,
    MAILKEEP_MUTANT_TEXTS: folder,
    MAILKEEP_MUTANT_FOLDERS: JSON.stringify(folders.map(urlOf)),
    MAILKEEP_MUTANT_REPLACED: JSON.stringify(
      Object.fromEntries(Object.entries(replaced).map(([from, to]) => [urlOf(from), urlOf(to)]))
    ),
    TMPDIR: join(folder, "files")
  }
  const order = lawOrder(name)
  const entryUrl = urlOf(entry)
  const results: Array<Result> = []
  const waiting = [...mutants]

  const work = async (): Promise<void> => {
    let runner = await startRunner(env)
    let count = 0
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const reply = await runner.send({ mutant: mutant.number, entry: entryUrl, laws: order.ids(isQuick) })
      const result = resultOf(mutant, reply)
      if (result.verdict === "caught") order.caught(result.by)
      results.push(result)
      onResult(result)
      if (reply === undefined || ++count >= mutantsOfProcessMax) {
        runner.stop()
        runner = await startRunner(env)
        count = 0
      }
    }
    runner.stop()
  }

  try {
    const runner = await startRunner(env)
    const plain = await runner.send({ mutant: "none", entry: entryUrl, laws: order.ids(!checksSlow) })
    runner.stop()
    if (plain?.brokenLaw !== null)
      throw new Error(`${name} without a change breaks ${plain?.brokenLaw ?? "the run"}: ${plain?.detail ?? ""}`)
    await Promise.all(Array.from({ length: jobs }, work))
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return results.toSorted((a, b) => a.mutant.number - b.mutant.number)
}
