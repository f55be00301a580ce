import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

/** The modules that a file loads, directly and through its imports. Type imports load nothing. */
const loadedBy = (file: URL, loaded = new Set<string>()): ReadonlySet<string> => {
  if (loaded.has(file.href)) return loaded
  loaded.add(file.href)
  const source = readFileSync(fileURLToPath(file), "utf8")
  for (const [, name] of source.matchAll(/^(?:import|export) (?!type )[^"]*?from "([^"]+)"/gm))
    if (name!.startsWith(".")) loadedBy(new URL(name!, file), loaded)
    else loaded.add(name!)
  return loaded
}

describe("the entry point for evaluation on a thread", () => {
  it("loads neither Effect nor any other package", () => {
    const loaded = [...loadedBy(new URL("../../../src/domain/store/evaluation.ts", import.meta.url))]
    expect(loaded.length).toBeGreaterThan(4)
    expect(loaded.filter((name) => !name.startsWith("file:"))).toEqual([])
  })
})
