/**
 * The index of decision records: the number, the subject and the question of each.
 */
import { basename } from "node:path"
import { generatedNotice, table } from "./markdown.ts"
import { files, read } from "./workspace.ts"

interface DecisionRecord {
  readonly file: string
  readonly title: string
  readonly question: string
}

/** Throws when the record lacks one of the parts that every record has. */
const decisionRecord = (file: string): DecisionRecord => {
  const text = read(file)
  const part = (pattern: RegExp, name: string): string => {
    const found = pattern.exec(text)?.[1]
    if (found === undefined) throw new Error(`${file} has no ${name}`)
    return found
  }
  part(/^\*\*(Decision)\.\*\*/m, "decision")
  return { file, title: part(/^# (.+)$/m, "title"), question: part(/^\*\*Question\.\*\* (.+)$/m, "question") }
}

export const decisionPage = (): string => {
  const records = files("docs/decisions/[0-9]*.md").map(decisionRecord)
  return `${generatedNotice("docs/decisions")}
# Decisions

Each record answers one question. All are in force. When a decision changes, its record is rewritten; the history is in Git.

${table(
  ["Number", "Decision", "Question"],
  records.map(({ file, title, question }) => [basename(file).slice(0, 4), `[${title}](${basename(file)})`, question])
)}
`
}
