/**
 * A real name server (knot) on the loopback interface, with the records of one zone.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { Resolver } from "node:dns/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { startOnFreePort } from "./freePort.ts"
import { newFolder, owned, removeFolder } from "./runEnd.ts"

/** A record as the command prints it with `--json`. */
export interface PrintedRecord {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority: number | null
}

/** A running name server. */
export interface NameServer extends AsyncDisposable {
  /** A host and a port, as the flag `--dns` takes it. */
  readonly address: string
  /** Replaces the records of the zone, and returns when the server answers with the new ones. */
  readonly publish: (records: ReadonlyArray<PrintedRecord>) => Promise<void>
}

/** Debian's `knotd` is in `/usr/sbin`, which is not in every `PATH`. */
const environment = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` }

/** Whether this machine has the program `knotd`. */
export const isNameServerInstalled = (): boolean =>
  spawnSync("knotd", ["--version"], { env: environment, stdio: "ignore" }).status === 0

/** In the form of a zone file: a text is in strings of at most 255 bytes. */
const zoneLine = ({ type, name, value, priority }: PrintedRecord): string =>
  type === "MX"
    ? `${name}. 60 MX ${priority} ${value}.`
    : `${name}. 60 TXT ${(value.match(/.{1,250}/g) ?? []).map((part) => JSON.stringify(part)).join(" ")}`

const zoneFile = (zone: string, serial: number, records: ReadonlyArray<PrintedRecord>): string =>
  [
    `${zone}. 60 SOA ns.${zone}. root.${zone}. ${serial} 60 60 60 0`,
    `${zone}. 60 NS ns.${zone}.`,
    `ns.${zone}. 60 A 127.0.0.1`,
    ...records.map(zoneLine),
    ""
  ].join("\n")

const configOf = (folder: string, port: number, zone: string): string => `server:
  rundir: ${folder}
  listen: 127.0.0.1@${port}
database:
  storage: ${folder}
zone:
  - domain: ${zone}
    storage: ${folder}
    file: zone
    semantic-checks: off
`

const answerMillisMax = 60_000

/** Waits until a server answers with this serial number of its zone. False when its process has ended. */
const answers = async (address: string, zone: string, serial: number, hasEnded: () => boolean): Promise<boolean> => {
  const resolver = new Resolver({ timeout: 1000, tries: 1 })
  resolver.setServers([address])
  const giveUpAt = performance.now() + answerMillisMax
  while (!hasEnded()) {
    const shown = await resolver.resolveSoa(zone).then(
      (soa) => soa.serial,
      () => undefined
    )
    if (shown === serial) return true
    if (performance.now() > giveUpAt) throw new Error("The name server does not answer.")
    await pause(20)
  }
  return false
}

/** Starts the server, and waits until it answers. It asks for another port when another process took the first one. */
export const startNameServer = async (
  zone: string,
  records: ReadonlyArray<PrintedRecord> = [],
  choosePort?: () => Promise<number>
): Promise<NameServer> => {
  const folder = newFolder("mailkeep-knot-")
  const config = join(folder, "knot.conf")
  let serial = 1
  writeFileSync(join(folder, "zone"), zoneFile(zone, serial, records))
  const nameServer = await startOnFreePort(async (port): Promise<NameServer | undefined> => {
    const address = `127.0.0.1:${port}`
    writeFileSync(config, configOf(folder, port, zone))
    const server = owned(spawn("knotd", ["-c", config], { env: environment, stdio: "ignore" }))
    const hasEnded = () => server.exitCode !== null || server.signalCode !== null
    if (!(await answers(address, zone, serial, hasEnded))) return undefined
    return {
      address,
      publish: async (changed) => {
        serial++
        writeFileSync(join(folder, "zone"), zoneFile(zone, serial, changed))
        // The server reads its files again, and keeps its port.
        server.kill("SIGHUP")
        if (!(await answers(address, zone, serial, hasEnded))) throw new Error("The name server has ended.")
      },
      [Symbol.asyncDispose]: async () => {
        if (!hasEnded()) {
          const end = once(server, "exit")
          server.kill("SIGKILL")
          await end
        }
        removeFolder(folder)
      }
    }
  }, choosePort)
  if (nameServer === undefined) throw new Error("The name server did not start.")
  return nameServer
}
