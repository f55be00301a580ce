/**
 * How each `ProjectHandle` refuses a message with a wrong field.
 */
import { describe, expect, it } from "vitest"
import { welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"
import { issuesOf } from "./issues.ts"

export const wrongMessageCases = ({ open }: HandleUnderTest): void => {
  describe("send", () => {
    it("names each wrong field by its path", async () => {
      const { mail } = await open()
      const unknown = { typo: true, contentType: "text/plain", content_id: "logo" }
      const message = { ...welcome, to: ["ada@example.org", "no address"], subject: "", ...unknown }
      const { argument, issues } = await issuesOf(mail.send(message))
      expect(argument).toBe("input")
      expect(issues.toSorted()).toEqual([
        ["contentType", "unknown_field"],
        ["content_id", "unknown_field"],
        ["subject", "too_short"],
        ["to.1", "invalid_value"],
        ["typo", "unknown_field"]
      ])
    })

    it("names a wrong field of a file as the caller does", async () => {
      const { mail } = await open()
      const attachments = [{ filename: "a", content: "", contentType: "no type" }]
      expect((await issuesOf(mail.send({ ...welcome, attachments }))).issues).toEqual([
        ["attachments.0.contentType", "invalid_value"]
      ])
    })

    it("refuses the text of a file with an unpaired surrogate", async () => {
      const { mail } = await open()
      const attachments = [{ filename: "a.txt", content: "Ada \ud83d" }]
      expect((await issuesOf(mail.send({ ...welcome, attachments }))).issues).toEqual([
        ["attachments.0.content", "invalid_value"]
      ])
    })

    it("refuses the names of the wire as unknown fields", async () => {
      const { mail } = await open()
      const attachments = [{ filename: "a", content: "", content_type: "text/plain" } as never]
      expect((await issuesOf(mail.send({ ...welcome, attachments }))).issues).toEqual([
        ["attachments.0.content_type", "unknown_field"]
      ])
    })

    it.each([
      ["a URL", new URL("https://acme.example/")],
      ["a text object", new Object("Welcome")],
      ["a Date", new Date()],
      ["a Set", new Set(["Welcome"])]
    ])("refuses %s as a text", async (_, subject) => {
      const { mail } = await open()
      const { issues } = await issuesOf(mail.send({ ...welcome, subject: subject as never }))
      expect(issues).toEqual([["subject", "invalid_type"]])
    })

    it("refuses an input that is no object", async () => {
      const { mail } = await open()
      expect((await issuesOf(mail.send(undefined as never))).argument).toBe("input")
      expect((await issuesOf(mail.send("welcome" as never))).argument).toBe("input")
    })
  })
}

export const metadataCases = ({ open }: HandleUnderTest): void => {
  describe("send", () => {
    it.each([
      ["a number that JSON cannot contain", { score: Number.NaN }],
      ["a value that JSON cannot contain", { score: 1n }],
      ["a Set", { tags: new Set(["a"]) }],
      ["a Map within a list", { tags: [new Map([["a", 1]])] }],
      ["bytes", { hash: new Uint8Array([1, 2]) }],
      ["a Date", { at: new Date() }],
      ["a regular expression", { pattern: /a/ }],
      ["the query of a URL", { query: new URLSearchParams("a=1") }],
      ["an instance of a class", { price: new (class Money {})() }],
      ["a text object", { name: new Object("Ada") }],
      ["an object with toJSON", { price: { toJSON: () => 5 } }],
      ["undefined in a list", { list: [1, undefined] }],
      ["undefined within a value", { address: { city: undefined } }]
    ])("refuses metadata with %s", async (_, metadata) => {
      const { mail } = await open()
      const { issues } = await issuesOf(mail.send({ ...welcome, metadata: metadata as never }))
      expect(issues).toEqual([["metadata", "invalid_value"]])
    })

    it("accepts metadata of plain objects, without a field that is undefined", async () => {
      const { mail, core } = await open()
      const metadata = { order: { id: 7, tags: ["a", null, true] }, none: Object.assign(Object.create(null), { a: 1 }) }
      const { deliveryIds } = await mail.send({ ...welcome, metadata: { ...metadata, left: undefined } as never })
      const { message } = await core.deliveries.get(deliveryIds[0]!)
      expect(message.metadata).toEqual({ order: { id: 7, tags: ["a", null, true] }, none: { a: 1 } })
    })
  })
}
