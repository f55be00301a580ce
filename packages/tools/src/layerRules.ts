/**
 * Checks the rules of `layers.ts`: which layer may import which other layer, and which modules each layer may use. Also checks the name, the
 * length and the first comment of each file, import cycles, the tests that must exist, and the sources that comments name.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { cycleComplaints } from "./importCycles.ts"
import { importedFile, importsOf, withoutDocComments } from "./importsOf.ts"
import type { LayerName } from "./layers.ts"
import { commitCallers, layerOf, layerOfEntry, restrictionsOf, rulesOf } from "./layers.ts"
import { packageEntries } from "./packageEntries.ts"
import { requiredTestComplaints } from "./requiredTests.ts"
import { sourceComplaints } from "./sourceCitations.ts"
import { files, read, root } from "./workspace.ts"

const forbiddenNames = new Set(["utils", "util", "common", "helpers", "helper", "types", "misc"])
const linesMax = 500

/** The layer of an imported module, or `undefined` for a module of another package. `unknown` is a module of this repository in no layer. */
const importedLayer = (file: string, name: string): LayerName | "unknown" | undefined => {
  if (name.startsWith(".")) return layerOf(importedFile(file, name)) ?? "unknown"
  if (!/^(?:@mailkeep\/|mailkeep(?:\/|$))/.test(name)) return undefined
  return packageEntries.includes(name) ? (layerOfEntry(name) ?? "unknown") : "unknown"
}

const isMatch = (name: string, pattern: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern

const isRefused = (name: string, patterns: ReadonlyArray<string>): boolean =>
  patterns.some((pattern) => isMatch(name, pattern)) && !patterns.includes(`!${name}`)

const importComplaints = (file: string, layer: LayerName, name: string): ReadonlyArray<string> => {
  const imported = importedLayer(file, name)
  const refused = restrictionsOf(layer).filter(({ modules = [] }) => isRefused(name, modules))
  return [
    ...(imported === "unknown" ? [`${file}: imports ${name}, which is in no layer`] : []),
    ...(imported !== undefined &&
    imported !== "unknown" &&
    imported !== layer &&
    !rulesOf(layer).imports.includes(imported)
      ? [`${file}: ${layer} may not import ${imported} (${name})`]
      : []),
    ...refused.map(({ because }) => `${file}: ${layer} may not import ${name}. ${because}`),
    ...(name === "@effect/platform-node"
      ? [
          `${file}: import a module of @effect/platform-node by its path; the whole package takes 29 MB and a third of the start time`
        ]
      : [])
  ]
}

const unstableEffect = (() => {
  const require = createRequire(import.meta.url)
  const source = join(dirname(require.resolve("effect/package.json")), "src")
  const verdicts = new Map<string, boolean>()
  return (module: string): boolean => {
    const known = verdicts.get(module)
    if (known !== undefined) return known
    const path = join(source, `${module}.ts`)
    // The first tag in a file belongs to the module itself.
    const verdict = !existsSync(path) || /@stability (\w+)/.exec(read(posix.relative(root, path)))?.[1] !== "stable"
    verdicts.set(module, verdict)
    return verdict
  }
})()

const effectNamesOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"effect"/g)].flatMap((match) =>
    match[1]!
      .split(",")
      .map(
        (name) =>
          name
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)[0]!
      )
      .filter(Boolean)
  )

const effectComplaints = (file: string, layer: LayerName, source: string): ReadonlyArray<string> => {
  const restricted = restrictionsOf(layer)
  return effectNamesOf(source).flatMap((name) => [
    ...(restricted.some(({ stableEffect }) => stableEffect) && unstableEffect(name)
      ? [`${file}: ${layer} may not use effect's ${name}, which is not marked stable`]
      : []),
    ...restricted
      .filter(({ effectNames }) => effectNames?.includes(name))
      .map(({ because }) => `${file}: ${layer} may not use effect's ${name}. ${because}`)
  ])
}

/** The time of now without `Date.now`, which the linter finds. */
const nowPattern = /\bnew Date\(\s*\)|(?<![\w.$]|new )Date\(\s*\)/g

/** What a layer may not use and the linter does not find: `new Date()` without a clock, and a forbidden name by `globalThis`. */
const hiddenUseComplaints = (file: string, layer: LayerName, code: string): ReadonlyArray<string> =>
  restrictionsOf(layer).flatMap(({ globals = [], properties = [], because }) => {
    const names = new Set<string>([...globals, ...properties.map(([object]) => object)])
    const isClock = properties.some(([object]) => object === "Date")
    const used = [
      ...(isClock ? code.matchAll(nowPattern) : []),
      ...[...code.matchAll(/\bglobalThis\s*\.\s*(\w+)/g)].filter(([, name]) => names.has(name!))
    ]
    return used.map(([use]) => `${file}: ${layer} may not use ${use}. ${because}`)
  })

const commitComplaints = (file: string, source: string): ReadonlyArray<string> =>
  file.startsWith("packages/core/src/") && !commitCallers.includes(file) && /(?:[sS]tore|\))\s*\.commit\(/.test(source)
    ? [`${file}: calls commit of a store; write by the function of packages/core/src/internal/store/commit.ts`]
    : []

const formComplaints = (file: string, source: string): ReadonlyArray<string> => {
  const lines = source.split("\n").length
  return [
    ...(forbiddenNames.has(posix.basename(file, ".ts").toLowerCase())
      ? [`${file}: its name does not describe its content; name the file after its main function or type`]
      : []),
    ...(lines > linesMax ? [`${file}: has ${lines} lines; ${linesMax} is the maximum`] : []),
    ...(/^(?:#!.*\n)?\/\*\*/.test(source) ? [] : [`${file}: does not begin with a comment that says what it does`])
  ]
}

/** The violations of the rules in one file, one line each. */
export const complaints = (file: string, source: string): ReadonlyArray<string> => {
  const layer = layerOf(file)
  if (layer === undefined) return [`${file}: is in no layer; add its layer to packages/tools/src/layers.ts`]
  const code = withoutDocComments(source)
  return [
    ...importsOf(source).flatMap((name) => importComplaints(file, layer, name)),
    ...effectComplaints(file, layer, code),
    ...hiddenUseComplaints(file, layer, code),
    ...commitComplaints(file, code),
    ...formComplaints(file, source)
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sources = Object.fromEntries(files("packages/*/src/**/*.ts").map((file) => [file, read(file)]))
  const found = [
    ...Object.entries(sources).flatMap(([file, source]) => complaints(file, source)),
    ...cycleComplaints(sources),
    ...requiredTestComplaints(),
    ...sourceComplaints()
  ]
  for (const complaint of found) console.error(complaint)
  console.log(`layers: ${found.length} complaints`)
  process.exitCode = found.length > 0 ? 1 : 0
}
