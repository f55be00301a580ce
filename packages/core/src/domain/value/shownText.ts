/**
 * A text of a remote system or of an adapter, in a form that every store keeps and every page can show.
 */

const unitsMax = 1000

/** Returns at most 1,000 UTF-16 units of a text, on one line of well-formed Unicode without control characters. */
export const shownText = (text: string): string =>
  text
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
    .slice(0, unitsMax)
    .toWellFormed()
