import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { bytesOfChanges } from "../../../src/domain/store/commitSize.ts"
import { contact, delivery, message } from "../../decide/fixtures.ts"

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

const contactEvent: Change = {
  _tag: "AppendEvent",
  event: {
    id: "evt_1",
    projectId: "prj",
    occurredAt: 1,
    kind: "contact.created",
    data: { contact: contact({ properties: { prop_1: "1234", prop_2: 12 } }), reason: null }
  }
}

describe("bytesOfChanges", () => {
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
    ["the exact bytes of a content", [content(3, 4)], 7],
    [
      "the properties of a contact",
      [{ _tag: "PutContact", contact: contact({ properties: { prop_1: "1234", prop_2: 12 } }), replaces: null }],
      1042
    ],
    ["the properties in an event of a contact", [contactEvent], 1042]
  ])("counts %s", (_, changes, bytes) => {
    expect(bytesOfChanges(changes)).toBe(bytes)
  })
})
