import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import type { Row } from "../src/Row.ts"
import { removeRowFolders, runRow } from "../src/runRow.ts"

const module = fileURLToPath(new URL("../src/runRow.ts", import.meta.url))

const rowWith = (prepare: Row["prepare"]): Row => ({
  name: "a row of no list",
  title: "A row",
  about: "",
  metrics: [{ name: "per second", unit: "1/s", better: "higher" }],
  ours: { name: "Mailkeep", run: () => Promise.resolve({}) },
  peers: [],
  goals: [],
  prepare: prepare!
})

afterEach(removeRowFolders)

describe("runRow", () => {
  it("prepares the folder of a row again after a failure, and measures nothing in an incomplete folder", async () => {
    const folders: Array<string> = []
    const row = rowWith(({ rowFolder }) => {
      folders.push(rowFolder)
      return Promise.reject(new Error("The disk is full."))
    })
    for (const disk of ["as-is", "as-is"] as const)
      await expect(runRow(row, { disk, size: "small", rounds: 1 })).rejects.toThrow("The disk is full.")
    expect(folders).toHaveLength(2)
    expect(folders.filter((folder) => existsSync(folder))).toEqual([])
  })

  it("removes the folder of a row when a signal ends the program", async () => {
    const program = `
      import { runRow } from ${JSON.stringify(module)}
      process.once("SIGTERM", () => process.exit(1))
      const prepare = async ({ rowFolder }) => {
        console.log(rowFolder)
        await new Promise(() => setInterval(() => {}, 1000))
      }
      const side = { name: "Mailkeep", run: async () => ({}) }
      await runRow({ name: "a", metrics: [], ours: side, peers: [], prepare }, { disk: "as-is", size: "small", rounds: 1 })
    `
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [folder] = (await once(createInterface(child.stdout), "line")) as [string]
    expect(existsSync(folder)).toBe(true)
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([1, null])
    expect(existsSync(folder)).toBe(false)
  })
})
