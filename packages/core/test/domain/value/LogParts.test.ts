import { describe, expect, it } from "vitest"
import { logParts } from "../../../src/domain/value/LogParts.ts"

class Row {
  readonly id = 1
}

describe("logParts", () => {
  it.each([
    ["a text", "The store is full.", { sentence: "The store is full.", facts: {} }],
    ["texts and facts", ["A", { b: 1 }, "c", { d: 2 }], { sentence: "A c", facts: { b: 1, d: 2 } }],
    ["facts of the same name", ["A", { b: 1 }, { b: 2 }], { sentence: "A", facts: { b: 2 } }],
    ["facts alone", { b: 1 }, { sentence: "", facts: { b: 1 } }],
    ["values that are no plain objects", ["A", null, 1, new Row()], { sentence: "A null 1 [object Object]", facts: {} }]
  ])("separates the sentence and the facts of %s", (_, message, parts) => {
    expect(logParts(message)).toEqual(parts)
  })
})
