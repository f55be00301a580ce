/**
 * What the bundler changes in the code of a package, and the licenses of the packages whose code it copies.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "rolldown"
import { withDirectImports } from "./directImports.ts"

/** Lets each import of Effect name its module. */
export const directImports: Plugin = {
  name: "direct-imports",
  transform: (code) => ({ code: withDirectImports(code), map: null })
}

export const isHttp = (id: string): boolean => id === "node:http" || id === "http"

const httpNames =
  "Agent, ClientRequest, IncomingMessage, METHODS, OutgoingMessage, STATUS_CODES, Server, ServerResponse, createServer, get, globalAgent, request"

/** An `import` of `node:http` reads its property `WebSocket`, which loads all of undici. That takes a tenth of the start of the server. */
export const httpWithoutUndici: Plugin = {
  name: "http-without-undici",
  resolveId: { order: "pre", handler: (id) => (isHttp(id) ? "\0node-http" : null) },
  load: (id) =>
    id === "\0node-http"
      ? `const http = process.getBuiltinModule("node:http")\nexport default http\nexport const { ${httpNames} } = http`
      : null
}

/**
 * Lets a program bundled as CommonJS load the package. Such a bundler leaves `import.meta.url` undefined, which `createRequire` refuses, and Node
 * gives the file its `__filename`.
 */
export const requireInCommonJs: Plugin = {
  name: "require-in-commonjs",
  renderChunk: (code) => ({
    code: code.replaceAll(
      "createRequire(import.meta.url)",
      'createRequire(typeof __filename === "string" ? __filename : import.meta.url)'
    ),
    map: null
  })
}

/** The folder of the package that a module below `node_modules` is of, or `undefined`. */
const packageFolderOf = (module: string): string | undefined =>
  /^\/.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]

const licenseIn = (folder: string): string => {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  return file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`
}

/** The names, versions and licenses of the packages whose modules these are; empty without such a package. */
export const licensesOf = (modules: ReadonlyArray<string>): string => {
  const folders = new Set(modules.flatMap((module) => packageFolderOf(module) ?? []))
  const texts = [...folders].flatMap((folder) => {
    const file = join(folder, "package.json")
    if (!existsSync(file)) return []
    const { name, version, license } = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>
    return [`${name} ${version} (${license})${licenseIn(folder)}\n`]
  })
  return [...new Set(texts)].toSorted().join("\n----\n\n")
}
