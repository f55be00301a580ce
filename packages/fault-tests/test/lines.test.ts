import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { appender, newLines, readLines } from "../src/Lines.ts"

const folder = mkdtempSync(join(tmpdir(), "mailkeep-lines-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("lines of a process that is killed", () => {
  it("reads all complete lines, also after one that a kill cut off, of one writer or of several", () => {
    const file = join(folder, "lines.jsonl")
    const next = newLines(file)
    const [first, second] = [appender(file), appender(file)]
    first({ n: 1 })
    appendFileSync(file, '\n{"n":2,"of":{"a":1}')
    second({ n: 3 })
    expect(next()).toEqual([{ n: 1 }, { n: 3 }])
    appender(file)({ n: 4 })
    appendFileSync(file, '\n{"n":5}')
    expect(readLines(file)).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }])
    expect(next()).toEqual([{ n: 4 }])
    expect(readLines(join(folder, "absent.jsonl"))).toEqual([])
  })

  it("returns the new lines only, at each call", () => {
    const file = join(folder, "once.jsonl")
    const next = newLines<number>(file)
    expect(next()).toEqual([])
    const append = appender(file)
    append(1)
    append(2)
    expect(next()).toEqual([1, 2])
    expect(next()).toEqual([])
    append(3)
    expect(next()).toEqual([3])
  })
})
