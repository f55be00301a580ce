/**
 * Tests of the check of examples: the blocks that it finds, and its complaints. Also starts the program of the README twice on one file.
 * `node packages/tools/src/examples.ts` compiles and runs every example of the repository.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { allExamples, examplesOfPage, examplesOfSource, formComplaints, statedOutput } from "../src/examplesInText.ts"
import {
  compileComplaints,
  inExampleFolder,
  outputComplaints,
  runExamples,
  runFile,
  writeExamples
} from "../src/examplesRun.ts"
import { read } from "../src/workspace.ts"

const pageWith = (...code: ReadonlyArray<string>) => `# A\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\n`

const exampleOf = (...code: ReadonlyArray<string>) => examplesOfPage("a.md", pageWith(...code))[0]!

const ran = (...code: ReadonlyArray<string>) =>
  inExampleFolder((folder) => {
    const examples = [exampleOf(...code)]
    writeExamples(folder, examples)
    return runExamples(folder, examples, 1)
  })

describe("the examples of a page or a source file", () => {
  it("finds an example in the README, in each guide and in each README of a package", () => {
    for (const file of [
      "README.md",
      "docs/guides/send-your-first-mail.md",
      "docs/guides/templates.md",
      "docs/adapters/write-a-transport.md",
      "docs/adapters/prove-it.md",
      "packages/conformance/README.md",
      "packages/core/README.md",
      "packages/http/README.md"
    ])
      expect(allExamples().map((example) => example.file)).toContain(file)
  })

  it("reads the output that a page states behind an example", () => {
    const page = `${pageWith('console.log("one")')}\nIt prints:\n\n\`\`\`text\none\n\`\`\`\n`
    expect(examplesOfPage("a.md", page)).toEqual([
      { file: "a.md", line: 4, code: 'console.log("one")\n', prints: "one\n", notRunBecause: undefined }
    ])
  })

  it("reads the examples of a doc comment and leaves out the blocks before `@example`", () => {
    const source = [
      "/**",
      " * Does.",
      " * ```ts",
      " * const not = 1",
      " * ```",
      " *",
      " * @example",
      " * ```ts",
      " * export const x = 1",
      " * ```",
      " */",
      "const text = '```ts'"
    ].join("\n")
    expect(examplesOfSource("a.ts", source).map(({ line, code }) => [line, code])).toEqual([
      [9, "export const x = 1\n"]
    ])
  })

  it("reads the stated output from the comments behind `console.log`", () => {
    expect(statedOutput("console.log(a) // one\nconsole.log(b)\nconsole.log(c) // two: the rest is explained")).toEqual(
      ["one", "two"]
    )
  })

  it("complains about an import of a file and about a missing reason", () => {
    expect(formComplaints(exampleOf('import { a } from "./a.ts"'))).toEqual([
      "a.md:4: imports ./a.ts; an example imports packages only"
    ])
    const [without] = examplesOfPage("a.md", "```ts no-run\nawait forever\n```\n")
    const [with_] = examplesOfPage("a.md", "```ts no-run It needs a relay that is reachable.\nawait forever\n```\n")
    expect(formComplaints(without!)).toEqual(['a.md:2: give the reason why the example is not run, behind "no-run"'])
    expect(formComplaints(with_!)).toEqual([])
  })
})

describe("compileComplaints", () => {
  it("reports the file and line of an example when it does not compile", async () => {
    const page = exampleOf("const one = 1", "export const two: string = one")
    const comment = examplesOfSource(
      "a.ts",
      "/**\n * Does.\n *\n * @example\n * ```ts\n * export const x: number = false\n * ```\n */\n"
    )
    const complaints = await inExampleFolder((folder) => {
      const examples = [page, ...comment]
      writeExamples(folder, examples)
      return compileComplaints(folder, examples)
    })
    expect(complaints).toEqual([
      expect.stringMatching(/^a\.md:5: error TS2322/),
      expect.stringMatching(/^a\.ts:6: error TS2322/)
    ])
  }, 120_000)
})

describe("runExamples", () => {
  it("complains about an example that ends with another exit code than 0", async () => {
    expect(await ran("process.exitCode = 3")).toEqual(["a.md:4: ends with the exit code 3\n"])
  })

  it("complains about an example that prints another text than its comment states", async () => {
    expect(await ran("console.log(1) // 1", "console.log(2) // 3")).toEqual([
      'a.md:4: prints "2", but its comment states "3"'
    ])
  })

  it("runs an example in an empty folder", async () => {
    const code = ['import { readdirSync } from "node:fs"', 'console.log("files", readdirSync(".").length) // files 0']
    expect(await ran(...code)).toEqual([])
  })

  it("runs an example of vitest as a test, and complains about a test that fails", async () => {
    const testOf = (expected: number) => [
      'import { expect, it } from "vitest"',
      `it("adds", () => expect(1 + 1).toBe(${expected}))`
    ]
    expect(await ran(...testOf(2))).toEqual([])
    expect(await ran(...testOf(3))).toEqual([expect.stringContaining("a.md:4: ends with the exit code 1")])
  })

  it("leaves out an example that says why it is not run", async () => {
    const [example] = examplesOfPage("a.md", "```ts no-run It ends with an error.\nthrow new Error()\n```\n")
    const complaints = await inExampleFolder((folder) => {
      writeExamples(folder, [example!])
      return runExamples(folder, [example!], 2)
    })
    expect(complaints).toEqual([])
  })

  it("compares the whole output when the page states it in a block", () => {
    const example = { ...exampleOf("console.log(1)"), prints: "1\n" }
    expect(outputComplaints(example, "1\n")).toEqual([])
    expect(outputComplaints(example, "1\n2\n")).toEqual(["prints\n1\n2\nbut its page states\n1\n"])
  })

  it("refuses a line that has the stated words in another place, or other digits behind them", () => {
    const example = exampleOf("console.log(broken) // 0")
    expect(outputComplaints(example, "0\n")).toEqual([])
    expect(outputComplaints(example, "10\n")).toEqual(['prints "10", but its comment states "0"'])
    expect(outputComplaints(example, "05\n")).toHaveLength(1)
    expect(outputComplaints(exampleOf("console.log(status) // sent"), "not sent\n")).toHaveLength(1)
  })

  it("accepts a line of which the comment states the beginning", () => {
    const example = exampleOf("console.log(time) // 2026-01-08T09: the time of the clock")
    expect(outputComplaints(example, "2026-01-08T09:00:00.000Z\n")).toEqual([])
  })
})

describe("the example of the README", () => {
  it("sends no second mail when it runs a second time on the same file", async () => {
    const { code } = examplesOfPage("README.md", read("README.md"))[0]!
    await inExampleFolder(async (folder) => {
      const onFile = code
        .replace('sqlite("mail.db")', `sqlite(${JSON.stringify(join(folder, "mail.db"))})`)
        .replace("await mail.send(", "const { totalQueued, replayed } = await mail.send(")
      expect(onFile).toContain(folder)
      const file = join(folder, "readme.ts")
      writeFileSync(file, `${onFile}\nconsole.log(totalQueued, replayed)\n`)
      // The idempotency key is the same, so the first answer is repeated and no further message is accepted.
      expect(await runFile(file)).toEqual({ output: "1 false\n", problem: undefined })
      expect(await runFile(file)).toEqual({ output: "1 true\n", problem: undefined })
    })
  })
})
