/**
 * Runs the rounds of a row: Mailkeep, then each peer, and again. Each round of a side is a process of its own with a new folder.
 */
import { spawn, spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"
import { debianPackages, isInstalled } from "./peers/servers.ts"
import type { Disk, Figures, Row, Side, Size } from "./Row.ts"

/** The figures of each round of one side. */
export interface SideRounds {
  readonly name: string
  readonly rounds: ReadonlyArray<Figures>
}

const childProgram = fileURLToPath(new URL("child.ts", import.meta.url))
const syncMicros: Readonly<Record<Exclude<Disk, "as-is">, number>> = { "2ms": 2000, "20ms": 20_000 }

/** strace delays the end of each disk sync of the process and of all processes that it starts. */
const commandOf = (disk: Disk, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  disk === "as-is"
    ? [process.execPath, args]
    : [
        "strace",
        [
          "-f",
          "-qqq",
          "--seccomp-bpf",
          "--signal=none",
          "-o",
          "/dev/null",
          "-e",
          "trace=fsync,fdatasync",
          "-e",
          `inject=fsync,fdatasync:delay_exit=${syncMicros[disk]}`,
          process.execPath,
          ...args
        ]
      ]

/** Ends what a round has left behind when it failed, such as a database server. */
const endGroup = (leader: number): void => {
  try {
    process.kill(-leader, "SIGKILL")
  } catch {
    // Every process of the group has ended.
  }
}

/** Runs one process as the leader of a group, and returns the last line of its output. */
const outputOf = ([command, args]: readonly [string, ReadonlyArray<string>]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], detached: true })
    const { pid } = child
    const endChild = () => pid !== undefined && endGroup(pid)
    process.once("exit", endChild)
    let output = ""
    child.stdout.on("data", (bytes) => (output += bytes))
    child.once("error", reject)
    child.once("exit", endChild)
    child.once("close", (code) => {
      process.removeListener("exit", endChild)
      const line = output.trim().split("\n").at(-1)
      if (code === 0 && line !== undefined) resolve(line)
      else reject(new Error(`The round ended with ${code}.`))
    })
  })

/** Makes a folder that every user can enter, because PostgreSQL runs as another user than root. */
const sharedFolder = (name: string): string => {
  const folder = newFolder(`mailkeep-${name}-`)
  chmodSync(folder, 0o755)
  return folder
}

const runRound = async (row: Row, side: Side, disk: Disk, size: Size, rowFolder: string): Promise<Figures> => {
  const folder = sharedFolder("round")
  try {
    return JSON.parse(
      await outputOf(commandOf(disk, [childProgram, row.name, side.name, size, folder, rowFolder]))
    ) as Figures
  } finally {
    removeFolder(folder)
  }
}

/** Says which sides of a row cannot run, and returns the others. `undefined` if Mailkeep cannot run. */
const runnableSides = ({ name, ours, peers }: Row, size: Size): ReadonlyArray<Side> | undefined => {
  const sides = [ours, ...peers].filter((side) => side.sizes?.includes(size) ?? true)
  const missing = sides.filter(({ needs }) => needs !== undefined && !isInstalled(needs))
  for (const side of missing)
    console.error(
      `SKIPPED: ${name}, ${side.name}: ${side.needs} is missing. On Debian: apt-get install ${debianPackages[side.needs!]}`
    )
  return missing.includes(ours) ? undefined : sides.filter((side) => !missing.includes(side))
}

const rowFolders = new Map<Row["prepare"], string>()

/** The folder of the row, filled once. Rows with the same `prepare` share it. */
const rowFolderOf = async ({ name, prepare }: Row, size: Size): Promise<string> => {
  const existing = rowFolders.get(prepare)
  if (existing !== undefined) return existing
  const folder = sharedFolder(name)
  try {
    await prepare?.({ size, rowFolder: folder })
  } catch (cause) {
    // A row must not be measured in a folder that is filled in part.
    removeFolder(folder)
    throw cause
  }
  rowFolders.set(prepare, folder)
  return folder
}

/** Removes the folders of all rows at the end of the run. */
export const removeRowFolders = (): void => {
  for (const folder of rowFolders.values()) removeFolder(folder)
  rowFolders.clear()
}

/** Whether disk syncs can be made slower on this machine. */
export const canDelaySyncs = (): boolean => spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0

/** Runs all rounds of a row on one disk. Mailkeep is the first side of the result. `undefined` if a tool is missing. */
export const runRow = async (
  row: Row,
  { disk, size, rounds }: { readonly disk: Disk; readonly size: Size; readonly rounds: number }
): Promise<ReadonlyArray<SideRounds> | undefined> => {
  const sides = runnableSides(row, size)
  if (sides === undefined) return undefined
  const rowFolder = await rowFolderOf(row, size)
  const figures = sides.map((): Array<Figures> => [])
  for (let round = 0; round < Math.min(rounds, row.roundsMax ?? rounds); round++)
    for (const [n, side] of sides.entries()) figures[n]!.push(await runRound(row, side, disk, size, rowFolder))
  return sides.map(({ name }, n) => ({ name, rounds: figures[n]! }))
}
