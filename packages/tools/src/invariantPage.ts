/**
 * The table of invariants: each in our own words, and the laws, tests and fault runs that hold it.
 */
import { brokenProofs } from "./coveragePage.ts"
import { generatedNotice, table } from "./markdown.ts"
import type { Invariant } from "./spec/invariants.ts"
import { invariants } from "./spec/invariants.ts"

/** What is wrong with an invariant's proofs. */
export const brokenInvariantRow = ({ id, heldBy, waitsFor }: Invariant): ReadonlyArray<string> => [
  ...brokenProofs({ id, section: "", says: "", lives: [], heldBy, decision: "0001-core-decides" }),
  ...(heldBy.length === 0 && waitsFor === undefined ? [`${id}: is held by nothing and waits for nothing`] : [])
]

export const brokenInvariantRows = (): ReadonlyArray<string> => invariants.flatMap(brokenInvariantRow)

const link = (file: string): string => `[${file.replace(/^packages\//, "")}](../../${file})`

const stateOf = ({ heldBy, waitsFor }: Invariant): string =>
  heldBy.length === 0 ? "waits" : waitsFor === undefined ? "held" : "held in part"

export const invariantPage = (): string => {
  const areas = [...new Set(invariants.map(({ area }) => area))]
  const count = (state: string) => invariants.filter((one) => stateOf(one) === state).length
  const rows = (area: string) =>
    invariants
      .filter((invariant) => invariant.area === area)
      .map((invariant) => [
        invariant.id,
        invariant.says,
        stateOf(invariant),
        [
          ...invariant.heldBy.map(({ file, title }) => `${link(file)}: ${title}`),
          ...(invariant.waitsFor === undefined ? [] : [`_Not yet:_ ${invariant.waitsFor}`])
        ].join("<br>")
      ])
  return `${generatedNotice("packages/tools/src/spec/invariants.ts")}
# What must hold whatever happens, and what holds it

${invariants.length} invariants: ${count("held")} held, ${count("held in part")} in part, ${count("waits")} waiting for what is not built yet. A row is held by laws of the
conformance kit, by tests, and by fault runs (\`pnpm faults\`).

${areas.map((area) => `## ${area}\n\n${table(["No.", "Invariant", "State", "Held by"], rows(area))}`).join("\n\n")}
`
}
