/**
 * A mutant: one small change of one source file, and the finders of all such changes.
 */

/** Replaces the text from `start` to `end`. `operator` says what kind of change it is. */
export interface Edit {
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface Mutant extends Edit {
  /** The position in the list of all mutants of a subject, from 0. */
  readonly number: number
  readonly file: string
  readonly line: number
  /** The text before the change, in one line. */
  readonly before: string
  /** The same text after the change. */
  readonly after: string
  /** Identifies the mutant in another version of the file, if its own text is the same. */
  readonly key: string
}

const charactersMax = 160

const inOneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > charactersMax ? `${line.slice(0, charactersMax)}…` : line
}

export const mutated = (source: string, { start, end, text }: Edit): string =>
  source.slice(0, start) + text + source.slice(end)

/** Extends an edit to the whole line, so that the change can be read without the file. */
const context = (source: string, edit: Edit): readonly [before: string, after: string] => {
  const from = source.lastIndexOf("\n", edit.start) + 1
  const next = source.indexOf("\n", edit.end)
  const to = next < 0 ? source.length : next
  return [
    inOneLine(source.slice(from, to)),
    inOneLine(source.slice(from, edit.start) + edit.text + source.slice(edit.end, to))
  ]
}

/** Describes edits of a file as mutants. Leaves out an edit that gives the same text as an earlier edit. */
export const mutantsOf = (
  file: string,
  source: string,
  edits: ReadonlyArray<Edit>
): ReadonlyArray<Omit<Mutant, "number">> => {
  const texts = new Set([source])
  const keys = new Map<string, number>()
  return edits
    .toSorted((a, b) => a.start - b.start || a.end - b.end || (a.text < b.text ? -1 : 1))
    .flatMap((edit) => {
      const whole = mutated(source, edit)
      if (texts.has(whole)) return []
      texts.add(whole)
      const [before, after] = context(source, edit)
      const plain = `${file}: ${edit.operator}: ${before} => ${after}`
      const count = (keys.get(plain) ?? 0) + 1
      keys.set(plain, count)
      const line = source.slice(0, edit.start).split("\n").length
      return [{ ...edit, file, line, before, after, key: count === 1 ? plain : `${plain} (${count})` }]
    })
}
