/**
 * Counts the modules that a process loads until its first mail is accepted, and compares the count with the recorded budget. The count does not depend on
 * the speed of the machine. It grows when code that a start does not need is loaded early.
 */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** The modules of each start. */
export interface StartBudget {
  /** `openMail` on a new SQLite file, until the first send is stored. */
  readonly openMail: number
  /** `mailkeep serve`, until the first response 202. */
  readonly serve: number
}

/** A sentence for each start that loads more modules than its budget. */
export const budgetComplaints = (loaded: StartBudget, budget: StartBudget): ReadonlyArray<string> =>
  (["openMail", "serve"] as const).flatMap((start) =>
    loaded[start] <= budget[start]
      ? []
      : [
          `${start} loads ${loaded[start]} modules until the first mail is accepted, and its budget is ${budget[start]}.`
        ]
  )

/** Writes the address of each module that the main thread loads to a file. The single quotes keep its imports out of the layer rules. */
const recorder = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (isMainThread)
  registerHooks({
    load: (url, context, next) => {
      if (url.startsWith("file:")) appendFileSync(process.env.LOADED_MODULES, url + "\\n")
      return next(url, context)
    }
  })
`

const openMailProgram = `
import { openMail, sqlite, stub } from 'mailkeep'

const mail = await openMail({ store: sqlite("start.db"), transport: stub(), domains: ["acme.example"] })
await mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
process.exit()
`

/** The number of different modules of packages in the lines of the recorder. */
export const countModules = (text: string): number =>
  new Set(text.split("\n").filter((url) => url.includes("/node_modules/"))).size

interface Start {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Counts the modules that were loaded so far. */
  readonly count: () => number
}

const prepare = (folder: string): Start => {
  const file = join(folder, "recorder.js")
  const loaded = join(folder, "loaded.txt")
  writeFileSync(file, recorder)
  rmSync(loaded, { force: true })
  return {
    folder,
    env: { ...process.env, NODE_OPTIONS: `--import ${pathToFileURL(file).href}`, LOADED_MODULES: loaded },
    count: () => countModules(existsSync(loaded) ? readFileSync(loaded, "utf8") : "")
  }
}

const modulesOfOpenMail = (folder: string): number => {
  const { env, count } = prepare(folder)
  writeFileSync(join(folder, "start.js"), openMailProgram)
  execFileSync(process.execPath, ["start.js"], { cwd: folder, env })
  return count()
}

const send = async (url: string, apiKey: string): Promise<number> => {
  const response = await fetch(`${url}/api/v1/emails/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "idempotency-key": "first" },
    body: JSON.stringify({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
  })
  await response.arrayBuffer()
  return response.status
}

const modulesOfServe = async (folder: string): Promise<number> => {
  const command = join(folder, "node_modules/@mailkeep/cli/dist/bin/main.js")
  const place = ["--data", join(folder, "start-data"), "--json"]
  const run = (...args: ReadonlyArray<string>) =>
    execFileSync(process.execPath, [command, ...args, "--project", "prj_first", ...place], { encoding: "utf8" })
  run("domains", "add", "acme.example", "--verified")
  const { key } = JSON.parse(run("keys", "create", "--permission", "email.send")) as { readonly key: string }
  const { env, count } = prepare(folder)
  const server = spawn(process.execPath, [command, "serve", "--port", "0", ...place], {
    env,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<void>((resolve) => server.on("exit", () => resolve()))
  try {
    const line = await new Promise<string>((resolve, reject) => {
      server.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()))
      server.once("exit", (code) => reject(new Error(`mailkeep serve ended with ${code} before it listened.`)))
    })
    const status = await send((JSON.parse(line) as { readonly url: string }).url, key)
    if (status !== 202) throw new Error(`mailkeep serve answered the first send with ${status}.`)
    return count()
  } finally {
    server.kill()
    await ended
  }
}

/** Starts both in a product that has the packed packages `mailkeep` and `@mailkeep/cli`. */
export const measureStart = async (folder: string): Promise<StartBudget> => ({
  openMail: modulesOfOpenMail(folder),
  serve: await modulesOfServe(folder)
})
