/**
 * The TypeScript examples of READMEs, guides and doc comments, with the file and line of each.
 */
import { files, read } from "./workspace.ts"

export interface Example {
  readonly file: string
  /** The line number of the first line of code, from 1. */
  readonly line: number
  readonly code: string
  /** The expected output, or `undefined` when the page states none. */
  readonly prints: string | undefined
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

/** Every ```ts block of a page, with the text block that follows "It prints:". */
export const examplesOfPage = (file: string, text: string): ReadonlyArray<Example> =>
  [...text.matchAll(/^```ts\n([\s\S]*?)^```$(?:\s+It prints:\s+^```text\n([\s\S]*?)^```$)?/gm)].map((match) => ({
    file,
    line: lineAt(text, match.index) + 1,
    code: match[1]!,
    prints: match[2]
  }))

/** Every ```ts block behind an `@example` of a doc comment. */
export const examplesOfSource = (file: string, text: string): ReadonlyArray<Example> =>
  [...text.matchAll(/^[ \t]*\* @example[^\n]*\n[ \t]*\* ```ts\n((?:[ \t]*\*[^\n]*\n)*?)[ \t]*\* ```$/gm)].map(
    (match) => ({
      file,
      line: lineAt(text, match.index) + 2,
      code: match[1]!.replace(/^[ \t]*\* ?/gm, ""),
      prints: undefined
    })
  )

export const examples: ReadonlyArray<Example> = [
  ...files("README.md", "packages/*/README.md", "docs/**/*.md").flatMap((file) => examplesOfPage(file, read(file))),
  ...files("packages/*/src/**/*.ts").flatMap((file) => examplesOfSource(file, read(file)))
]
