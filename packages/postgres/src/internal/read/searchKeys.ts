/**
 * The index of a contact search: each sequence of three characters of the searched texts, together with the project, as a 32-bit hash. A GIN index
 * of these numbers needs no extension of PostgreSQL, and a search reads only entries of its project. Two sequences can have the same hash, so a
 * search compares the texts of each row that the index finds.
 */
import type { ContactRecord } from "@mailkeep/core/adapter"
import { codePoints, searchedTexts } from "@mailkeep/core/adapter/evaluation"

/** The index finds no text with fewer characters. */
const indexedCharactersMin = 3

const offsetBasis = 0x811c9dc5
const prime = 0x01000193

/** FNV-1a over the code points. */
const hashOf = (seed: number, characters: ReadonlyArray<string>, from: number, to: number): number => {
  let hash = seed
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ characters[at]!.codePointAt(0)!, prime)
  return hash
}

/** Mixes the bits, so that neighbouring sequences are not neighbours in the index. The result is a signed 32-bit number. */
const mixed = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return once ^ (once >>> 15)
}

const addKeys = (keys: Set<number>, seed: number, text: string): void => {
  const characters = [...text]
  for (let at = 0; at + indexedCharactersMin <= characters.length; at++)
    keys.add(mixed(hashOf(seed, characters, at, at + indexedCharactersMin)))
}

const seedOf = (projectId: string): number => {
  const characters = [...projectId]
  return hashOf(offsetBasis, characters, 0, characters.length)
}

/** The keys of a contact: those of its email and of its name. */
export const searchKeysOf = (
  contact: Pick<ContactRecord, "projectId" | "email" | "firstName" | "lastName">
): ReadonlyArray<number> => {
  const keys = new Set<number>()
  for (const text of searchedTexts(contact)) addKeys(keys, seedOf(contact.projectId), text)
  return [...keys]
}

/**
 * The keys of each text that contains a case-folded part, for each of the parts. Returns `undefined` if one is too short for the index, or if there is
 * none.
 */
export const searchKeysOfParts = (
  projectId: string,
  parts: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<number>> | undefined => {
  if (parts.length === 0 || parts.some((part) => codePoints(part) < indexedCharactersMin)) return undefined
  return parts.map((part) => {
    const keys = new Set<number>()
    addKeys(keys, seedOf(projectId), part)
    return [...keys]
  })
}
