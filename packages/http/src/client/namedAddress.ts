/**
 * Splits an address with a name, such as `Shop <shop@acme.example>`. The wire has bare addresses, and the name of the sender as `fromName`.
 * The grammar is that of the core, without its check of the address: the server checks it. A test compares both.
 */

/** A name is `null` when it is absent or empty. */
export interface SplitAddress {
  readonly name: string | null
  readonly address: string
}

/** In UTF-16 units. A longer text is not split. */
const unitsMax = 2048

/** A control character or a line separator. */
const notOneLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** One word of a name: an atom, which may contain dots and non-ASCII characters, or a quoted string. */
const word = /([^ "(),:;<>@[\\\]]+)|"((?:[^"\\]|\\.)*)"/uy

/** Returns `undefined` for a text of another form, such as a bare address. Source: RFC 5322 §3.4 (name-addr). */
export const splitNamedAddress = (text: string): SplitAddress | undefined => {
  if (text.length > unitsMax || !text.includes("<") || notOneLine.test(text) || !text.isWellFormed()) return undefined
  const trimmed = text.trim()
  if (!trimmed.endsWith(">")) return undefined
  const words: Array<string> = []
  let position = 0
  while (trimmed[position] !== "<") {
    if (trimmed[position] === " ") {
      position++
      continue
    }
    word.lastIndex = position
    const match = word.exec(trimmed)
    if (match === null) return undefined
    words.push(match[1] ?? match[2]!.replace(/\\(.)/gu, "$1"))
    position = word.lastIndex
  }
  const name = words.join(" ").trim()
  return { name: name === "" ? null : name, address: trimmed.slice(position + 1, -1) }
}
