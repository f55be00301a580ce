/**
 * A private Postfix in a folder, with its own configuration, queue and ports on the loopback interface. It ends with this process in any case:
 * a guard stops it when the pipe from this process closes.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort } from "@mailkeep/test-support/freePort"
import { environment } from "./installed.ts"
import { mailboxBytesMax, mainConfig, masterConfig } from "./postfixConfig.ts"

const run = promisify(execFile)

/** A running Postfix. It stops when it is disposed of. */
export interface Postfix extends AsyncDisposable {
  /** Takes all mail from the loopback interface. */
  readonly relayPort: number
  /** The same, but it answers a second after the end of each message. */
  readonly slowPort: number
  /** The number of messages that Postfix still has. */
  readonly queued: () => number
  /** Waits until Postfix has no message. Returns `false` when it still has one after 5 minutes. */
  readonly emptied: () => Promise<boolean>
  /** The log of all its processes. */
  readonly log: () => string
}

const setting = async (name: string): Promise<string> =>
  (await run("postconf", ["-d", "-h", name], { env: environment })).stdout.trim()

/** In this order a message moves. A message that moves during the count is in one of the two folders that are read. */
const queues = ["maildrop", "incoming", "active", "deferred"]

const filesBelow = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
    : 0

/** Postfix leaves a message alone for 5 minutes when one of its processes still has the file open. A flush tries all messages at once. */
const flushMillis = 6000

/** Far more than Postfix needs, also on a busy machine: a message that is still there is stuck. */
const emptyMillisMax = 300_000

/** Stops Postfix and removes the folder when its standard input closes. `$0` is the folder. */
const guardScript = `cat >/dev/null; postfix -c "$0/etc" stop; rm -rf "$0"`

/** The user and group `nobody`, to whom the mailboxes belong. */
const nobody = 65_534

/** Makes a mailbox that has its largest size already. */
const makeFullMailbox = (folder: string): void => {
  const file = join(folder, "full")
  writeFileSync(file, "")
  truncateSync(file, mailboxBytesMax)
  for (const path of [folder, file]) chownSync(path, nobody, nobody)
}

/** Starts a Postfix that gives the mail to the collector, and the bounces to `bouncePort`. */
export const startPostfix = async (options: {
  readonly collectorPort: number
  readonly bouncePort: number
}): Promise<Postfix> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-postfix-"))
  const [relayPort, slowPort, strictPort] = [await freePort(), await freePort(), await freePort()]
  const places = { ...options, folder, relayPort, slowPort, strictPort }
  const config = join(folder, "etc")
  // The processes of Postfix run as other users.
  chmodSync(folder, 0o755)
  for (const name of ["etc", "queue", "data", "mailboxes"]) mkdirSync(join(folder, name), { mode: 0o755 })
  makeFullMailbox(join(folder, "mailboxes"))
  await run("chown", ["postfix", join(folder, "data")])
  const programs = { daemons: await setting("daemon_directory"), commands: await setting("command_directory") }
  writeFileSync(join(config, "main.cf"), mainConfig(places, programs))
  writeFileSync(join(config, "master.cf"), masterConfig(places))

  const guard = spawn("sh", ["-c", guardScript, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: environment
  })
  const guardEnd = once(guard, "exit")
  const stop = async () => {
    guard.stdin!.end()
    await guardEnd
  }
  const logFile = join(folder, "mail.log")
  const log = () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : "")
  try {
    await run("postfix", ["-c", config, "start"], { env: environment })
  } catch (cause) {
    const text = log()
    await stop()
    throw new Error(`Postfix did not start: ${text.slice(-2000)}`, { cause })
  }
  const queued = () => queues.reduce((sum, name) => sum + filesBelow(join(folder, "queue", name)), 0)
  return {
    relayPort,
    slowPort,
    queued,
    emptied: async () => {
      const begun = performance.now()
      let flushes = 0
      // A message that is tried again moves against the order of the count, so one empty count is not enough.
      for (let empty = 0; empty < 3;) {
        const elapsed = performance.now() - begun
        if (elapsed > emptyMillisMax) return false
        if (elapsed > flushMillis * (flushes + 1)) {
          flushes++
          await run("postqueue", ["-c", config, "-f"], { env: environment })
        }
        empty = queued() === 0 ? empty + 1 : 0
        await wait(20)
      }
      return true
    },
    log,
    [Symbol.asyncDispose]: stop
  }
}
