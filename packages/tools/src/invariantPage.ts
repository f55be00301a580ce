/**
 * The table of invariants: each row has the statement and the laws, tests and fault runs that prove it.
 */
import { brokenProofs, proofCell } from "./coveragePage.ts"
import { generatedNotice, table } from "./markdown.ts"
import type { Invariant } from "./spec/Invariant.ts"
import { invariants } from "./spec/invariants.ts"

/** The files that an invariant names and that do not exist; an invariant needs a proof or a stated gap. */
export const brokenInvariantRow = ({ id, proofs, waitsFor }: Invariant): ReadonlyArray<string> => [
  ...brokenProofs({ id, section: "", statement: "", sources: [], proofs, decision: "0001-core-decides" }),
  ...(proofs.length === 0 && waitsFor === undefined ? [`${id}: has neither a test nor a stated gap`] : [])
]

export const brokenInvariantRows = (): ReadonlyArray<string> => invariants.flatMap(brokenInvariantRow)

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
          ...invariant.proofs.map(proofCell),
          ...(invariant.waitsFor === undefined ? [] : [`_Not yet:_ ${invariant.waitsFor}`])
        ].join("<br>")
      ])
  return `${generatedNotice("packages/tools/src/spec/invariants.ts")}
# Invariants and their proofs

${invariants.length} invariants: ${count("proved")} proved, ${count("partly proved")} partly proved, ${count("open")} open until a feature exists.

- A test is a proof when it passed with an assertion in the last run of the suite. \`pnpm proofs\` compares this page with the report of the run.
- A law of the conformance kit runs in the tests of each adapter. It is a proof when every adapter to which it applies passed, and when the
  kit's tests detected an adapter that breaks it.
- A fault run is a command. CI runs it after the suite, and the command fails when it counts a failure under the label of this page.
- A lint rule is checked by \`pnpm check\`.

${areas.map((area) => `## ${area}\n\n${table(["No.", "Invariant", "State", "Proof"], rows(area))}`).join("\n\n")}
`
}
