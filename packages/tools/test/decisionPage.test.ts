/**
 * Tests that the index of decisions refuses a record that lacks a part.
 */
import { describe, expect, it } from "vitest"
import { decisionPage, decisionRecord } from "../src/decisionPage.ts"
import { files } from "../src/workspace.ts"

const record = `# Retries

**Status.** Accepted.

**Question.** When?

**Decision.** Later.

**Why.** The relay recovers.

**Alternatives.**

- _Never._ Mail would be lost.
`

describe("decisionRecord", () => {
  it("returns the title, the status and the question of a record", () => {
    expect(decisionRecord("0001-retries.md", record)).toEqual({
      file: "0001-retries.md",
      title: "Retries",
      status: "Accepted",
      question: "When?"
    })
  })

  it("returns the whole question when it has several lines", () => {
    const asked = record.replace("When?", "When is it sent,\nand by which process?")
    expect(decisionRecord("0001-retries.md", asked).question).toBe("When is it sent, and by which process?")
  })

  it.each([
    ["status", "**Status.** Accepted.\n"],
    ["question", "**Question.** When?\n"],
    ["decision", "**Decision.** Later.\n"],
    ["reason", "**Why.** The relay recovers.\n"],
    ["alternative", "- _Never._ Mail would be lost.\n"],
    ["alternative", " Mail would be lost."]
  ])("refuses a record without its %s", (part, text) => {
    expect(record).toContain(text)
    expect(() => decisionRecord("0001-retries.md", record.replace(text, ""))).toThrow(`has no ${part}`)
  })

  it("refuses a record with an unknown status", () => {
    expect(() => decisionRecord("0001-retries.md", record.replace("Accepted", "Perhaps"))).toThrow("unknown status")
  })
})

describe("decisionPage", () => {
  it("shows the status of every record", () => {
    const rows = decisionPage()
      .split("\n")
      .filter((line) => /^\| \d{4} /.test(line))
    expect(rows).toHaveLength(files("docs/decisions/[0-9]*.md").length)
    for (const row of rows) expect(row).toMatch(/\| (?:Proposed|Accepted|Superseded)/)
  })

  it("shows in the status of a record each record that extends it", () => {
    const rows = decisionPage().split("\n")
    const numbersIn = (text: string) => [...text.matchAll(/\[(\d{4})\]/g)].map(([, number]) => number!)
    const statuses = rows.flatMap((row) => {
      const [, number, status = ""] = /^\| (\d{4}) \| [^|]* \| ([^|]*)/.exec(row) ?? []
      const [extended, extending = ""] = status.split(/Extended by/)
      return number === undefined ? [] : [{ number, extends: numbersIn(extended!), extendedBy: numbersIn(extending) }]
    })
    const pairsThat = (toPair: (one: (typeof statuses)[number]) => ReadonlyArray<string>) =>
      statuses.flatMap(toPair).toSorted()
    expect(pairsThat((one) => one.extendedBy.map((later) => `${one.number} ${later}`))).toStrictEqual(
      pairsThat((one) => one.extends.map((earlier) => `${earlier} ${one.number}`))
    )
  })
})
