/**
 * Import and export of contacts as files: files that cannot be read or written, and files with errors.
 */
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { run, runIntoClosedPipe, runJson, runProcess } from "./commandLine.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-cli-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const here = () => ["--data", join(folder, "data"), "--project", "prj_x"]
const path = (name: string) => join(folder, name)
const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(path(name), content)
  return path(name)
}
const imported = (...args: ReadonlyArray<string>) => run(["contacts", "import", ...args, ...here()])
const total = async () => (await runJson(["contacts", "list", ...here()])).total

describe("contacts import", () => {
  it.each([
    ["a file that does not exist", "none.csv", "cannot read PATH: no such file or directory"],
    ["a folder", "", "cannot read PATH: illegal operation on a directory"]
  ])("ends an import of %s with one sentence", async (_, name, sentence) => {
    const ran = await runProcess(["contacts", "import", path(name), ...here()])
    expect(ran).toEqual({ code: 1, stdout: "", stderr: `mailkeep: ${sentence.replace("PATH", path(name))}\n` })
  })

  it.each([
    ["in a folder that does not exist", "none/refused.csv", "no such file or directory"],
    ["that is a folder", "", "it is a folder"]
  ])("imports nothing when --refused names a file %s", async (_, name, reason) => {
    const csv = file("in.csv", "email\nada@example.org\nnobody\n")
    const { code, stderr } = await imported(csv, "--refused", path(name))
    expect([code, stderr]).toEqual([1, `mailkeep: cannot write ${path(name)}: ${reason}\n`])
    expect(await total()).toBe(0)
  })

  it.runIf(existsSync("/dev/full"))("ends with one sentence when the refused lines cannot be written", async () => {
    const { code, stdout, stderr } = await imported(file("in.csv", "email\nnobody\n"), "--refused", "/dev/full")
    expect([code, stdout]).toEqual([1, expect.stringContaining("1 refused")])
    expect(stderr).toContain("mailkeep: cannot write /dev/full: no space left on device\n")
  })

  it("says for each refused line what to do, and names the field if there is one", async () => {
    await imported(file("in.csv", "email,first_name\nada@example.org,Ada\n"))
    const again = await imported(file("in.csv", "email,first_name\nada@example.org,Ada\nbob@example.org\n"))
    expect(again).toMatchObject({ code: 2, stdout: expect.stringMatching(/^0 created, 0 updated, 2 refused/) })
    expect(again.stderr.split("\n").toSorted()).toEqual([
      "",
      "line 2: email is the address of a contact that exists: import with update to change that contact",
      "line 3: has 1 cell, but the first row has 2"
    ])
  })

  it("keeps the file to import when --refused names the same file, by any path", async () => {
    const text = "email\nada@example.org\n"
    const csv = file("in.csv", text)
    linkSync(csv, path("link.csv"))
    for (const same of [csv, `${folder}/./in.csv`, path("link.csv")])
      expect(await imported(csv, "--refused", same)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("--refused names the file to import")
      })
    expect(readFileSync(csv, "utf8")).toBe(text)
    expect(await total()).toBe(0)
  })

  it("writes the file of refused lines only when a line is refused", async () => {
    const csv = file("in.csv", "email\nada@example.org\n")
    expect((await imported(csv, "--refused", path("refused.csv"))).code).toBe(0)
    expect(existsSync(path("refused.csv"))).toBe(false)
    expect((await imported(csv, "--refused", path("refused.csv"))).code).toBe(2)
    expect(readFileSync(path("refused.csv"), "utf8")).toContain("\r\n2,email,duplicate_error,")
  })

  it("says what is wrong with a line of too many cells in one sentence", async () => {
    const { code, stderr } = await imported(file("in.csv", "email\nada@example.org,Ada\nnobody\n"))
    expect([code, stderr]).toEqual([
      2,
      "line 2: has 2 cells, but the first row has 1\nline 3: email must be a bare mailbox such as ada@example.com\n"
    ])
  })

  it("refuses a line with a quote in a wrong place alone", async () => {
    const rows = (name: string) => Array.from({ length: 300 }, (_, n) => `${name}${n}@example.org,Ann\n`).join("")
    const csv = file("in.csv", `email,first_name\n${rows("a")}quote@example.org,Pat "Pi" O\n${rows("b")}`)
    const { code, stdout } = await imported(csv, "--json", "--refused", path("refused.csv"))
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { created: 600, refused: 1 }])
    expect(readFileSync(path("refused.csv"), "utf8")).toMatch(/\r\n302,,invalid_value,.*quote/)
  })

  it.each([
    ["not UTF-8", Buffer.from("José@example.org\n", "latin1"), "not UTF-8 at line 302"],
    ["a quote without an end", '"cat@example.org\n', "the row that begins at line 302 has a quote that is not closed"]
  ])("prints the counts and what is wrong when a file is cut short by %s", async (_, end, sentence) => {
    const rows = Array.from({ length: 300 }, (_, n) => `a${n}@example.org\n`).join("")
    const csv = file("in.csv", Buffer.concat([Buffer.from(`email\n${rows}`), Buffer.from(end)]))
    const { code, stdout, stderr } = await imported(csv, "--json")
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { created: 300, refused: 0 }])
    expect(stderr).toContain(sentence)
    expect(await total()).toBe(300)
  })
})

describe("contacts export", () => {
  it.each([
    ["a folder that does not exist", "none/out.csv", "no such file or directory"],
    ["a folder", "", "illegal operation on a directory"]
  ])("ends an export to %s with one sentence", async (_, name, reason) => {
    const ran = await runProcess(["contacts", "export", path(name), ...here()])
    expect(ran).toEqual({ code: 1, stdout: "", stderr: `mailkeep: cannot write ${path(name)}: ${reason}\n` })
  })

  it.runIf(existsSync("/dev/full"))("ends with one sentence when the disk is full", async () => {
    const ran = await runProcess(["contacts", "export", "/dev/full", ...here()])
    expect(ran).toEqual({
      code: 1,
      stdout: "",
      stderr: "mailkeep: cannot write /dev/full: no space left on device\n"
    })
  })

  it("ends quietly when the pipe is closed", async () => {
    expect(await runIntoClosedPipe(["contacts", "export", ...here()])).toEqual({ code: 0, stdout: "", stderr: "" })
  })

  it("writes all contacts to a file", async () => {
    await imported(file("in.csv", "email\nada@example.org\nbob@example.org\n"))
    expect(await run(["contacts", "export", path("out.csv"), ...here()])).toMatchObject({ code: 0, stdout: "" })
    expect(readFileSync(path("out.csv"), "utf8").split("\r\n")).toHaveLength(4)
  })
})
