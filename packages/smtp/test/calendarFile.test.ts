/**
 * A calendar file in a composed message, which mail programs show as an invitation.
 */
import MailComposer from "nodemailer/lib/mail-composer"
import PostalMime from "postal-mime"
import { describe, expect, it } from "vitest"
import { bytesOf, file } from "./composedMessage.ts"

describe("composeMessage", () => {
  /** The media types of all parts in their order, with the method of a calendar file. */
  const typesOf = (raw: Buffer): ReadonlyArray<string> =>
    [...raw.toString().matchAll(/^Content-Type: ([a-z/]+)(?:;\s[^\r]*?\b(method=[A-Z]+))?/gm)].map(([, type, method]) =>
      [type, method].filter(Boolean).join(" ")
    )
  const event = Buffer.from("BEGIN:VCALENDAR\nMETHOD:REQUEST\nSUMMARY:Grüße\nEND:VCALENDAR\n")
  const invitation = file(event, { filename: "invite.ics", contentType: "text/calendar; method=REQUEST" })

  it("writes a calendar file with a method where mail programs look for an invitation, and as a file", async () => {
    const html = "<p>Lunch</p>"
    const raw = await bytesOf({ text: "Lunch", html, attachments: [invitation] })
    const nodemailer = new MailComposer({ text: "Lunch", html, icalEvent: { method: "REQUEST", content: event } })
    expect(typesOf(raw)).toEqual(typesOf(await nodemailer.compile().build()))
    const { attachments } = await PostalMime.parse(raw)
    expect(
      attachments.map(({ mimeType, method, filename, content }) => [
        mimeType,
        method,
        filename,
        Buffer.from(content as ArrayBuffer).toString()
      ])
    ).toEqual([
      ["text/calendar", "REQUEST", null, event.toString()],
      ["application/ics", undefined, "invite.ics", event.toString()]
    ])
  })

  it("writes no second file when the message has a calendar file besides the invitation", async () => {
    for (const contentType of ["application/ics", "text/calendar"]) {
      const raw = await bytesOf({ html: null, attachments: [invitation, file(event, { contentType })] })
      expect(typesOf(raw)).toEqual([
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "text/calendar method=REQUEST",
        contentType
      ])
    }
  })
})
