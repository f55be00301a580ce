/**
 * A text of a remote system or of an adapter, in a form that every store keeps and every page can show.
 */

const unitsMax = 1000

/** Control characters, line and paragraph separators, and characters that change the text direction. A terminal or a page interprets them. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Returns at most 1,000 UTF-16 units of a text, on one line of well-formed Unicode without characters that a terminal interprets. */
export const shownText = (text: string): string => text.replace(unprintable, " ").slice(0, unitsMax).toWellFormed()
