/**
 * The table of invariants: each row has the statement and the laws, tests and fault runs that prove it.
 */
import { brokenProofs } from "./coveragePage.ts"
import { generatedNotice, table } from "./markdown.ts"
import type { Invariant } from "./spec/invariants.ts"
import { invariants } from "./spec/invariants.ts"

/** The tests that an invariant names and that do not exist; an invariant needs a test or a stated gap. */
export const brokenInvariantRow = ({ id, proofs, waitsFor }: Invariant): ReadonlyArray<string> => [
  ...brokenProofs({ id, section: "", statement: "", sources: [], proofs, decision: "0001-core-decides" }),
  ...(proofs.length === 0 && waitsFor === undefined ? [`${id}: has neither a test nor a stated gap`] : [])
]

export const brokenInvariantRows = (): ReadonlyArray<string> => invariants.flatMap(brokenInvariantRow)

const link = (file: string): string => `[${file.replace(/^packages\//, "")}](../../${file})`

const stateOf = ({ proofs, waitsFor }: Invariant): string =>
  proofs.length === 0 ? "open" : waitsFor === undefined ? "proved" : "partly proved"

export const invariantPage = (): string => {
  const areas = [...new Set(invariants.map(({ area }) => area))]
  const count = (state: string) => invariants.filter((one) => stateOf(one) === state).length
  const rows = (area: string) =>
    invariants
      .filter((invariant) => invariant.area === area)
      .map((invariant) => [
        invariant.id,
        invariant.statement,
        stateOf(invariant),
        [
          ...invariant.proofs.map(({ file, title }) => `${link(file)}: ${title}`),
          ...(invariant.waitsFor === undefined ? [] : [`_Not yet:_ ${invariant.waitsFor}`])
        ].join("<br>")
      ])
  return `${generatedNotice("packages/tools/src/spec/invariants.ts")}
# Invariants and their proofs

${invariants.length} invariants: ${count("proved")} proved, ${count("partly proved")} partly proved, ${count("open")} open until a feature exists. The proofs are laws of the
conformance kit, tests, and fault runs (\`pnpm faults\`).

${areas.map((area) => `## ${area}\n\n${table(["No.", "Invariant", "State", "Proof"], rows(area))}`).join("\n\n")}
`
}
