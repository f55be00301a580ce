/**
 * Writes the JavaScript of a package: one file for each entry, and files for the code that entries share. A process loads a few files instead
 * of one for each module, which halves the time of `import "mailkeep"`. Each import of Effect names the module that it needs.
 *
 * The commands of a package get a bundle of their own, with Effect and all other packages in it. A process that runs a command shares no
 * module with a product, so it can leave out everything that it does not use. Source: decisions 0059 and 0067.
 */
import { writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { basename, dirname, join } from "node:path"
import type { OutputChunk } from "rolldown"
import { rolldown } from "rolldown"
import { directImports, httpWithoutUndici, isHttp, licensesOf, requireInCommonJs } from "./bundlePlugins.ts"
import type { Manifest, Package } from "./releasePackages.ts"
import { publishedPackages, withDependencies } from "./releasePackages.ts"
import { files, root } from "./workspace.ts"

const sourceOf = (target: string): string => target.replace(/^\.\/dist\//, "").replace(/\.js$/, ".ts")

/** The folder of the commands below `dist`. */
const commandFolder = "bin"

type Entry = readonly [name: string, file: string]

/** The modules that the manifest exports. */
const exportedEntries = ({ folder, manifest }: Package): ReadonlyArray<Entry> => {
  const modules = Object.values(manifest.publishConfig?.exports ?? {}).map((target) =>
    typeof target === "string" ? target : target.default
  )
  return modules
    .filter((target) => target.endsWith(".js"))
    .map(sourceOf)
    .map((entry) => [entry.replace(/\.ts$/, ""), join(root, folder, "src", entry)])
}

/** The commands of the manifest. */
const commandEntries = ({ folder, manifest }: Package): ReadonlyArray<Entry> =>
  Object.values(manifest.publishConfig?.bin ?? {}).map((target) => {
    const name = basename(target, ".js")
    if (dirname(target) !== `./dist/${commandFolder}`) throw new Error(`${target} must be in ./dist/${commandFolder}`)
    return [name, join(root, folder, "src", `${name}.ts`)]
  })

/**
 * The modules `…Worker.ts`, which another module starts as a thread or a process. The address of a worker is relative to the file of its
 * starter, so both are in the same folder.
 */
const workers = ({ folder }: Package): ReadonlyArray<Entry> =>
  files(`${folder}/src/**/*Worker.ts`).map((file) => [basename(file, ".ts"), join(root, file)])

/** The packages that the manifest of an installed package names. */
const namesOf = ({ name, dependencies, peerDependencies, optionalDependencies }: Manifest): ReadonlyArray<string> => [
  name,
  ...Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
]

const isNamed = (id: string, names: ReadonlyArray<string>): boolean =>
  names.some((one) => id === one || id.startsWith(`${one}/`))

/** The imported packages that the manifest does not name. A product would not have them. */
export const undeclaredPackages = ({ manifest }: Package, imports: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(imports)].filter((id) => !isBuiltin(id) && !isNamed(id, namesOf(manifest)))

/** A package with a binary file, which must be a file of its own. */
const nativePackages = ["better-sqlite3"]

interface Bundle {
  readonly entries: ReadonlyArray<Entry>
  readonly destination: string
  /** The packages that stay imports. The code of all others is copied. */
  readonly imported: ReadonlyArray<string>
}

const complaintsOf = (one: Package, chunks: ReadonlyArray<OutputChunk>): ReadonlyArray<string> => {
  const written = new Set(chunks.map(({ fileName }) => fileName))
  const imports = chunks
    .flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])
    .filter((id) => !written.has(id))
  const misplaced = chunks.filter(({ fileName, code }) => fileName.includes("/") && code.includes("import.meta.url"))
  return [
    ...undeclaredPackages(one, imports).map((id) => `imports ${id} without a dependency`),
    ...misplaced.map(({ fileName }) => `${fileName} would look for its worker in another folder`)
  ]
}

const write = async (one: Package, { entries, destination, imported }: Bundle): Promise<void> => {
  if (entries.length === 0) return
  const bundled = await rolldown({
    input: Object.fromEntries(entries),
    platform: "node",
    external: (id) => (isBuiltin(id) && !isHttp(id)) || isNamed(id, imported),
    plugins: [httpWithoutUndici, directImports, requireInCommonJs],
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${one.folder}: ${log.message}`)
    }
  })
  const { output } = await bundled.write({
    dir: destination,
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    keepNames: true
  })
  await bundled.close()
  const chunks = output.filter((file) => file.type === "chunk")
  const complaints = complaintsOf(one, chunks)
  if (complaints.length > 0) throw new Error(complaints.map((text) => `${one.manifest.name}: ${text}`).join("\n"))
  const licenses = licensesOf(chunks.flatMap(({ moduleIds }) => moduleIds))
  if (licenses !== "") writeFileSync(join(destination, "licenses.txt"), licenses)
}

/**
 * Bundles the package into its `dist`. The packages that it depends on stay imports. Those that are only development dependencies are copied, so that
 * a product installs no package for a small part of it.
 */
export const bundle = async (one: Package): Promise<void> => {
  const dist = join(root, one.folder, "dist")
  await write(one, {
    entries: [...exportedEntries(one), ...workers(one)],
    destination: dist,
    imported: namesOf(one.manifest)
  })
  const commands = commandEntries(one)
  if (commands.length === 0) return
  const started = withDependencies(publishedPackages(), [one.manifest.name]).flatMap(workers)
  await write(one, {
    entries: [...commands, ...started],
    destination: join(dist, commandFolder),
    imported: nativePackages
  })
}
