/**
 * Checks the prose of the repository: comments, Markdown, test titles and sentences in strings. It may not use a word that has a plainer
 * one, a sentence may not be too long, and the title of a test is a whole sentence. Source: `docs/glossary.md`.
 */
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "oxc-parser"
import { files, read } from "./workspace.ts"

/** A word that may not be used, and what to write. */
const words: ReadonlyArray<readonly [RegExp, string]> = [
  [/\btold\b/, "reported, sent"],
  [/\btells?\b/, "reports, says, shows"],
  [/\bstands?\b/, "is"],
  [/\bstood\b/, "was"],
  [/\bstanding\b/, "existing"],
  [/\banew\b/, "again"],
  [/\b(?:goes|go|went|going) on\b/, "continues"],
  [/\bfates?\b/, "result"],
  [/\b(?:any|no|some)body's\b/, "the name of the owner"],
  [/\brooms?\b/, "layer"],
  [/\bhouses?\b/, "test server"],
  [/\b(?:its|the|that|a|past|at|after|before|from|until) dot\b/, "end of data, finalizing"],
  [/\bvouch(?:ed|es)?\b/, "verified manually"],
  [/\bmoody\b/, "flaky"],
  [/\buniverses?\b/, "simulation"],
  [/\bweather\b/, "fault rates"],
  [/\bledgers?\b/, "usage audit"],
  [/\bjudg(?:e|es|ed|ing|ement)s?\b/, "validates, checks, decides"],
  [/\bpushe[sd]\b/, "event deliveries"],
  [/\bconsumers?\b/, "subscriber"],
  [/\bmovements?\b/, "transition"],
  [/\bfares?\b/, "behaves"],
  [/\bwhose it is\b/, "the owner"],
  [/\bcomes? back\b/, "returns, recovers"],
  [/\blets? go\b/, "releases"],
  [/\bbest(?:owed)?\b(?! effort| practice)/, "what makes it better"],
  [/\bheld back\b/, "withheld, suppressed"],
  [/\bat rest\b/, "idle"],
  [/\bas given\b/, "unchanged"],
  [/\bof its own accord\b/, "by itself"],
  // Not the name of a media type.
  [/\boctets?\b(?!-)/, "byte"]
]

/** Words of one sentence. */
const sentenceWordsMax = 30

export interface Prose {
  readonly line: number
  readonly text: string
  readonly kind: "text" | "title"
}

const lineAt = (source: string) => {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset: number) => starts.findLastIndex((start) => start <= offset) + 1
}

/** The text of a comment without the stars at the beginning of its lines. */
const commentText = (value: string) => value.replaceAll(/^\s*\*+ ?/gm, "").trim()

const titleCalls: ReadonlySet<string> = new Set(["it", "test"])

/** The name of the called function: `it`, `it.each(…)`, `it.skipIf(…)`. */
const calleeName = (callee: unknown): string | undefined => {
  for (let node = callee as { type: string; name?: string; object?: unknown; callee?: unknown; tag?: unknown }; ;) {
    if (node.type === "Identifier") return node.name
    const next = node.object ?? node.callee ?? node.tag
    if (next === undefined) return undefined
    node = next as typeof node
  }
}

/** What is written for people in a file of TypeScript. */
export const proseOfCode = (file: string, source: string): ReadonlyArray<Prose> => {
  const { program, comments } = parseSync(file, source)
  const line = lineAt(source)
  const found: Array<Prose> = comments.map(({ value, start }) => ({
    line: line(start),
    text: commentText(value),
    kind: "text"
  }))
  const titles = new Set<number>()
  const add = (start: number, text: string) => {
    if (titles.has(start)) found.push({ line: line(start), text, kind: "title" })
    else if (/^\S+ \S+ \S+/.test(text) && !/\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE)\b|[<{]\/?\w/.test(text))
      found.push({ line: line(start), text, kind: "text" })
  }
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (title !== undefined && file.endsWith(".test.ts") && titleCalls.has(calleeName(callee) ?? ""))
        titles.add(title.start)
    },
    Literal({ value, start }) {
      if (typeof value === "string") add(start, value)
    },
    TemplateLiteral({ quasis, start }) {
      add(start, quasis.map(({ value }) => value.cooked ?? "").join("…"))
    }
  }).visit(program)
  return found
}

/** The paragraphs, headings, list items and cells of a page, without code. */
export const proseOfMarkdown = (source: string): ReadonlyArray<Prose> => {
  const plain = source.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, " "))
  const blocks = [
    ...plain.matchAll(
      /(?:^(?![ \t]*(?:$|[-*|#]|\d+\. )).*\n?)+|^[ \t]*(?:[-*|#]|\d+\. ).*(?:\n(?=[ \t]+\S)(?![ \t]*(?:[-*|#]|\d+\. )).*)*/gm
    )
  ]
  const line = lineAt(source)
  return blocks.flatMap(({ 0: block, index }) =>
    (block.trimStart().startsWith("|") ? block.split("|") : [block])
      .filter((text) => /\w/.test(text))
      .map((text) => ({ line: line(index), text, kind: "text" as const }))
  )
}

const withoutCode = (text: string) =>
  text
    .replaceAll(/`[^`]*`/g, "code")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/https?:\S+/g, "address")
    .replaceAll(/@example[\s\S]*/g, "")

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.!?:;])\s+(?=["“(]?[\p{Lu}`"]|\d)|\s[|•]\s/u)
    .filter((sentence) => /\w/.test(sentence))

/** A verb of the third person, or a placeholder that a table fills. */
const startsWithVerb = (title: string) => /^(?:[a-z]+s\b|is\b|has\b|does\b|%|\$|…)/.test(title)

export const complaintsAbout = ({ text, kind }: Prose): ReadonlyArray<string> => {
  const plain = withoutCode(text)
  const used = words.flatMap(([pattern, instead]) => {
    const word = pattern.exec(plain.toLowerCase())?.[0]
    return word === undefined ? [] : [`"${word}": write ${instead}`]
  })
  const long = sentencesOf(plain)
    .map((sentence) => ({ sentence, count: sentence.split(" ").filter((word) => /\w/.test(word)).length }))
    .filter(({ count }) => count > sentenceWordsMax)
    .map(({ sentence, count }) => `a sentence of ${count} words: ${sentence.slice(0, 60)}…`)
  const fragment =
    kind === "title" && !startsWithVerb(text) ? [`the title of a test begins with a verb: ${text.slice(0, 60)}`] : []
  return [...used, ...long, ...fragment]
}

/** Generated pages repeat what other files say; the list of words and its test use the words. */
const isLeftOut = (file: string) =>
  /^docs\/(?:reference|spec)\/|^docs\/decisions\/README\.md$|^docs\/adapters\/matrix\.md$|\/prose(?:\.test)?\.ts$/.test(
    file
  )

const proseComplaints = (): ReadonlyArray<string> =>
  files("packages/**/*.ts", "examples/**/*.ts", "examples/*/README.md", "docs/**/*.md", "packages/*/README.md", "*.md")
    .filter((file) => !isLeftOut(file))
    .flatMap((file) => {
      const source = read(file)
      const prose = file.endsWith(".md") ? proseOfMarkdown(source) : proseOfCode(file, source)
      return prose.flatMap((one) => complaintsAbout(one).map((complaint) => `${file}:${one.line} ${complaint}`))
    })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const only = process.argv[2] ?? ""
  const complaints = proseComplaints().filter((complaint) => complaint.startsWith(only))
  for (const complaint of complaints) console.error(complaint)
  console.log(`prose: ${complaints.length} complaints`)
  process.exitCode = complaints.length === 0 ? 0 : 1
}
