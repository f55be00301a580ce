/**
 * Checks the sources that comments and the tables of transitions name. A source is a document that a reader can open: an RFC, a decision,
 * or a file of this repository with a statement in it.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { proseOfCode } from "./prose.ts"
import { clarifications } from "./spec/clarifications.ts"
import { invariants } from "./spec/invariants.ts"
import { statements } from "./spec/statements.ts"
import { files, read, root } from "./workspace.ts"

/** The ids of the rows and of the sections: `S6.4` and `S6`. */
const idsOf = (rows: ReadonlyArray<{ readonly id: string }>): ReadonlySet<string> =>
  new Set(rows.flatMap(({ id }) => [id, id.split(".")[0]!]))

/** The pages whose rows have ids. */
const rowsOfPage: Readonly<Record<string, ReadonlySet<string>>> = {
  "docs/spec/coverage.md": idsOf(statements),
  "docs/spec/clarifications.md": idsOf(clarifications),
  "docs/reference/invariants.md": idsOf(invariants)
}

const decisionNumbers: ReadonlySet<string> = new Set(
  files("docs/decisions/[0-9]*.md").map((file) => /(\d{4})-/.exec(file)![1]!)
)

const unknownDecisions = (citation: string): ReadonlyArray<string> =>
  [...citation.replace(/ \(.*/, "").matchAll(/\d{4}/g)]
    .filter(([number]) => !decisionNumbers.has(number))
    .map(([number]) => `there is no decision ${number}`)

const brokenPath = (citation: string): ReadonlyArray<string> => {
  const [path, ...words] = citation.split(/[ ,]+/)
  if (!existsSync(join(root, path!))) return [`${path} does not exist`]
  return words
    .filter((word) => word !== "and" && !(rowsOfPage[path!]?.has(word) ?? false))
    .map((id) => `${path} has no row ${id}`)
}

/** The forms of a citation, each with the check that it exists. The existence of an RFC is not checked. */
const forms: ReadonlyArray<readonly [RegExp, (citation: string) => ReadonlyArray<string>]> = [
  [/^RFC \d+(?:(?:,? (?:and )?§\d[\d.]*(?<=\d)(?: \([^)]*\))?)+| \(\d[\d., ]*\))?/, () => []],
  [/^decisions? \d{4}(?:(?:, | and | to )\d{4})*(?: \([^)]*\))?/, unknownDecisions],
  [/^(?:docs|packages)\/[\w./-]+\.(?:md|ts)(?:(?:,|,? and)? [SWI]\d+(?:\.\d+)?)*/, brokenPath]
]

/** What is wrong with the citations of a source: `RFC 5321 §4.1.2; decision 0010`. */
export const brokenCitations = (source: string): ReadonlyArray<string> => {
  let rest = source.replaceAll("`", "").replaceAll(/\s+/g, " ").trim()
  const found: Array<string> = []
  while (rest !== "") {
    const form = forms.find(([pattern]) => pattern.test(rest))
    if (form === undefined) return [...found, `names no RFC, decision or file: ${rest.slice(0, 60)}`]
    const [citation] = form[0].exec(rest)!
    found.push(...form[1](citation))
    rest = rest.slice(citation.length).replace(/^(?:;|,| and) /, "")
  }
  return found
}

/** The sources that the comments of a file name, with their lines. A source ends with its sentence. */
const sourcesInComments = (file: string, text: string): ReadonlyArray<readonly [line: number, source: string]> =>
  text.includes("Source:")
    ? proseOfCode(file, text).flatMap(({ line, text: words }) =>
        [...words.matchAll(/\bSource:\s+([\s\S]*?)(?:\.(?=\s|$)|$)/g)].map((match) => [line, match[1]!] as const)
      )
    : []

/** The sources in the rows of a table of transitions. */
const sourcesInRows = (file: string, text: string): ReadonlyArray<readonly [line: number, source: string]> =>
  /\/domain\/.*Table\.ts$/.test(file)
    ? [...text.matchAll(/\bsource: "([^"]+)"/g)].map((match) => [
        text.slice(0, match.index).split("\n").length,
        match[1]!
      ])
    : []

export const sourceComplaintsIn = (file: string, text: string): ReadonlyArray<string> =>
  [...sourcesInComments(file, text), ...sourcesInRows(file, text)].flatMap(([line, source]) =>
    brokenCitations(source).map((complaint) => `${file}:${line} Source: ${complaint}`)
  )

export const sourceComplaints = (): ReadonlyArray<string> =>
  files("packages/*/src/**/*.ts", "packages/*/test/**/*.ts")
    .filter((file) => !file.startsWith("packages/tools/"))
    .flatMap((file) => sourceComplaintsIn(file, read(file)))
