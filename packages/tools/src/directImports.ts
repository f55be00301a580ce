/**
 * Lets the published files import each module of Effect directly. `import { Option } from "effect"` loads every module of Effect; the file with
 * this import starts three times as slowly as one with `import * as Option from "effect/Option"`. The sources keep the short form.
 */

const collected = /^import \{([^}]*)\} from "(effect(?:\/[a-z-]+)?)";?$/gm

const direct = (specifier: string, from: string): string => {
  const [name, alias = name] = specifier.split(/\s+as\s+/)
  if (!/^[A-Z]/.test(name!)) throw new Error(`${from} has no module ${name}`)
  return `import * as ${alias} from "${from}/${name}";`
}

/** Replaces each import of a collection by imports of its modules, on the same line, so that source maps stay right. */
export const withDirectImports = (code: string): string =>
  code.replaceAll(collected, (statement, names: string, from: string) => {
    const specifiers = names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
    const lines = statement.split("\n").length - 1
    return specifiers.map((specifier) => direct(specifier, from)).join(" ") + "\n".repeat(lines)
  })
