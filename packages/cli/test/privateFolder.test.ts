import fs, {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { keepPrivate } from "../src/privateFolder.ts"
import { run, runJson } from "./commandLine.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-private-"))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const data = () => join(folder, "data")
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const refused = (...args: Parameters<typeof keepPrivate>) => {
  try {
    keepPrivate(...args)
    return undefined
  } catch (failure) {
    return failure
  }
}

describe("the data folder", () => {
  it("refuses a path at which there can be no folder, with the reason", async () => {
    const file = join(folder, "file")
    writeFileSync(file, "")
    const refusals: ReadonlyArray<readonly [data: string, stderr: string]> = [
      [file, `The path of the data folder is that of a file: ${file}`],
      [join(file, "data"), `The data folder cannot be used (not a directory): ${join(file, "data")}`],
      ["", "Give the path of the data folder. The environment variable with the path may not be set"]
    ]
    for (const [data, stderr] of refusals)
      expect(await run(["projects", "list", "--data", data])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(stderr)
      })
  })

  it("refuses the URL of a database, does not show the password and creates no folder", async () => {
    onTestFinished(() => rmSync("postgres:", { recursive: true, force: true }))
    const url = "postgres://mail:secretword@db.example/shop"
    const { code, stdout, stderr } = await run(["projects", "list", "--data", url])
    expect([code, stderr]).toEqual([1, expect.stringContaining("Give the URL of a database with --store")])
    expect(stdout + stderr).not.toContain("secretword")
    expect(existsSync("postgres:")).toBe(false)
  })

  it.skipIf(process.platform !== "linux")(
    "ends when the system says that the parent of the folder does not exist",
    () => {
      expect(refused("/proc/mailkeep/data", "mailkeep.db")).toMatchObject({
        reason: "unreachable",
        message: "The data folder cannot be used (no such file or directory): /proc/mailkeep/data"
      })
    }
  )

  it("refuses a folder that the process may not create, and does not call it retryable", () => {
    const mkdir = vi.spyOn(fs, "mkdirSync").mockImplementation(() => {
      throw Object.assign(new Error(`EACCES: permission denied, mkdir '${data()}'`), { code: "EACCES" })
    })
    syncBuiltinESMExports()
    try {
      expect(refused(data(), "mailkeep.db")).toMatchObject({
        reason: "read_only",
        isRetryable: false,
        message: `The data folder cannot be used (permission denied): ${data()}`
      })
    } finally {
      mkdir.mockRestore()
      syncBuiltinESMExports()
    }
  })

  it("creates the folder and the store in it for their owner alone", async () => {
    await runJson(["projects", "list", "--data", data()])
    expect([modeOf(data()), modeOf(join(data(), "mailkeep.db"))]).toEqual(["700", "600"])
  })

  it("takes an existing folder and its files from other users", async () => {
    await runJson(["projects", "list", "--data", data()])
    const files = ["mailkeep.db", "mailkeep.db-wal", "mailkeep.db-shm"].map((name) => join(data(), name))
    for (const path of files) {
      writeFileSync(path, "", { flag: "a" })
      chmodSync(path, 0o644)
    }
    chmodSync(data(), 0o755)
    await runJson(["keys", "list", "--data", data(), "--project", "prj_x"])
    expect(modeOf(data())).toBe("700")
    expect(modeOf(files[0]!)).toBe("600")
    for (const path of files.slice(1)) if (lstatSync(path, { throwIfNoEntry: false })) expect(modeOf(path)).toBe("600")
  })

  it("opens a data folder that is a symbolic link, and keeps the link", () => {
    const real = join(folder, "real")
    mkdirSync(real, { mode: 0o755 })
    symlinkSync(real, data())
    keepPrivate(data(), "mailkeep.db")
    expect(modeOf(real)).toBe("700")
  })

  it("refuses a data folder when its store file is a link to another place", async () => {
    mkdirSync(data())
    const elsewhere = join(folder, "elsewhere.db")
    writeFileSync(elsewhere, "", { mode: 0o644 })
    symlinkSync(elsewhere, join(data(), "mailkeep.db"))
    expect(await run(["projects", "list", "--data", data()])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("or is a link, so other users could read the store")
    })
    expect(modeOf(elsewhere)).toBe("644")
  })

  it.skipIf(process.getuid === undefined)(
    "refuses a data folder when it or a file in it belongs to another user, except for the administrator",
    () => {
      mkdirSync(data(), { mode: 0o755 })
      writeFileSync(join(data(), "mailkeep.db"), "", { mode: 0o644 })
      const owner = statSync(data()).uid
      const as = vi.spyOn(process, "getuid" as never) as unknown as { mockReturnValue: (uid: number) => void }
      as.mockReturnValue(owner + 1)
      expect(refused(data(), "mailkeep.db")).toMatchObject({
        _tag: "StoreNotOpened",
        reason: "not_private",
        where: data()
      })
      expect(modeOf(data())).toBe("755")
      as.mockReturnValue(0)
      expect(refused(data(), "mailkeep.db")).toBeUndefined()
      expect([modeOf(data()), modeOf(join(data(), "mailkeep.db"))]).toEqual(["700", "600"])
      // Only the administrator can change the owner of a file.
      if (owner !== 0) return
      chownSync(join(data(), "mailkeep.db"), 12_345, 12_345)
      chownSync(data(), 12_346, 12_346)
      as.mockReturnValue(12_346)
      expect(refused(data(), "mailkeep.db")).toMatchObject({
        reason: "not_private",
        where: join(data(), "mailkeep.db")
      })
    }
  )
})
