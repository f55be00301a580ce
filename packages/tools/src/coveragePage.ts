/**
 * The tables of the interface's statements and of what we settled beyond it: each in our own words, where it lives, and the test
 * that holds it. Checks that every named test and decision exists.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { generatedNotice, table } from "./markdown.ts"
import { settlements } from "./spec/settlements.ts"
import type { Statement } from "./spec/Statement.ts"
import { statements } from "./spec/statements.ts"
import { read, root } from "./workspace.ts"

const decisionFile = (decision: string): string => `docs/decisions/${decision}.md`

/** Titles as the test files write them: `it("…")`, `it.each(…)("…")`, `describe("…")`. */
const titles = (file: string): ReadonlySet<string> => {
  const source = read(file)
  return new Set(
    [...source.matchAll(/\b(?:it|describe)\b[\s\S]*?\(\s*"((?:[^"\\]|\\.)*)"/g)].map((match) =>
      match[1]!.replaceAll('\\"', '"')
    )
  )
}

const hasTitle = (file: string, title: string): boolean =>
  titles(file).has(title) || read(file).includes(`"${title}"`) || read(file).includes(`\`${title}\``)

/** What is wrong with a statement's proofs. */
export const brokenProofs = ({ id, lives, heldBy, decision }: Statement): ReadonlyArray<string> => [
  ...lives.filter((file) => !existsSync(join(root, file))).map((file) => `${id}: ${file} does not exist`),
  ...heldBy.flatMap(({ file, title }) =>
    !existsSync(join(root, file))
      ? [`${id}: ${file} does not exist`]
      : hasTitle(file, title)
        ? []
        : [`${id}: ${file} has no test "${title}"`]
  ),
  ...(decision === undefined || existsSync(join(root, decisionFile(decision)))
    ? []
    : [`${id}: no decision ${decision}`]),
  ...(heldBy.length === 0 && decision === undefined ? [`${id}: has neither a test nor a decision`] : [])
]

export const brokenStatements = (
  all: ReadonlyArray<Statement> = [...statements, ...settlements]
): ReadonlyArray<string> => {
  const ids = all.map(({ id }) => id)
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: is there twice`)
  return [...twice, ...all.flatMap(brokenProofs)]
}

const link = (file: string): string => `[${file.replace(/^packages\//, "")}](../../${file})`

const page = (title: string, introduction: string, source: string, all: ReadonlyArray<Statement>): string => {
  const sections = [...new Set(all.map(({ section }) => section))]
  const rows = (section: string) =>
    all
      .filter((statement) => statement.section === section)
      .map(({ id, says, lives, heldBy, decision }) => [
        id,
        says,
        lives.map(link).join("<br>"),
        [
          ...heldBy.map(({ file, title }) => `${link(file)}: ${title}`),
          ...(decision === undefined ? [] : [`[decision](../../${decisionFile(decision)})`])
        ].join("<br>")
      ])
  return `${generatedNotice(source)}
# ${title}

${introduction} ${all.length} statements.

${sections.map((section) => `## ${section}\n\n${table(["No.", "Statement", "Lives in", "Held by"], rows(section))}`).join("\n\n")}
`
}

export const coveragePage = (): string =>
  page(
    "What the interface states, and what holds it",
    "Every statement of the interface in our own words.",
    "packages/tools/src/spec/statements.ts",
    statements
  )

export const settledPage = (): string =>
  page(
    "What we settled where the interface is silent, and what holds it",
    "Every point that the interface leaves open, as it was settled.",
    "packages/tools/src/spec/settlements.ts",
    settlements
  )
