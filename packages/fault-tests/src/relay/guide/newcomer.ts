/**
 * Runs the shell commands of a guide as a newcomer does: one after another in an empty folder.
 */
import type { ChildProcess } from "node:child_process"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { endChild } from "../../childEnd.ts"
import { environment } from "../peers/installed.ts"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

const run = promisify(execFile)
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const command = path("../../../../cli/src/main.ts")

const waitMillisMax = 300_000

/** The text of a guide. */
export const guide = (name: string): string => readFileSync(path(`../../../../../docs/guides/${name}`), "utf8")

/** The blocks of shell commands of a guide, in order. */
export const blocksOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)

/** `npx mailkeep` runs the command of this repository. Only the checks of domains ask the name server of this run. */
const makePrograms = (folder: string) => {
  const write = (name: string, script: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  write("npm", '[ "$*" = "install @mailkeep/cli" ]')
  write(
    "npx",
    `[ "$1" = mailkeep ] || exit 1; shift; case "$1 $2" in "domains verify") set -- "$@" --dns "$NAME_SERVER";; esac; exec ${JSON.stringify(process.execPath)} ${JSON.stringify(command)} "$@"`
  )
}

export class Newcomer implements AsyncDisposable {
  readonly #folder = newFolder("mailkeep-guide-")
  readonly #env: Record<string, string | undefined> = { ...environment, PATH: `${this.#folder}:${environment.PATH}` }
  #server: ChildProcess | undefined

  constructor() {
    makePrograms(this.#folder)
  }

  set(name: string, value: string): void {
    this.#env[name] = value
  }

  /** Runs a block of commands and returns what it prints. A printed API key becomes the variable `KEY`, as each guide says. */
  async run(block: string): Promise<string> {
    for (const [, settings] of block.matchAll(/^export (.+)$/gm))
      for (const [, name, value] of settings!.matchAll(/(\w+)=(\S+)/g)) this.set(name!, value!)
    const { stdout } = await run("sh", ["-e", "-c", block], { cwd: this.#folder, env: this.#env })
    const [key] = /\bmk_\w+/.exec(stdout) ?? []
    if (key !== undefined) this.set("KEY", key)
    return stdout
  }

  /** Starts a block that does not end, and waits for its first line. */
  async start(block: string): Promise<void> {
    const server = owned(
      spawn("sh", ["-e", "-c", `exec ${block.trim()}`], {
        cwd: this.#folder,
        env: this.#env,
        stdio: ["ignore", "pipe", "inherit"]
      })
    )
    this.#server = server
    await Promise.race([
      once(server.stdout, "data"),
      once(server, "exit").then(() => Promise.reject(new Error("The server of the guide ended.")))
    ])
    server.stdout.resume()
  }

  /** Repeats a block until its output has the text. Returns `false` when the time is over before. */
  async until(block: string, text: string): Promise<boolean> {
    for (const end = performance.now() + waitMillisMax; performance.now() < end; await wait(300))
      if ((await this.run(block)).includes(text)) return true
    return false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server !== undefined) await endChild(this.#server, "SIGTERM")
    removeFolder(this.#folder)
  }
}
