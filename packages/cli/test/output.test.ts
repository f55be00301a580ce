import { Console, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { print, printable, table } from "../src/output.ts"

const printed = async (asJson: boolean, value: unknown, forPeople: string): Promise<string> => {
  const lines: Array<string> = []
  const console = { ...globalThis.console, log: (line: string) => void lines.push(line) }
  await Effect.runPromise(Effect.provideService(print(asJson, value, forPeople), Console.Console, console as never))
  return lines.join("\n")
}

const hostile = "\u001b[31m\u0007\u007f\u009b1m\u2028\u2029\u202e\u2066\r\t\u0000é"
const actedOn = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

describe("print", () => {
  it("prints an escape instead of each character that a terminal interprets", () => {
    expect(printable("a\u001b[31mb")).toBe("a\\u001b[31mb")
    expect(printable(hostile)).not.toMatch(actedOn)
    expect(printable("Ünïcode 🎉 x")).toBe("Ünïcode 🎉 x")
  })

  it("keeps a row of a table on its line", () => {
    const shown = table([
      ["NAME", "STATUS"],
      [`a\nb${hostile}`, "ok"]
    ])
    expect(shown.split("\n")).toHaveLength(2)
    expect(shown.replaceAll("\n", "")).not.toMatch(actedOn)
  })

  it("aligns the columns of as many rows as a project has suppressions", () => {
    const rows = Array.from({ length: 300_000 }, (_, n) => [`s${n}@example.org`, "manual"])
    const shown = table([["EMAIL", "REASONS"], ...rows]).split("\n")
    expect([shown.length, shown[0], shown.at(-1)]).toEqual([
      300_001,
      "EMAIL                REASONS",
      "s299999@example.org  manual"
    ])
  })

  it("prints text without control characters except line breaks", async () => {
    const shown = await printed(false, {}, `first\n${hostile}`)
    expect(shown.split("\n")[0]).toBe("first")
    expect(shown.replaceAll("\n", "")).not.toMatch(actedOn)
  })

  it("prints the stored value as JSON on one line", async () => {
    const shown = await printed(true, { name: hostile }, "")
    expect(shown).not.toMatch(actedOn)
    expect(JSON.parse(shown)).toEqual({ name: hostile })
  })
})
