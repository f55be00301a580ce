/**
 * The types that a product can name.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

/** The names between the braces of each `import type` or `export` of a source file. */
const namesOf = (source: string, statement: "import type" | "export type" | "export"): ReadonlyArray<string> =>
  [...source.matchAll(new RegExp(`^${statement} \\{([^}]*)\\}`, "gm"))].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
  )

describe("mailkeep", () => {
  const handles = new URL("../../core/src/handle/", import.meta.url)
  const exported = new Set(
    [read("../src/index.ts"), read("../../core/src/handle.ts")].flatMap((source) => [
      ...namesOf(source, "export type"),
      ...namesOf(source, "export")
    ])
  )

  // Otherwise a product that emits declarations gets TS2742 below the node_modules of pnpm.
  it.each(
    readdirSync(fileURLToPath(handles)).filter((file) => file.endsWith("Handle.ts") || file.startsWith("Embedded"))
  )("exports each type that %s takes or returns", (file) => {
    const used = namesOf(read(`../../core/src/handle/${file}`), "import type")
    expect(used.filter((name) => !exported.has(name))).toEqual([])
  })
})
