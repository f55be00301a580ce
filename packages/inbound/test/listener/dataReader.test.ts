/**
 * Tests of the reader of messages.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dataStart, readData } from "../../src/listener/dataReader.ts"

/** Reads chunks until the end of the message. */
const read = (chunks: ReadonlyArray<string>) => {
  let content = ""
  let state = dataStart
  for (const [index, chunk] of chunks.entries()) {
    const bytes = Buffer.from(chunk, "latin1")
    const step = readData(state, bytes, (part) => (content += Buffer.from(part).toString("latin1")))
    state = step.state
    if (step.end !== null)
      return { content, broken: state.broken, rest: chunk.slice(step.end) + chunks.slice(index + 1).join("") }
  }
  return { content, broken: state.broken, rest: null }
}

describe("readData", () => {
  it.each([
    [".\r\n", "", ""],
    ["a\r\n.\r\nQUIT\r\n", "a\r\n", "QUIT\r\n"],
    ["..\r\n.\r\n", ".\r\n", ""],
    ["...\r\n.\r\n", "..\r\n", ""],
    [".a\r\n.\r\n", "a\r\n", ""],
    ["a.\r\n.\r\n", "a.\r\n", ""],
    ["\r\n\r\n.\r\n", "\r\n\r\n", ""],
    ["a\r\n.\r\n.\r\n", "a\r\n", ".\r\n"]
  ])("reads a message up to the end of data in %j", (text, content, rest) => {
    expect(read([text])).toEqual({ content, broken: false, rest })
    expect(read([...text])).toEqual({ content, broken: false, rest })
  })

  it.each([
    ["a\n.\n"],
    ["a\r.\r"],
    ["a\n.\r\n"],
    ["a\r\n.\n"],
    ["a\r\n.\r"],
    ["a\r.\r\n"],
    [".\n"],
    [".\r.\r\n"],
    ["a\r\n.\0\r\n"],
    ["a\r\r\n"]
  ])("finds no end in %j, and breaks the message unless more may come", (text) => {
    expect(read([text]).rest).toBe(null)
    expect(read([text, "x\r\n.\r\n"])).toMatchObject({ broken: true, rest: "" })
    expect(read([...text, ..."x\r\n.\r\n"])).toMatchObject({ broken: true, rest: "" })
  })

  it("finds the same in any division into chunks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("\r\n", "\r", "\n", ".", "a", "\0"), { maxLength: 20 }),
        fc.array(fc.nat(20)),
        (pieces, places) => {
          const text = `${pieces.join("")}\r\n.\r\nQUIT`
          const cuts = [0, ...places.map((place) => place % text.length).toSorted((a, b) => a - b), text.length]
          expect(read(cuts.slice(1).map((to, index) => text.slice(cuts[index], to)))).toEqual(read([text]))
        }
      )
    )
  })
})
