import { Cause, Console, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { logsToStderr, print, printable, table } from "../src/output.ts"

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

/** The lines that a log writes to standard error. */
const logged = async (entry: Effect.Effect<void>): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const console = { ...globalThis.console, error: (line: string) => void lines.push(line) }
  const effect = entry.pipe(Effect.provide(logsToStderr), Effect.provideService(Console.Console, console as never))
  await Effect.runPromise(effect)
  return lines
}

/** The names and the values of a line in logfmt. */
const fieldsOf = (line: string): ReadonlyArray<readonly [string, string]> =>
  [...line.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S*)/g)].map(([, name, value]) => [
    name!,
    value!.startsWith('"') ? JSON.parse(value!) : value!
  ])

describe("logsToStderr", () => {
  it("writes the message and each fact of an entry under a name of its own", async () => {
    const facts = { reason: "full", leftOut: 0, address: null, at: ["run (a.js:1)", "b"] }
    const [line] = await logged(
      Effect.logWarning("The store is unavailable.", facts).pipe(Effect.annotateLogs({ correlationId: "c1" }))
    )
    const fields = fieldsOf(line!)
    expect(new Set(fields.map(([name]) => name)).size).toBe(fields.length)
    expect(Object.fromEntries(fields)).toMatchObject({
      level: "WARN",
      message: "The store is unavailable.",
      reason: "full",
      leftOut: "0",
      address: "null",
      at: '["run (a.js:1)","b"]',
      correlationId: "c1"
    })
  })

  it("writes an entry with a cause on one line", async () => {
    const lines = await logged(Effect.logError("A request failed.", Cause.die(new Error("two\nlines"))))
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain("\n")
  })
})
