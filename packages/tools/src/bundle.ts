/**
 * Writes the JavaScript of a package: one file for each entry, and files for the code that entries share. A process loads a few files instead
 * of one for each module, which halves the time of `import "mailkeep"`. Each import of Effect names the module that it needs.
 */
import { basename, dirname, join } from "node:path"
import { rolldown } from "rolldown"
import { withDirectImports } from "./directImports.ts"
import type { Package } from "./releasePackages.ts"
import { files, root } from "./workspace.ts"

const sourceOf = (target: string): string => target.replace(/^\.\/dist\//, "").replace(/\.js$/, ".ts")

/** What the manifest names: the exports and the commands. */
const namedEntries = ({ manifest }: Package): ReadonlyArray<string> => {
  const { exports = {}, bin = {} } = manifest.publishConfig ?? {}
  const modules = Object.values(exports).map((target) => (typeof target === "string" ? target : target.default))
  return [...modules, ...Object.values(bin)].filter((target) => target.endsWith(".js")).map(sourceOf)
}

/** The modules `…Worker.ts`, which another module starts as a thread or a process. */
const workers = ({ folder }: Package): ReadonlyArray<string> =>
  files(`${folder}/src/**/*Worker.ts`).map((file) => file.slice(`${folder}/src/`.length))

/** A file of the package, or a function that the bundler adds, such as the one for tagged templates. */
const isOfPackage = (id: string): boolean => /^[./]/.test(id) || id.startsWith("@oxc-project/runtime")

/** The imported packages that the manifest does not name. A product would not have them. */
export const undeclaredPackages = ({ manifest }: Package, imports: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { name, dependencies, peerDependencies, optionalDependencies } = manifest
  const declared = [name, ...Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })]
  const isDeclared = (id: string) => declared.some((one) => id === one || id.startsWith(`${one}/`))
  return [...new Set(imports)].filter((id) => !id.startsWith("node:") && !isDeclared(id))
}

/** Bundles the package into its `dist`. The packages that it depends on stay imports. */
export const bundle = async (one: Package): Promise<void> => {
  const source = join(root, one.folder, "src")
  const entries = [
    ...namedEntries(one).map((entry) => [entry.replace(/\.ts$/, ""), entry] as const),
    // The address of a worker is relative to the file of its starter, so both are in `dist` itself.
    ...workers(one).map((entry) => [basename(entry, ".ts"), entry] as const)
  ]
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map(([name, entry]) => [name, join(source, entry)])),
    platform: "node",
    external: (id) => !isOfPackage(id),
    plugins: [{ name: "direct-imports", transform: (code) => ({ code: withDirectImports(code), map: null }) }],
    onLog: (level, log) => {
      if (level === "warn") throw new Error(`${dirname(source)}: ${log.message}`)
    }
  })
  const { output } = await bundled.write({
    dir: join(root, one.folder, "dist"),
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    keepNames: true
  })
  await bundled.close()
  const misplaced = output.find(
    (file) => file.type === "chunk" && file.fileName.includes("/") && file.code.includes("import.meta.url")
  )
  const written = new Set(output.map(({ fileName }) => fileName))
  const imports = output.flatMap((file) => (file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : []))
  const undeclared = undeclaredPackages(
    one,
    imports.filter((id) => !written.has(id))
  )
  if (undeclared.length > 0)
    throw new Error(`${one.manifest.name} imports ${undeclared.join(", ")} without a dependency`)
  if (misplaced !== undefined) throw new Error(`${misplaced.fileName} would look for its worker in another folder`)
}
