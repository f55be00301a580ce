/**
 * The tables of the statements of the specification and of the clarifications. Each row has the statement, the source files that implement it and
 * the tests that prove it. Checks that every named file and decision exists.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { generatedNotice, table } from "./markdown.ts"
import { clarifications } from "./spec/clarifications.ts"
import type { Proof, Statement } from "./spec/Statement.ts"
import { statements } from "./spec/statements.ts"
import { root } from "./workspace.ts"

const decisionFile = (decision: string): string => `docs/decisions/${decision}.md`

/** The files and decisions that a statement names and that do not exist. `checkProofs.ts` checks that the tests passed. */
export const brokenProofs = ({ id, sources, proofs, decision }: Statement): ReadonlyArray<string> => [
  ...[...sources, ...proofs.map(({ file }) => file)]
    .filter((file) => !existsSync(join(root, file)))
    .map((file) => `${id}: ${file} does not exist`),
  ...(decision === undefined || existsSync(join(root, decisionFile(decision)))
    ? []
    : [`${id}: no decision ${decision}`]),
  ...(proofs.length === 0 && decision === undefined ? [`${id}: has neither a test nor a decision`] : [])
]

export const brokenStatements = (
  all: ReadonlyArray<Statement> = [...statements, ...clarifications]
): ReadonlyArray<string> => {
  const ids = all.map(({ id }) => id)
  const duplicates = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: occurs twice`)
  return [...duplicates, ...all.flatMap(brokenProofs)]
}

const link = (file: string): string => `[${file.replace(/^packages\//, "")}](../../${file})`

/** A proof in a cell of a table. */
export const proofCell = ({ kind, file, title, command }: Proof): string =>
  `${link(file)}: ${kind === "law" ? `\`${title}\`` : title}${command === undefined ? "" : ` (\`pnpm faults ${command}\`)`}`

const page = (title: string, introduction: string, source: string, all: ReadonlyArray<Statement>): string => {
  const sections = [...new Set(all.map(({ section }) => section))]
  const rows = (section: string) =>
    all
      .filter((statement) => statement.section === section)
      .map(({ id, statement, sources, proofs, decision }) => [
        id,
        statement,
        sources.map(link).join("<br>"),
        [
          ...proofs.map(proofCell),
          ...(decision === undefined ? [] : [`[decision](../../${decisionFile(decision)})`])
        ].join("<br>")
      ])
  return `${generatedNotice(source)}
# ${title}

${introduction} ${all.length} statements. After each run of the suite, \`pnpm proofs\` compares the column _Proof_ with the report of the run. It
fails for each named test that did not run, was skipped, failed or made no assertion.

${sections.map((section) => `## ${section}\n\n${table(["No.", "Statement", "Source", "Proof"], rows(section))}`).join("\n\n")}
`
}

export const coveragePage = (): string =>
  page(
    "Statements of the specification and their proofs",
    "Every statement of the specification of the HTTP API, in the words of Mailkeep.",
    "packages/tools/src/spec/statements.ts",
    statements
  )

export const clarificationPage = (): string =>
  page(
    "Clarifications of the specification and their proofs",
    "How Mailkeep decides each point that the specification leaves open.",
    "packages/tools/src/spec/clarifications.ts",
    clarifications
  )
