/**
 * The reference page of the replies of the listeners, from their tables.
 */
import { bounceReplies } from "../src/bounces/bounceReplies.ts"
import type { ReplyRow } from "../src/listener/Reply.ts"
import { protocolReplies } from "../src/listener/protocolReplies.ts"
import { submissionReplies } from "../src/submission/submissionReplies.ts"

export const replyTables: Readonly<Record<"protocol" | "submission" | "bounces", Readonly<Record<string, ReplyRow>>>> =
  {
    protocol: protocolReplies,
    submission: submissionReplies,
    bounces: bounceReplies
  }

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;")

const table = (rows: Readonly<Record<string, ReplyRow>>): string => {
  const sorted = Object.values(rows).toSorted(
    (a, b) => a.code - b.code || (a.enhancedCode ?? "").localeCompare(b.enhancedCode ?? "")
  )
  return [
    "| Code | Enhanced | Text | When | Source |",
    "| --- | --- | --- | --- | --- |",
    ...sorted.map(({ code, enhancedCode, text, occurs, source, closes }) => {
      const when = closes === true ? `${occurs} The connection is closed.` : occurs
      return `| ${code} | ${enhancedCode ?? ""} | ${cell(text)} | ${cell(when)} | ${source} |`
    })
  ].join("\n")
}

export const replyPage = (): string =>
  `<!-- Generated from the reply tables of packages/inbound/src by its tests (\`vitest -u\`); CI fails when it is not current. -->

# Replies of the SMTP listeners

Each reply has a code (RFC 5321 §4.2) and an enhanced code (RFC 3463). A code that begins with 4 is temporary: the client sends the message again
later. A text in angle brackets is a placeholder.

## Every listener

${table(replyTables.protocol)}

## Submission

${table(replyTables.submission)}

## Bounces and complaints

${table(replyTables.bounces)}
`
