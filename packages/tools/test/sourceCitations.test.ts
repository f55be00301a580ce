/**
 * Tests the check of the sources that comments name.
 */
import { describe, expect, it } from "vitest"
import { brokenCitations, sourceComplaintsIn } from "../src/sourceCitations.ts"

describe("brokenCitations", () => {
  it.each([
    "RFC 9110",
    "RFC 5321 §4.2.1, RFC 3463; decision 0006",
    "RFC 5322 §2.2 and §3.6, decision 0030",
    "RFC 5322 §3.4 (name-addr), §4.1 (dots in a name); RFC 6532 §3.2",
    "RFC 9110 (10.1.1), RFC 9112 (3.2, 6.1), decision 0009",
    "decisions 0009, 0010 and 0015",
    "decisions 0025 to 0028",
    "decision 0009 (order of refusals); decision 0010",
    "docs/spec/coverage.md S6; decisions 0007 and 0008",
    "docs/spec/coverage.md S2.7, S2.10 and S2.11",
    "docs/spec/clarifications.md W8",
    "`docs/guides/operations.md`"
  ])("allows the source %s", (source) => {
    expect(brokenCitations(source)).toEqual([])
  })

  it.each([
    ["interface, Send an email", "names no RFC, decision or file"],
    ["decision 0012, row 3", "names no RFC, decision or file"],
    ["decision 9999", "there is no decision 9999"],
    ["decisions 0009 and 9999", "there is no decision 9999"],
    ["docs/guides/none.md", "does not exist"],
    ["docs/spec/coverage.md S99", "has no row S99"],
    ["docs/spec/coverage.md S6.99; decision 0007", "has no row S6.99"],
    ["docs/spec/coverage.md W8", "has no row W8"]
  ])("refuses the source %s", (source, complaint) => {
    expect(brokenCitations(source)).toEqual([expect.stringContaining(complaint)])
  })
})

describe("sourceComplaintsIn", () => {
  it("reads a source to the end of its sentence, over several lines, with the line of its comment", () => {
    const text = ["const a = 1", "/**", " * Sends. Source: decision 0006, RFC", " * 5321 §4.2.1. More.", " */"].join(
      "\n"
    )
    expect(sourceComplaintsIn("a.ts", text)).toEqual([])
    expect(sourceComplaintsIn("a.ts", text.replace("0006", "9999"))).toEqual([
      "a.ts:2 Source: there is no decision 9999"
    ])
  })

  it("reads the sources of the rows of a table of transitions", () => {
    const row = '{ from: "none", source: "interface, row 1" }'
    expect(sourceComplaintsIn("packages/core/src/domain/delivery/DeliveryTable.ts", row)).toHaveLength(1)
  })
})
