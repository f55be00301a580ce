/** Reads the subject of a message as people see it. */
import { decodeWords } from "postal-mime"
import { firstValue } from "../mime/headerFields.ts"
import type { ParsedHeaderFields } from "../mime/headerFields.ts"

const encodedCharactersMax = 1000

/** Returns the subject with its encoded words decoded (RFC 2047), or an empty text. Reads at most 1,000 characters. */
export const subjectOf = (headers: ParsedHeaderFields): string =>
  decodeWords((firstValue(headers, "subject") ?? "").slice(0, encodedCharactersMax))
