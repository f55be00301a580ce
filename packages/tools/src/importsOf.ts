/**
 * The imports of a source file.
 */
import { posix } from "node:path"

const importPattern = /^\s*(?:import|export)\s[^"']*?from\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm

/** The source without its doc comments, whose examples also import modules. */
export const withoutDocComments = (source: string): string => source.replaceAll(/^[ \t]*\/\*\*[\s\S]*?\*\//gm, "")

/** The names of the imported modules, in the order of the source. Imports of types count. */
export const importsOf = (source: string): ReadonlyArray<string> =>
  [...withoutDocComments(source).matchAll(importPattern)].map((match) => (match[1] ?? match[2] ?? match[3])!)

/** The path of an imported file, from the root of the repository. */
export const importedFile = (file: string, name: string): string =>
  posix.normalize(posix.join(posix.dirname(file), name))
