import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { octetsOfChanges } from "../../../src/domain/store/commitSize.ts"
import { delivery, message } from "../../decide/fixtures.ts"

const small: Change = { _tag: "InsertDelivery", delivery: delivery() }
const content = (...sizes: ReadonlyArray<number>): Change => ({
  _tag: "PutContent",
  projectId: "prj",
  hash: "h",
  chunks: sizes.map((size) => new Uint8Array(size))
})
const stored = (html: string | null, text: string | null) => ({
  kind: "Message" as const,
  record: message({ html, text })
})

describe("octetsOfChanges", () => {
  it.each<[string, ReadonlyArray<Change>, number]>([
    ["no change", [], 0],
    ["changes without a body", [small, small], 2048],
    ["both bodies of a message", [{ _tag: "InsertMessage", message: message({ html: "1234", text: "12" }) }], 1042],
    ["a message without a body", [{ _tag: "InsertMessage", message: message({ html: null, text: null }) }], 1024],
    [
      "a message before and after",
      [{ _tag: "RewriteRecord", before: stored("1234", null), after: stored("1", "1") }],
      1042
    ],
    ["a message that is deleted", [{ _tag: "RewriteRecord", before: stored("1234", null), after: null }], 1036],
    ["the exact bytes of a content", [content(3, 4)], 7]
  ])("counts %s", (_, changes, octets) => {
    expect(octetsOfChanges(changes)).toBe(octets)
  })
})
