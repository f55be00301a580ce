/**
 * Runs every command of the guide "From zero to a delivered mail" as a newcomer does. The relay is a real Postfix, with a real name server and a
 * real bounce. Only names and ports of the guide are replaced by those of this machine.
 */
import type { ChildProcess } from "node:child_process"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { endChild } from "../../childEnd.ts"
import type { FaultRun } from "../../FaultRun.ts"
import { startCollector } from "../peers/collector.ts"
import { environment } from "../peers/installed.ts"
import { freePort, startPostfix } from "../peers/postfix.ts"
import { bounceHost, mailboxDomain } from "../peers/postfixConfig.ts"
import type { NameServer, PrintedRecord } from "./nameServer.ts"
import { isNameServerInstalled, startNameServer } from "./nameServer.ts"

const run = promisify(execFile)
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const guide = path("../../../../../docs/guides/from-zero-to-a-delivered-mail.md")
const command = path("../../../../cli/src/main.ts")

const senderDomain = bounceHost.replace(/^bounces\./, "")
const waitMillisMax = 300_000

/** The shell commands of the guide, in order. */
const blocksOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)

interface Places {
  readonly relayPort: number
  readonly httpPort: number
  readonly bouncePort: number
}

/** The guide with the names and ports of this machine. */
const adapted = (text: string, { relayPort, httpPort, bouncePort }: Places): string =>
  text
    .replaceAll("relay.example:587", `127.0.0.1:${relayPort}`)
    .replaceAll("4025", String(httpPort))
    .replaceAll("--bounces-port 2525", `--bounces-port ${bouncePort}`)
    .replaceAll("acme.example", senderDomain)
    .replaceAll("example.org", mailboxDomain)

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

class Newcomer implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "mailkeep-guide-"))
  readonly #env: Record<string, string | undefined> = { ...environment, PATH: `${this.#folder}:${environment.PATH}` }
  #server: ChildProcess | undefined

  constructor() {
    makePrograms(this.#folder)
  }

  set(name: string, value: string): void {
    this.#env[name] = value
  }

  /** Runs a block of commands and returns what it prints. */
  async run(block: string): Promise<string> {
    for (const [, name, value] of block.matchAll(/^export (\w+)=(\S+)$/gm)) this.set(name!, value!)
    const { stdout } = await run("sh", ["-e", "-c", block], { cwd: this.#folder, env: this.#env })
    return stdout
  }

  /** Starts a block that does not end, and waits for its first line. */
  async start(block: string): Promise<void> {
    const server = spawn("sh", ["-e", "-c", `exec ${block.trim()}`], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ["ignore", "pipe", "inherit"]
    })
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
    rmSync(this.#folder, { recursive: true })
  }
}

/** Follows the guide. Returns what did not happen as the guide says. */
const follow = async (newcomer: Newcomer, blocks: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const missed: Array<string> = []
  const expect = (what: string, holds: boolean) => {
    if (!holds) missed.push(what)
  }
  let nameServer: NameServer | undefined
  try {
    for (const block of blocks) {
      if (block.startsWith("npx mailkeep serve")) await newcomer.start(block)
      else if (block.startsWith("npx mailkeep domains add")) {
        expect("the domain prints a DKIM record", (await newcomer.run(block)).includes("_domainkey"))
        const [domain] = JSON.parse(await newcomer.run("npx mailkeep domains list --json")).domains
        nameServer = await startNameServer(senderDomain, domain.records as ReadonlyArray<PrintedRecord>)
        newcomer.set("NAME_SERVER", nameServer.address)
      } else if (block.startsWith("npx mailkeep domains verify"))
        expect("the domain is verified", (await newcomer.run(block)).startsWith(`${senderDomain} verified`))
      else if (block.startsWith("npx mailkeep keys create"))
        newcomer.set("KEY", /mk_\w+/.exec(await newcomer.run(block))?.[0] ?? "")
      else if (block.startsWith("npx mailkeep logs --status bounced")) {
        expect("the bounce is in the log", await newcomer.until(block, `nobody@${mailboxDomain}`))
        expect("the address is suppressed", await newcomer.until(block, "hard_bounce"))
      } else if (block.startsWith("npx mailkeep logs"))
        expect("the mail is accepted", await newcomer.until(block, "accepted"))
      else await newcomer.run(block)
    }
  } finally {
    await nameServer?.[Symbol.asyncDispose]()
  }
  return missed
}

export const guideRun = async (): Promise<FaultRun> => {
  if (!isNameServerInstalled()) {
    const reason = "This run needs a name server, and this machine lacks: knot."
    return process.env["CI"] === "true"
      ? { counts: {}, failures: [reason] }
      : { counts: {}, failures: [], skipped: reason }
  }
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-spool-"))
  await using collector = await startCollector(folder)
  const bouncePort = await freePort()
  await using postfix = await startPostfix({ collectorPort: collector.port, bouncePort })
  const places = { relayPort: postfix.relayPort, httpPort: await freePort(), bouncePort }
  const blocks = blocksOf(adapted(readFileSync(guide, "utf8"), places))
  await using newcomer = new Newcomer()
  const failures = await follow(newcomer, blocks)
  rmSync(folder, { recursive: true, force: true })
  return { counts: { "blocks of commands": blocks.length }, failures }
}
