/**
 * Composes a message and reads it back, and makes texts that break careless programs.
 */
import { buffer } from "node:stream/consumers"
import type { OutgoingAttachment, OutgoingMessage } from "@mailkeep/core/adapter"
import fc from "fast-check"
import type { Email } from "postal-mime"
import PostalMime from "postal-mime"
import { composeMessage } from "../src/composeMessage.ts"
import { message } from "./handOffHarness.ts"

export const bytesOf = (given: Partial<OutgoingMessage>, textAlternative = true): Promise<Buffer> =>
  buffer(composeMessage(message(given), { textAlternative })())

export const readBack = async (given: Partial<OutgoingMessage>): Promise<Email> =>
  PostalMime.parse(await bytesOf(given))

export const file = (content: Uint8Array, change: Partial<OutgoingAttachment> = {}): OutgoingAttachment => ({
  filename: "order.pdf",
  contentType: "application/pdf",
  contentId: null,
  disposition: "attachment",
  size: content.length,
  read: async function* () {
    for (let at = 0; at < content.length; at += 1000) yield content.subarray(at, at + 1000)
  },
  ...change
})

/** Pieces of text that break careless programs: several scripts, and what has a meaning in a header or a boundary. */
export const pieces = [
  ..."aZ09 .,;:@<>()[]\"'\\/=?_%*&#!~-",
  "=?utf-8?Q?hidden?=",
  "=?x?=",
  "?=",
  "ü",
  "é",
  "İ",
  "ß",
  "漢字",
  "שלום",
  "مرحبا",
  "नमस्ते",
  "🎉",
  "👩‍👩‍👧",
  "\u202e",
  "\u00a0",
  "To: x@evil.example",
  "Bcc:",
  "--=_",
  "'' ",
  "word ".repeat(20),
  "x".repeat(80)
]

export const line = (max: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join("").slice(0, max).toWellFormed())

/** Without what looks like an encoded word: postal-mime decodes a name twice. */
export const filename = line(200)
  .map((name) => name.replace(/[/\\]/g, "_").replaceAll("=?", "="))
  .filter((name) => name.trim() !== "")
