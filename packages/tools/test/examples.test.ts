/**
 * Compiles and runs every TypeScript example of a README, a guide or a doc comment. The compiler options are those of the repository.
 * An example must print what its page says.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import type { Example } from "../src/examples.ts"
import { examples, examplesOfPage, examplesOfSource } from "../src/examples.ts"
import { root } from "../src/workspace.ts"

/** A folder beside this package's sources, so that every package can be imported. */
const inFolder = <A>(use: (folder: string) => A): A => {
  const folder = mkdtempSync(join(root, "packages/tools/.example-"))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const run = (code: string): string =>
  inFolder((folder) => {
    const file = join(folder, "example.ts")
    writeFileSync(file, code)
    return execFileSync(process.execPath, [file], { encoding: "utf8" })
  })

/** The errors of the compiler. Each names the file and line of the example's source. */
const complaintsOf = (all: ReadonlyArray<Example>): ReadonlyArray<string> =>
  inFolder((folder) => {
    all.forEach(({ code }, n) => writeFileSync(join(folder, `${n}.ts`), code))
    const config = { extends: relative(folder, join(root, "tsconfig.json")), include: ["*.ts"] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    const { stdout } = spawnSync(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), "-p", folder, "--pretty", "false"],
      {
        cwd: folder,
        encoding: "utf8"
      }
    )
    return stdout
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [, n, lineNumber, message] = /^(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(line) ?? []
        const example = all[Number(n)]
        return example === undefined ? line : `${example.file}:${example.line + Number(lineNumber) - 1}: ${message}`
      })
  })

/** The expected output from the comments behind `console.log`, in order. A comment may state only the beginning of a line. */
const commentedOutput = (code: string): ReadonlyArray<string> =>
  [...code.matchAll(/console\.log\(.*\) \/\/ ([^:\n]+)/g)].map((match) => match[1]!.trim())

describe("examples", () => {
  it("finds an example in the README, in each guide and in each README of a package", () => {
    for (const file of [
      "README.md",
      "docs/guides/send-your-first-mail.md",
      "docs/guides/templates-and-events.md",
      "docs/adapters/write-a-transport.md",
      "docs/adapters/prove-it.md",
      "packages/conformance/README.md",
      "packages/core/README.md",
      "packages/http/README.md"
    ])
      expect(examples.map((example) => example.file)).toContain(file)
  })

  it("compiles every example under the compiler options of the repository", () => {
    expect(complaintsOf(examples)).toEqual([])
  }, 120_000)

  it("reports the file and line of an example when it does not compile", () => {
    const page = examplesOfPage("a.md", "# A\n\n```ts\nconst one = 1\nexport const two: string = one\n```\n")
    const comment = examplesOfSource(
      "a.ts",
      "/**\n * Does.\n *\n * @example\n * ```ts\n * export const x: number = false\n * ```\n */\n"
    )
    expect(complaintsOf([...page, ...comment])).toEqual([
      expect.stringMatching(/^a\.md:5: error TS2322/),
      expect.stringMatching(/^a\.ts:6: error TS2322/)
    ])
  }, 120_000)

  it("starts the README example a second time on the same file", () => {
    inFolder((folder) => {
      const [{ code }] = examples as readonly [Example, ...Array<Example>]
      const onFile = code
        .replace(
          'import { MemoryMailStore } from "@mailkeep/memory"',
          'import { SqliteMailStore } from "@mailkeep/sqlite"'
        )
        .replace(
          "MemoryMailStore.layer,",
          `SqliteMailStore.layer({ filename: ${JSON.stringify(join(folder, "mail.db"))} }),`
        )
      expect(onFile).toContain("SqliteMailStore.layer({")
      expect(run(onFile)).toBe("1\n1\n")
      // The idempotency key is the same, so the first answer is repeated and no further message is handed over.
      expect(run(onFile)).toBe("1\n0\n")
    })
  })

  it.each(examples.map((example) => [example.file, example.line, example] as const))(
    "runs the example of %s (line %i)",
    (_, _line, { code, prints }) => {
      const printed = run(code)
      if (prints !== undefined) expect(printed).toBe(prints)
      else {
        const lines = printed.trim().split("\n")
        for (const [index, expected] of commentedOutput(code).entries()) expect(lines[index]).toContain(expected)
      }
    }
  )
})
