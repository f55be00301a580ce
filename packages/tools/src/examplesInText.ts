/**
 * The TypeScript examples of READMEs, guides and doc comments, with the file and line of each.
 *
 * An example is a fenced block with the language `ts`. A block that only compiles says why in its fence: ```` ```ts no-run It needs a relay. ````.
 */
import { files, read } from "./workspace.ts"

export interface Example {
  readonly file: string
  /** The line number of the first line of code, from 1. */
  readonly line: number
  readonly code: string
  /** The expected output, or `undefined` when the page states none. */
  readonly prints: string | undefined
  /** Why the example is not run, from its fence. `undefined` for an example that runs. */
  readonly notRunBecause: string | undefined
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

const block = /^```ts(?:[ ]+([^\n]*))?\n([\s\S]*?)^```$(?:\s+It prints:\s+^```text\n([\s\S]*?)^```$)?/gm

/** Every `ts` block of a page, with the text block that follows "It prints:". */
export const examplesOfPage = (file: string, text: string): ReadonlyArray<Example> =>
  [...text.matchAll(block)].map((match) => ({
    file,
    line: lineAt(text, match.index) + 1,
    code: match[2]!,
    prints: match[3],
    notRunBecause: match[1] === undefined ? undefined : match[1].replace(/^no-run\s*/, "")
  }))

/** The text of each doc comment without its stars. The other lines are empty, so that a line keeps its number. */
const docComments = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/\/\*\*[\s\S]*?\*\//g)].map(
    ({ 0: comment, index }) =>
      source.slice(0, index).replaceAll(/[^\n]/g, "") + comment.replaceAll(/^[ \t]*\* ?|\/\*\*|\*\/$/gm, "")
  )

/** Every `ts` block behind an `@example` of a doc comment. */
export const examplesOfSource = (file: string, text: string): ReadonlyArray<Example> =>
  docComments(text).flatMap((comment) => {
    const start = comment.indexOf("@example")
    if (start === -1) return []
    return examplesOfPage(file, comment.slice(0, start).replaceAll(/[^\n]/g, "") + comment.slice(start))
  })

/** Every example of the repository: READMEs, pages below `docs`, and doc comments of the packages' sources. */
export const allExamples = (): ReadonlyArray<Example> => [
  ...files("README.md", "packages/*/README.md", "examples/*/README.md", "docs/**/*.md").flatMap((file) =>
    examplesOfPage(file, read(file))
  ),
  ...files("packages/*/src/**/*.ts")
    .filter((file) => !file.startsWith("packages/tools/"))
    .flatMap((file) => examplesOfSource(file, read(file)))
]

/** The output that the comments behind `console.log` state, in order. A comment may state only the beginning of a line. */
export const statedOutput = (code: string): ReadonlyArray<string> =>
  [...code.matchAll(/console\.log\(.*\) \/\/ ([^:\n]+)/g)].map((match) => match[1]!.trim())

/** The smallest number of words in a reason. */
const reasonWordsMin = 4

/** What is wrong with an example before it is compiled: a module that no user can import, or no reason why the example is not run. */
export const formComplaints = ({ file, line, code, notRunBecause }: Example): ReadonlyArray<string> => [
  ...[...code.matchAll(/(?:from|import)\s*\(?\s*"([./][^"]*)"/g)].map(
    (match) => `${file}:${line}: imports ${match[1]}; an example imports packages only`
  ),
  ...(notRunBecause !== undefined && notRunBecause.split(/\s+/).length < reasonWordsMin
    ? [`${file}:${line}: give the reason why the example is not run, behind "no-run"`]
    : [])
]
