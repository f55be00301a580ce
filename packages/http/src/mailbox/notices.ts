/**
 * The sentences after an action of a reader. The address of a page has only the name of a sentence, so that nobody else can write one.
 */
import type { Markup } from "./markup.ts"
import { markup } from "./markup.ts"

const sentences = {
  reported: "The report is recorded. A suppressed recipient gets no further mail, so that none arrives here.",
  unchanged: "The report says nothing new, so that it changes nothing.",
  chosen: "The outcome of the next mail to this address is chosen.",
  emptied: "The mailbox is empty."
} as const
/** The name of a sentence. */
export type NoticeName = keyof typeof sentences

/** The sentence of this name. */
export const noticeOf = (name: string | null): Markup | null =>
  name !== null && Object.hasOwn(sentences, name)
    ? markup`<p class="notice" role="status">${sentences[name as NoticeName]}</p>`
    : null
