/**
 * Reads the header fields of a message or of a part, and the parameters of a field. A line that is no header field is skipped.
 * Source: RFC 5322 §2.2, RFC 2045 §5.1
 */

/** The values of each field by its name in lower case, unfolded, in the order of the message. */
export type ParsedHeaderFields = ReadonlyMap<string, ReadonlyArray<string>>

const valueCharactersMax = 16_384
const fieldLine = /^([!-9;-~]{1,120})[ \t]*:(.*)$/s

/** Reads the fields of a block of lines. Longer values are cut at 16,384 characters. */
export const headerFieldsOf = (block: string): ParsedHeaderFields => {
  const fields = new Map<string, Array<string>>()
  let name = ""
  let lines: Array<string> = []
  const finish = () => {
    if (name === "") return
    const value = lines.join(" ").trim().slice(0, valueCharactersMax)
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
    name = ""
  }
  for (const rawLine of block.split("\n")) {
    const line = rawLine.endsWith("\r") ? rawLine.slice(0, -1) : rawLine
    if (line.startsWith(" ") || line.startsWith("\t")) {
      lines.push(line.trim())
      continue
    }
    finish()
    const [, found, rest] = fieldLine.exec(line.slice(0, valueCharactersMax)) ?? []
    if (found === undefined || rest === undefined) continue
    name = found.toLowerCase()
    lines = [rest]
  }
  finish()
  return fields
}

/** Returns the first value of a field, or `null`. */
export const firstValue = (fields: ParsedHeaderFields, name: string): string | null => fields.get(name)?.[0] ?? null

/** Returns all values of a field. */
export const valuesOf = (fields: ParsedHeaderFields, name: string): ReadonlyArray<string> => fields.get(name) ?? []

/** The word of a value in lower case, without comments. Source: RFC 2045 §5.1. */
export const wordOf = (value: string): string =>
  value
    .replace(/\([^()]*\)/g, "")
    .trim()
    .toLowerCase()

/** The value of a field that has parameters, such as `multipart/report; report-type=delivery-status`. */
export interface ValueWithParameters {
  /** In lower case, without comments. */
  readonly value: string
  /** By name in lower case. The values keep their case. */
  readonly parameters: ReadonlyMap<string, string>
}

const parameter =
  /;[ \t]*([a-z0-9*-]{1,40})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.){0,998})"|([^ \t;"]{1,998})([^;"]{0,998}))/gi

/** Reads a field such as `Content-Type`. Text after 4,096 characters is ignored. */
export const withParameters = (text: string): ValueWithParameters => {
  const bounded = text.slice(0, 4096)
  const parameters = new Map<string, string>()
  for (const [, name, quoted, word = "", words = ""] of bounded.matchAll(parameter)) {
    const key = (name ?? "").toLowerCase()
    // Some programs write a file name with spaces without quotation marks.
    const plain = key === "name" || key === "filename" ? `${word}${words}`.trim() : word
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? plain)
  }
  return { value: wordOf(bounded.split(";", 1)[0] ?? ""), parameters }
}
