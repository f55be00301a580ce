/**
 * Which parts of a message are deleted, and when.
 */
import { describe, expect, it } from "vitest"
import { pruneMessages } from "../../../src/decide/message/pruneMessage.ts"
import type { PruneBefore } from "../../../src/decide/message/pruneMessage.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import { delivery, message, now } from "../fixtures.ts"

const file = {
  filename: "a",
  contentType: "text/plain",
  contentId: null,
  disposition: "attachment",
  size: 1,
  hash: "h"
} as const
const whole = message({ html: "<p>Hi</p>", headers: { "X-A": "1" }, attachments: [file], metadata: { a: 1 } })
const bodiless = { ...whole, html: null, text: null, headers: {} }
const ended = delivery({ status: "delivered", dueAt: null, deliveredAt: now + 5 })

/** The message that is left, or `"kept"`. */
const left = (before: PruneBefore, deliveries: ReadonlyArray<Delivery> = [ended], one: Message = whole) => {
  const [change] = pruneMessages([{ message: one, deliveries }], before).changes
  return change?._tag === "RewriteRecord" ? change.after?.record : "kept"
}

describe("pruneMessages", () => {
  it.each([
    ["nothing when no time is set", { bodies: null, attachments: null }, "kept"],
    ["the bodies and the header fields", { bodies: now + 6, attachments: null }, bodiless],
    ["the files", { bodies: null, attachments: now + 6 }, { ...whole, attachments: [] }],
    ["both", { bodies: now + 6, attachments: now + 6 }, { ...bodiless, attachments: [] }],
    ["nothing before the last delivery has ended for that long", { bodies: now + 5, attachments: now + 5 }, "kept"]
  ] as const)("deletes %s", (_, before, after) => {
    expect(left(before)).toEqual(after)
  })

  it.each(["scheduled", "queued", "sending"] as const)("deletes nothing while one delivery is %s", (status) => {
    expect(left({ bodies: now + 6, attachments: now + 6 }, [ended, delivery({ id: "del_2", status })])).toBe("kept")
  })

  it("deletes the body of a message that has only a text", () => {
    const plain = message({ html: null, text: "Hi" })
    expect(left({ bodies: now + 6, attachments: null }, [ended], plain)).toEqual({ ...plain, text: null })
  })

  it("writes nothing when the message has no bodies and no files any more", () => {
    expect(left({ bodies: now + 6, attachments: now + 6 }, [ended], { ...bodiless, attachments: [] })).toBe("kept")
  })
})
