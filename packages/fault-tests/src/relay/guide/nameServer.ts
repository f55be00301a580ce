/**
 * A real name server (knot) on the loopback interface with the records of one zone.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { Resolver } from "node:dns/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { environment } from "../peers/installed.ts"
import { freePort } from "@mailkeep/test-support/freePort"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

/** A record as the command prints it with `--json`. */
export interface PrintedRecord {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority: number | null
}

/** In the form of a zone file: a text is in strings of at most 255 bytes. */
const zoneLine = ({ type, name, value, priority }: PrintedRecord): string =>
  type === "MX"
    ? `${name}. 60 MX ${priority} ${value}.`
    : `${name}. 60 TXT ${(value.match(/.{1,250}/g) ?? []).map((part) => JSON.stringify(part)).join(" ")}`

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

export const isNameServerInstalled = (): boolean =>
  spawnSync("knotd", ["--version"], { env: environment, stdio: "ignore" }).status === 0

export interface NameServer extends AsyncDisposable {
  /** As the flag `--dns` takes it. */
  readonly address: string
}

const startMillisMax = 120_000

/** Starts the server, and waits until it answers. */
export const startNameServer = async (zone: string, records: ReadonlyArray<PrintedRecord>): Promise<NameServer> => {
  const folder = newFolder("mailkeep-knot-")
  const port = await freePort()
  const own = [
    `${zone}. 60 SOA ns.${zone}. root.${zone}. 1 60 60 60 0`,
    `${zone}. 60 NS ns.${zone}.`,
    `ns.${zone}. 60 A 127.0.0.1`
  ]
  writeFileSync(join(folder, "zone"), `${[...own, ...records.map(zoneLine)].join("\n")}\n`)
  writeFileSync(join(folder, "knot.conf"), configOf(folder, port, zone))
  const server = owned(spawn("knotd", ["-c", join(folder, "knot.conf")], { env: environment, stdio: "ignore" }))
  const address = `127.0.0.1:${port}`
  const resolver = new Resolver({ timeout: 1000, tries: 1 })
  resolver.setServers([address])
  const giveUpAt = performance.now() + startMillisMax
  for (;;) {
    const answers = await resolver.resolveSoa(zone).then(
      () => true,
      () => false
    )
    if (answers) break
    if (performance.now() > giveUpAt) throw new Error("The name server does not answer.")
    await wait(50)
  }
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      const end = once(server, "exit")
      server.kill("SIGKILL")
      await end
      removeFolder(folder)
    }
  }
}
