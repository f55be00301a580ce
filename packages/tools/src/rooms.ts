/**
 * Checks the walls: which room may import which, which modules of Effect the core may use, what a file may be called and how
 * long it may be.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { files, read, root } from "./workspace.ts"

/** A room is a folder of sources; the longest name that matches a file is its room. */
export const rooms = {
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
  proving: ["core", "core/node", "memory", "sqlite", "smtp"],
  faults: ["core", "core/node", "memory", "sqlite", "smtp", "http", "proving"],
  bench: ["core", "core/node", "memory", "sqlite", "smtp", "webhooks", "http"],
  tools: ["core", "core/domain", "memory", "sqlite", "smtp", "webhooks", "conformance"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>
export type Room = keyof typeof rooms

const names = Object.keys(rooms).toSorted((a, b) => b.length - a.length) as ReadonlyArray<Room>

/** `packages/core/src/domain/Id.ts` is in `core/domain`. */
export const roomOf = (file: string): Room | undefined => {
  const place = file.replace(/^packages\//, "").replace("/src/", "/")
  return names.find((room) => place.startsWith(`${room}/`))
}

const importPattern = /^\s*(?:import|export)\s[^"']*?from\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm

export const importsOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(importPattern)].map((match) => (match[1] ?? match[2] ?? match[3])!)

const packageRooms: Readonly<Record<string, Room>> = {
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
  "@mailkeep/proving": "proving",
  "@mailkeep/proving/apiDocument": "proving"
}

const importedRoom = (file: string, name: string): Room | undefined =>
  name.startsWith(".") ? roomOf(posix.normalize(posix.join(posix.dirname(file), name))) : packageRooms[name]

/** The rooms that implement a port. */
export const adapters = names.filter((room) => String(rooms[room]) === String(["core/domain", "core/port"]))

/** An adapter that is not held to its port's laws, in a line. `tests` are the sources of its tests. */
export const unproven = (adapter: string, tests: ReadonlyArray<string>): ReadonlyArray<string> =>
  tests.some(
    (source) =>
      importsOf(source).some((name) => name.startsWith("@mailkeep/conformance/")) && /\bconforms\(/.test(source)
  )
    ? []
    : [`packages/${adapter}: no test holds it to the laws of its port; see docs/adapters/prove-it.md`]

/** Rooms that must run where there is no Node. */
const withoutNode: ReadonlySet<Room> = new Set(["http/api", "http/server"])
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
    // The first tag of a module is the module's own.
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

/** What is wrong with a file, in a line each. */
export const complaints = (file: string, source: string): ReadonlyArray<string> => {
  const room = roomOf(file)
  if (room === undefined) return [`${file}: is in no room; name it in packages/tools/src/rooms.ts`]
  const found: Array<string> = []
  const allowed: ReadonlyArray<string> = rooms[room]
  for (const name of importsOf(source)) {
    const imported = importedRoom(file, name)
    if (imported === undefined && (name.startsWith(".") || name.startsWith("@mailkeep/")))
      found.push(`${file}: imports ${name}, which is no room`)
    if (imported !== undefined && imported !== room && !allowed.includes(imported))
      found.push(`${file}: ${room} may not import ${imported} (${name})`)
    if (withoutNode.has(room) && isNodeModule(name))
      found.push(`${file}: ${room} may not import ${name}, which needs Node`)
    if (name === "@effect/platform-node")
      found.push(
        `${file}: import a module of @effect/platform-node by its path; all of it costs 29 MB and a third of the start`
      )
    if (room.startsWith("core") && name.startsWith("effect/"))
      found.push(`${file}: core uses "effect" alone, not ${name}`)
  }
  if (room.startsWith("core"))
    for (const name of importedNames(source))
      if (unstableEffect(name)) found.push(`${file}: core may not use effect's ${name}, which is not marked stable`)
  const base = posix.basename(file, ".ts").toLowerCase()
  if (forbiddenNames.has(base)) found.push(`${file}: is named for nothing; name it after what it holds`)
  const lines = source.split("\n").length
  if (lines > linesMax) found.push(`${file}: has ${lines} lines; ${linesMax} is the ceiling`)
  if (!/^(?:#!.*\n)?\/\*\*/.test(source)) found.push(`${file}: does not open with what it does`)
  return found
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = [
    ...files("packages/*/src/**/*.ts").flatMap((file) => complaints(file, read(file))),
    ...adapters.flatMap((adapter) => unproven(adapter, files(`packages/${adapter}/test/**/*.ts`).map(read)))
  ]
  for (const complaint of found) console.error(complaint)
  console.log(`rooms: ${found.length} complaints`)
  process.exitCode = found.length > 0 ? 1 : 0
}
