import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { batchItemBytes, batchItemKey, inBatchItem, parseBatch } from "../../../src/domain/message/SendBatch.ts"
import { parseSendOptions } from "../../../src/domain/message/SendOptions.ts"
import { InvalidArgument, PlanLimitReached } from "../../../src/index.ts"

const keys = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 128, size: "max" })
  .map((codes) => String.fromCharCode(...codes))
const positions = fc.nat(99)

describe("batchItemKey", () => {
  it("makes a key that no caller can give", () => {
    fc.assert(
      fc.property(keys, positions, (key, index) => {
        expect(Result.isSuccess(parseSendOptions({ idempotencyKey: key }))).toBe(true)
        expect(Result.isFailure(parseSendOptions({ idempotencyKey: batchItemKey(key, index) }))).toBe(true)
      })
    )
  })

  it("makes another key for another key or another position", () => {
    fc.assert(
      fc.property(keys, positions, keys, positions, (a, m, b, n) => {
        expect(batchItemKey(a, m) === batchItemKey(b, n)).toBe(a === b && m === n)
      })
    )
    expect(batchItemKey("k1", 1)).not.toBe(batchItemKey("k", 11))
  })
})

describe("parseBatch", () => {
  it.each<[string, unknown, string]>([
    ["an object", {}, "invalid_type"],
    ["nothing", undefined, "invalid_type"],
    ["no message", [], "too_short"],
    ["101 messages", Array.from({ length: 101 }, () => ({})), "too_many_items"]
  ])("refuses %s", (_, inputs, code) => {
    const refused = parseBatch(inputs)
    expect(Result.isFailure(refused) && refused.failure).toMatchObject([{ path: ["messages"], code }])
  })

  it("takes 1 to 100 messages without a look into them", () => {
    for (const length of [1, 100])
      expect(Result.getOrThrow(parseBatch(Array.from({ length }, () => null)))).toHaveLength(length)
  })
})

describe("batchItemBytes", () => {
  it("counts the texts, the template variables and the contents of files", () => {
    const input = {
      from: "1234",
      to: ["not counted"],
      text: "123",
      templateVariables: { name: "12", count: 9 },
      attachments: [{ content: new Uint8Array(5) }, { content: "1234567" }, { path: "/a" }, null]
    }
    expect(batchItemBytes(input)).toBe(4 + 3 + 2 + 5 + 7)
  })

  it("counts nothing for a value that is no object", () => {
    for (const input of [null, undefined, "text", 7, []]) expect(batchItemBytes(input)).toBe(0)
  })
})

describe("inBatchItem", () => {
  const issues = [{ path: ["to", 1], code: "invalid_value", message: "must be a mailbox" }] as const

  it("names the message in each issue about its input", () => {
    const named = inBatchItem(new InvalidArgument({ argument: "input", issues }), 3)
    expect(named.message).toBe("messages[3].to[1] must be a mailbox")
    expect(named.issues[0]!.path).toEqual(["messages", 3, "to", 1])
  })

  it("returns a failure that is not about the input as it is", () => {
    for (const failure of [
      new InvalidArgument({ argument: "options", issues }),
      new PlanLimitReached({ code: "daily_sending_limit_exceeded" })
    ])
      expect(inBatchItem<unknown>(failure, 3)).toBe(failure)
  })
})
