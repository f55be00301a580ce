/**
 * Every TypeScript example of a README or a guide runs, and prints what the page says it prints.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { files, read, root } from "../src/workspace.ts"

const pages = files("README.md", "packages/*/README.md", "docs/**/*.md")

interface Example {
  readonly page: string
  readonly code: string
  /** The block that says what it prints, or `undefined`. */
  readonly prints: string | undefined
}

const examplesOf = (page: string): ReadonlyArray<Example> =>
  [...read(page).matchAll(/```ts\n([\s\S]*?)```(?:\s+It prints:\s+```text\n([\s\S]*?)```)?/g)].map((match) => ({
    page,
    code: match[1]!,
    prints: match[2]
  }))

const examples = pages.flatMap(examplesOf)

/** Runs beside this package's sources, so that every package can be imported. */
const run = (code: string): string => {
  const folder = mkdtempSync(join(root, "packages/tools/.example-"))
  try {
    const file = join(folder, "example.ts")
    writeFileSync(file, code)
    return execFileSync(process.execPath, [file], { encoding: "utf8" })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the comments behind `console.log` say is printed, in order, as far as they do. */
const commented = (code: string): ReadonlyArray<string> =>
  [...code.matchAll(/console\.log\(.*\) \/\/ ([^:\n]+)/g)].map((match) => match[1]!.trim())

describe("the examples", () => {
  it("are there: the README, the guide and every published package have one", () => {
    for (const page of [
      "README.md",
      "docs/guides/send-your-first-mail.md",
      "docs/guides/templates-and-events.md",
      "docs/adapters/write-a-transport.md",
      "docs/adapters/prove-it.md",
      "packages/conformance/README.md",
      "packages/core/README.md",
      "packages/http/README.md"
    ])
      expect(examples.map(({ page }) => page)).toContain(page)
  })

  it.each(examples.map((example, i) => [example.page, i, example] as const))(
    "of %s (%s) run",
    (_, _i, { code, prints }) => {
      const printed = run(code)
      if (prints !== undefined) expect(printed).toBe(prints)
      else {
        const lines = printed.trim().split("\n")
        for (const [place, said] of commented(code).entries()) expect(lines[place]).toContain(said)
      }
    }
  )
})
