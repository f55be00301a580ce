/**
 * Writes the layer rules into `.oxlintrc.json`, so that an editor shows a forbidden import where it is written. The overrides with
 * `no-restricted-…` rules come from `layers.ts`; the rest of the file is written by hand.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { LayerName } from "./layers.ts"
import { layerNames, layerOfEntry, restrictionsOf, rulesOf } from "./layers.ts"
import { packageEntries } from "./packageEntries.ts"
import { read, root } from "./workspace.ts"

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

interface Override {
  readonly files: ReadonlyArray<string>
  readonly rules: Readonly<Record<string, Json>>
}

interface LintConfig {
  readonly rules: Readonly<Record<string, Json>>
  readonly overrides: ReadonlyArray<Override>
}

const configFile = ".oxlintrc.json"

/** The layers that are folders or files of the same package. */
const siblingsOf = (layer: LayerName): ReadonlyArray<LayerName> => {
  const [folder] = layer.split("/")
  return layerNames.filter((other) => other !== layer && other.startsWith(`${folder}/`))
}

const filesOf = (layer: LayerName): ReadonlyArray<string> => {
  const [folder, ...rest] = layer.split("/")
  const sources = `packages/${folder}/src`
  if (rest.length === 0) return [siblingsOf(layer).length > 0 ? `${sources}/*.ts` : `${sources}/**`]
  const path = `${sources}/${rest.join("/")}`
  return [
    ...(existsSync(join(root, `${path}.ts`)) ? [`${path}.ts`] : []),
    ...(existsSync(join(root, path)) ? [`${path}/**`] : [])
  ]
}

const isAllowed = (layer: LayerName, imported: LayerName | undefined): boolean =>
  imported === layer || (imported !== undefined && rulesOf(layer).imports.includes(imported))

/** Patterns for the files of a sibling, for an import such as `../../service/Sending.ts` or `../adapter.ts`. */
const siblingPatterns = (sibling: LayerName): ReadonlyArray<string> =>
  filesOf(sibling).map((pattern) => `**/${pattern.split("/src/")[1]}`)

/** The import rule of a layer. A pattern may also match what is below an entry, so the parent of an allowed entry is listed as a path. */
const importRule = (layer: LayerName): Json => {
  const { imports } = rulesOf(layer)
  const message =
    imports.length === 0 ? `${layer} imports no other layer.` : `${layer} may import ${imports.join(", ")}.`
  const allowed = packageEntries.filter((entry) => isAllowed(layer, layerOfEntry(entry)))
  const denied = packageEntries.filter((entry) => !allowed.includes(entry))
  const parents = denied.filter((entry) => allowed.some((other) => other.startsWith(`${entry}/`)))
  const others = denied.filter((entry) => !parents.includes(entry))
  const siblings = siblingsOf(layer).filter((sibling) => !imports.includes(sibling))
  const restricted = restrictionsOf(layer)
  return [
    "error",
    {
      paths: [
        ...restricted.flatMap(({ effectNames, because }) =>
          effectNames === undefined ? [] : [{ name: "effect", importNames: effectNames, message: because }]
        ),
        ...parents.map((name) => ({ name, message }))
      ],
      patterns: [
        ...(denied.length === 0
          ? []
          : [{ group: allowed.length === 0 ? ["@mailkeep/**", "mailkeep"] : others, message }]),
        ...(siblings.length === 0 ? [] : [{ group: siblings.flatMap(siblingPatterns), message }]),
        ...restricted.flatMap(({ modules, because }) =>
          modules === undefined ? [] : [{ group: modules, message: because }]
        )
      ]
    }
  ]
}

const overrideOf = (layer: LayerName, base: LintConfig): Override => {
  const restricted = restrictionsOf(layer)
  const globals = restricted.flatMap(({ globals: names = [], because }) =>
    names.map((name) => ({ name, message: because }))
  )
  const properties = restricted.flatMap(({ properties: pairs = [], because }) =>
    pairs.map(([object, property]) => ({ object, property, message: because }))
  )
  return {
    files: filesOf(layer),
    rules: {
      "no-restricted-imports": importRule(layer),
      ...(globals.length === 0
        ? {}
        : { "no-restricted-globals": [...(base.rules["no-restricted-globals"] as ReadonlyArray<Json>), ...globals] }),
      ...(properties.length === 0 ? {} : { "no-restricted-properties": ["error", ...properties] })
    }
  }
}

/** A value as JSON in the form that the formatter keeps: objects over several lines, lists of texts on one line if they fit. */
const printed = (value: Json, indent: string, before: number): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const line = `[${value.map((one) => JSON.stringify(one)).join(", ")}]`
    if (value.every((one) => typeof one !== "object") && before + line.length < 120) return line
    return `[\n${value.map((one) => inner + printed(one as Json, inner, inner.length)).join(",\n")}\n${indent}]`
  }
  const entries = Object.entries(value).map(([name, one]) => {
    const start = `${inner}${JSON.stringify(name)}: `
    return start + printed(one as Json, inner, start.length)
  })
  return `{\n${entries.join(",\n")}\n${indent}}`
}

const isLayerOverride = ({ rules }: Override): boolean =>
  Object.keys(rules).some((rule) => rule.startsWith("no-restricted-"))

/** The lint configuration with the current layer rules. The overrides of a layer's own folder come after those of its package. */
export const lintConfig = (): string => {
  const text = read(configFile)
  const config = JSON.parse(text) as LintConfig
  const depth = (layer: LayerName) => layer.split("/").length
  const overrides = [
    ...layerNames.toSorted((a, b) => depth(a) - depth(b)).map((layer) => overrideOf(layer, config)),
    ...config.overrides.filter((override) => !isLayerOverride(override))
  ]
  const start = text.indexOf('  "overrides": [')
  return `${text.slice(0, start)}  "overrides": ${printed(overrides as unknown as Json, "  ", 15)}\n}\n`
}
