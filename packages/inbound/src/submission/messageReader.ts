/**
 * Reads a message that a client submits: its header, its bodies and its files. Source: RFC 5322 §3.6; RFC 6409 §6.
 */
import { Result } from "effect"
import type { Email } from "postal-mime"
import PostalMime from "postal-mime"
import type { Attachment } from "./mimeContent.ts"
import { attachmentOf, isBlank, isBodyText, textOf, withEachIdOnce } from "./mimeContent.ts"
import type { MimeFault, MimeLeaf } from "./mimeLeaves.ts"
import { splitMessage } from "./mimeLeaves.ts"

/** A message as its header, its bodies and its files. */
export interface SubmittedMessage {
  /** The header fields, decoded. The bodies of this value are empty. */
  readonly header: Email
  readonly text: string | null
  readonly html: string | null
  readonly attachments: ReadonlyArray<Attachment>
}

/**
 * Sorts the parts: the first plain text and the first html are the bodies, and every other part is a file. So no part of a message is lost. Some mail
 * programs write texts without content before or after a file. Such a text is a body only if there is no other.
 */
const sortLeaves = (leaves: ReadonlyArray<MimeLeaf>): Omit<SubmittedMessage, "header"> => {
  const bodies = leaves.filter(isBodyText)
  const blank = new Set(bodies.filter(isBlank))
  const firstOf = (kind: ReadonlyArray<MimeLeaf>) => kind.find((leaf) => !blank.has(leaf)) ?? kind[0]
  const html = firstOf(bodies.filter(({ type }) => type === "text/html"))
  const text = firstOf(bodies.filter(({ type }) => type !== "text/html"))
  return {
    text: text === undefined ? null : textOf(text),
    html: html === undefined ? null : textOf(html),
    attachments: withEachIdOnce(
      leaves.filter((leaf) => leaf !== text && leaf !== html && !blank.has(leaf)).map(attachmentOf)
    )
  }
}

/** Reads a message. Fails with the reason for which the message cannot be accepted. */
export const readMessage = async (raw: Uint8Array): Promise<Result.Result<SubmittedMessage, MimeFault>> => {
  const split = splitMessage(raw)
  if (Result.isFailure(split)) return Result.fail(split.failure)
  const { header, leaves } = split.success
  // Only the header: the time and the memory that postal-mime takes for a body grow with the number of its lines.
  const parsed = await PostalMime.parse(header)
  return Result.succeed({ header: parsed, ...sortLeaves(leaves) })
}
