/**
 * Tests of the tables of replies and of their reference page.
 */
import { describe, expect, it } from "vitest"
import { replyPage, replyTables } from "./replyPage.ts"

const rows = Object.values(replyTables).flatMap((table) => Object.entries(table))

describe("replyTables", () => {
  it.each(rows)("has codes of one class, a source and a text of one line for %s", (_, row) => {
    expect(row.code).toBeGreaterThanOrEqual(200)
    expect(row.code).toBeLessThanOrEqual(559)
    // RFC 2034 §4: the class of the enhanced code is the first digit of the code. A reply that asks for more has none.
    if (row.enhancedCode === null) expect(row.code).toBe(354)
    else expect(row.enhancedCode).toMatch(new RegExp(`^${String(row.code)[0]}\\.[0-7]\\.[0-9]{1,2}$`))
    expect(row.text).toMatch(/^[\x20-\x7e]{2,120}$/)
    expect(row.occurs).toMatch(/^[^\n]+\.$/)
    expect(row.source).toMatch(/^RFC \d{4} §[\d.]+(?: and §[\d.]+)*(?:; RFC \d{4} §[\d.]+)*$/)
  })

  it("closes the connection after each 421, and after 221", () => {
    for (const [, { code, closes }] of rows) if (code === 421 || code === 221) expect(closes).toBe(true)
  })
})

describe("replyPage", () => {
  it("is the page docs/reference/smtp-replies.md", async () => {
    await expect(replyPage()).toMatchFileSnapshot("../../../docs/reference/smtp-replies.md")
  })
})
