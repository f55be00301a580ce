/**
 * The attachments of a composed message.
 */
import type { OutgoingAttachment } from "@mailkeep/core/adapter"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AttachmentUnreadable, composeMessage, MessageNotComposable } from "../src/composeMessage.ts"
import { message } from "./handOffHarness.ts"
import { bytesOf, file, filename, readBack } from "./composedMessage.ts"

/** Up to 3,000 bytes: several lines of base64. */
const content = fc.nat(3000).map((length) => new Uint8Array(length).map((_, at) => at * at))

describe("composeMessage", () => {
  it("keeps the name and the bytes of every attachment", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ filename, content }), { minLength: 1, maxLength: 3 }), async (files) => {
        const mail = await readBack({
          attachments: files.map(({ filename, content }) => file(content, { filename }))
        })
        expect(
          mail.attachments.map(({ filename, content }) => ({
            filename,
            content: Buffer.from(content as ArrayBuffer).toString("hex")
          }))
        ).toEqual(files.map(({ filename, content }) => ({ filename, content: Buffer.from(content).toString("hex") })))
      })
    )
  })

  it("sends a file that is a message or a multipart, or has no media type, as a plain file with the same bytes", async () => {
    const content = Buffer.from("From: a\n\nü\u0000")
    for (const contentType of ["message/rfc822", "multipart/mixed", "text", "text/plain; charset=x", ""]) {
      const mail = await readBack({ attachments: [file(content, { contentType, filename: "old.eml" })] })
      expect(
        mail.attachments.map(({ filename, mimeType, content }) => [
          filename,
          mimeType,
          Buffer.from(content as ArrayBuffer)
        ])
      ).toEqual([["old.eml", "application/octet-stream", content]])
    }
  })

  it("refuses a Content-ID that would not be one in the header", () => {
    const attachments = [file(new Uint8Array(1), { contentId: "a>\r\nBcc: x" })]
    expect(composeMessage(message({ attachments }), { textAlternative: true })).toThrow(MessageNotComposable)
  })

  it.each([
    ["has fewer bytes than its size", { size: 4 }],
    ["has more bytes than its size", { size: 2 }],
    [
      "cannot be read",
      {
        read: () => {
          throw new Error("disk")
        }
      }
    ]
  ] as ReadonlyArray<readonly [string, Partial<OutgoingAttachment>]>)(
    "fails when an attachment %s",
    async (_, change) => {
      await expect(bytesOf({ attachments: [file(new Uint8Array(3), change)] })).rejects.toBeInstanceOf(
        AttachmentUnreadable
      )
    }
  )

  it("closes an attachment that is read only in part", async () => {
    const begun = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<string>()
    const read = async function* () {
      try {
        begun.resolve()
        for (;;) yield new Uint8Array(60_000)
      } finally {
        closed.resolve("closed")
      }
    }
    const stream = composeMessage(message({ attachments: [file(new Uint8Array(0), { size: 1e9, read })] }), {
      textAlternative: true
    })()
    stream.on("error", () => {})
    await begun.promise
    stream.destroy()
    expect(await closed.promise).toBe("closed")
  })
})
