/**
 * Finds the reply code and the enhanced status code in a diagnostic text, and chooses between the code of the reporting system and the code of
 * the remote one. Source: RFC 3463 §2, RFC 5321 §4.2, RFC 3464 §2.3.4
 */

/** The codes of a refusal. `null` if the text names none. */
export interface RefusalCodes {
  readonly smtpCode: number | null
  /** Such as `5.1.1`, without leading zeros. */
  readonly enhancedCode: string | null
}

const diagnosticCharactersMax = 1000
const scannedCharactersMax = 4000

/** A code that is no part of a network address, a version or a longer number. */
const statusAnywhere = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/g
/** A colon before the code may belong to a network address of version 6. */
const codeAnywhere = /(?<![\d.]|[\da-f:]:)[45][0-5]\d(?=[\s:;,"'<-]|$)|^2[0-5]\d(?=[\s-]|$)/
/** The remote system's own pair, such as `550 5.1.1` or `550-'5.7.1`. */
const pair = /(?<![\d.])([245][0-5]\d)[^\w.][^\d]{0,16}([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/g

const statusOf = (digits: ReadonlyArray<string | undefined>): string => digits.map(Number).join(".")

/**
 * What is before a code: the beginning of a line, punctuation, an address, or a word about the answer. A number after another word may be a version, as in
 * "Editor 5.1.1".
 */
const beforeCode =
  /(?:(?:^|\n)[^\S\n]*|[^\p{L}\p{N}\s/_]\s*|@[\w.-]{1,100}\s+|\b(?:status|code|error|dsn|failure|failed|said|replied|returned|reply|response|reason|smtp)\s+)$/iu
const beforeCodeCharacters = 120

const firstCodeIn = (text: string): RegExpMatchArray | undefined => {
  for (const match of text.matchAll(statusAnywhere))
    if (beforeCode.test(text.slice(Math.max(0, match.index - beforeCodeCharacters), match.index))) return match
  return undefined
}

/** Returns the codes in a diagnostic text. The last pair of codes is the one of the most remote system. */
export const codesIn = (text: string): RefusalCodes => {
  const scanned = text.slice(0, scannedCharactersMax)
  const last = [...scanned.matchAll(pair)].at(-1)
  if (last !== undefined) return { smtpCode: Number(last[1]), enhancedCode: statusOf(last.slice(2, 5)) }
  const first = firstCodeIn(scanned)
  const [code] = codeAnywhere.exec(scanned) ?? []
  return {
    smtpCode: code === undefined ? null : Number(code),
    enhancedCode: first === undefined ? null : statusOf(first.slice(1, 4))
  }
}

/** Reads the field `Status`, which may end with a comment. */
export const statusOfField = (value: string | null): string | null => {
  const [, ...digits] = /^\s*([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/.exec(value?.slice(0, 100) ?? "") ?? []
  return digits.length === 0 ? null : statusOf(digits)
}

/** The code says only whether the failure is permanent. `5.5.0` is what a gateway gives to a reply without an enhanced code. */
const hasOnlyClass = (status: string): boolean => status.endsWith(".0.0") || status.endsWith(".5.0")

/**
 * Chooses the code that describes the failure: the specific one, of two specific ones that of the remote system. A temporary code wins over
 * a permanent one, so that a doubt never makes a failure permanent.
 */
export const chosenStatus = (reported: string | null, remote: string | null): string | null => {
  if (reported === null || remote === null) return reported ?? remote
  if (reported[0] !== remote[0]) return reported.startsWith("4") ? reported : remote.startsWith("4") ? remote : reported
  return hasOnlyClass(remote) ? reported : remote
}

/** Returns a remote text on one line, without control characters, at most 1,000 characters. */
export const shownDiagnostic = (text: string): string =>
  text
    .slice(0, scannedCharactersMax)
    .toWellFormed()
    .replace(/[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g, " ")
    .trim()
    .slice(0, diagnosticCharactersMax)
    .toWellFormed()
    .trimEnd()
