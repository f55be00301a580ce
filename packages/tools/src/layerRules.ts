/**
 * Checks the layer rules: which layer may import which other layer, which modules of Effect the core may use, and the name and the length
 * of each file.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { files, read, root } from "./workspace.ts"

/** A layer is a folder of sources. A file belongs to the layer with the longest name that matches its path. */
export const layers = {
  "core/domain": [],
  "core/decide": ["core/domain"],
  "core/port": ["core/domain"],
  "core/internal": ["core/domain", "core/decide", "core/port"],
  "core/service": ["core/domain", "core/decide", "core/port", "core/internal"],
  "core/node": ["core/port"],
  core: ["core/domain", "core/port", "core/service"],
  memory: ["core/domain", "core/port"],
  sqlite: ["core/domain", "core/port"],
  smtp: ["core/domain", "core/port"],
  webhooks: ["core/domain", "core/port"],
  conformance: ["core/domain", "core/port", "memory"],
  "http/api": ["core/domain"],
  "http/server": ["http/api", "core", "core/domain", "core/port"],
  "http/node": ["http/server", "core/domain"],
  http: ["http/api", "http/server", "http/node"],
  cli: ["core", "core/node", "sqlite", "smtp", "webhooks", "http"],
  testing: ["core", "core/node", "memory", "sqlite", "smtp"],
  "fault-tests": ["core", "core/node", "memory", "sqlite", "smtp", "http", "testing"],
  bench: ["core", "core/node", "memory", "sqlite", "smtp", "webhooks", "http"],
  tools: ["core", "core/domain", "memory", "sqlite", "smtp", "webhooks", "conformance"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>
export type LayerName = keyof typeof layers

const names = Object.keys(layers).toSorted((a, b) => b.length - a.length) as ReadonlyArray<LayerName>

/** `packages/core/src/domain/Id.ts` is in `core/domain`. */
export const layerOf = (file: string): LayerName | undefined => {
  const path = file.replace(/^packages\//, "").replace("/src/", "/")
  return names.find((layer) => path.startsWith(`${layer}/`))
}

const importPattern = /^\s*(?:import|export)\s[^"']*?from\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm

export const importsOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(importPattern)].map((match) => (match[1] ?? match[2] ?? match[3])!)

const packageLayers: Readonly<Record<string, LayerName>> = {
  "@mailkeep/core": "core",
  "@mailkeep/core/domain": "core/domain",
  "@mailkeep/core/domain/evaluation": "core/domain",
  "@mailkeep/core/port": "core/port",
  "@mailkeep/core/node": "core/node",
  "@mailkeep/core/node/csv": "core/node",
  "@mailkeep/core/node/dns": "core/node",
  "@mailkeep/memory": "memory",
  "@mailkeep/sqlite": "sqlite",
  "@mailkeep/sqlite/node-version": "sqlite",
  "@mailkeep/smtp": "smtp",
  "@mailkeep/webhooks": "webhooks",
  "@mailkeep/http": "http",
  "@mailkeep/http/node": "http",
  "@mailkeep/conformance": "conformance",
  "@mailkeep/conformance/vitest": "conformance",
  "@mailkeep/conformance/nodeTest": "conformance",
  "@mailkeep/testing": "testing",
  "@mailkeep/testing/apiDocument": "testing"
}

const importedLayer = (file: string, name: string): LayerName | undefined =>
  name.startsWith(".") ? layerOf(posix.normalize(posix.join(posix.dirname(file), name))) : packageLayers[name]

/** The layers that implement a port. */
export const adapters = names.filter((layer) => String(layers[layer]) === String(["core/domain", "core/port"]))

/** A complaint when no test of an adapter runs the laws of its port. `tests` are the sources of the adapter's tests. */
export const unproven = (adapter: string, tests: ReadonlyArray<string>): ReadonlyArray<string> =>
  tests.some(
    (source) =>
      importsOf(source).some((name) => name.startsWith("@mailkeep/conformance/")) && /\bconforms\(/.test(source)
  )
    ? []
    : [`packages/${adapter}: no test runs the laws of its port; see docs/adapters/prove-it.md`]

/** Layers that must run without Node. */
const withoutNode: ReadonlySet<LayerName> = new Set(["http/api", "http/server"])
const isNodeModule = (name: string) => name.startsWith("node:") || name.startsWith("@effect/platform-node")

const forbiddenNames = new Set(["utils", "util", "common", "helpers", "helper", "types", "misc"])
const linesMax = 500

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

const importedNames = (source: string): ReadonlyArray<string> =>
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

/** The violations of the rules in one file, one line each. */
export const complaints = (file: string, source: string): ReadonlyArray<string> => {
  const layer = layerOf(file)
  if (layer === undefined) return [`${file}: is in no layer; add its layer to packages/tools/src/layerRules.ts`]
  const found: Array<string> = []
  const allowed: ReadonlyArray<string> = layers[layer]
  for (const name of importsOf(source)) {
    const imported = importedLayer(file, name)
    if (imported === undefined && (name.startsWith(".") || name.startsWith("@mailkeep/")))
      found.push(`${file}: imports ${name}, which is no layer`)
    if (imported !== undefined && imported !== layer && !allowed.includes(imported))
      found.push(`${file}: ${layer} may not import ${imported} (${name})`)
    if (withoutNode.has(layer) && isNodeModule(name))
      found.push(`${file}: ${layer} may not import ${name}, which needs Node`)
    if (name === "@effect/platform-node")
      found.push(
        `${file}: import a module of @effect/platform-node by its path; the whole package takes 29 MB and a third of the start time`
      )
    if (layer.startsWith("core") && name.startsWith("effect/"))
      found.push(`${file}: core uses "effect" alone, not ${name}`)
  }
  if (layer.startsWith("core"))
    for (const name of importedNames(source))
      if (unstableEffect(name)) found.push(`${file}: core may not use effect's ${name}, which is not marked stable`)
  const base = posix.basename(file, ".ts").toLowerCase()
  if (forbiddenNames.has(base))
    found.push(`${file}: its name does not describe its content; name the file after its main function or type`)
  const lines = source.split("\n").length
  if (lines > linesMax) found.push(`${file}: has ${lines} lines; ${linesMax} is the maximum`)
  if (!/^(?:#!.*\n)?\/\*\*/.test(source)) found.push(`${file}: does not begin with a comment that says what it does`)
  return found
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = [
    ...files("packages/*/src/**/*.ts").flatMap((file) => complaints(file, read(file))),
    ...adapters.flatMap((adapter) => unproven(adapter, files(`packages/${adapter}/test/**/*.ts`).map(read)))
  ]
  for (const complaint of found) console.error(complaint)
  console.log(`layers: ${found.length} complaints`)
  process.exitCode = found.length > 0 ? 1 : 0
}
