/**
 * The index of decision records: the number, the subject, the status and the question of each.
 */
import { basename } from "node:path"
import { generatedNotice, table } from "./markdown.ts"
import { files, read } from "./workspace.ts"

interface DecisionRecord {
  readonly file: string
  readonly title: string
  readonly status: string
  readonly question: string
}

/** Throws when the record lacks one of the parts that every record has. */
export const decisionRecord = (file: string, text: string): DecisionRecord => {
  const part = (pattern: RegExp, name: string): string => {
    const found = pattern.exec(text)?.[1]
    if (found === undefined) throw new Error(`${file} has no ${name}`)
    return found
  }
  part(/^\*\*(Decision)\.\*\*/m, "decision")
  part(/^\*\*(Why)\.\*\*/m, "reason")
  part(/^\*\*Alternatives\.\*\*\n\n- _([^_]+)\._ \S/m, "alternative with the reason against it")
  const status = part(/^\*\*Status\.\*\* (.+)\.$/m, "status")
  if (!/^(?:Proposed|Accepted|Superseded by \[\d{4}\])/.test(status))
    throw new Error(`${file} has the unknown status "${status}"`)
  // The lines of a long question. An empty line ends it.
  const question = part(/^\*\*Question\.\*\* (.+(?:\n.+)*)$/m, "question").replaceAll("\n", " ")
  return { file, status, title: part(/^# (.+)$/m, "title"), question }
}

export const decisionPage = (): string => {
  const records = files("docs/decisions/[0-9]*.md").map((file) => decisionRecord(file, read(file)))
  return `${generatedNotice("docs/decisions")}
# Decisions

Each record answers one question. It has a status, the reason, and the alternatives that were considered. When a decision changes, its
record is rewritten; the history is in Git. A number is never used again.

${table(
  ["Number", "Decision", "Status", "Question"],
  records.map(({ file, title, status, question }) => [
    basename(file).slice(0, 4),
    `[${title}](${basename(file)})`,
    status,
    question
  ])
)}
`
}
