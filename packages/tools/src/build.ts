/**
 * Builds every published package into its `dist`, packs it, and checks the packed file with `publint` and `attw`.
 * Builds the packages in the order of their dependencies. Each package uses the declarations of the packages before it.
 * With the names of packages, builds these and their dependencies. `--to <folder>` keeps the packed files there.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { bundle } from "./bundle.ts"
import type { Package } from "./releasePackages.ts"
import { publishedPackages, withDependencies } from "./releasePackages.ts"
import { root } from "./workspace.ts"

/** The compiler option `paths` that points to the declarations of a built package. */
const pathsOf = ({ folder, manifest }: Package): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    Object.entries(manifest.publishConfig?.exports ?? {}).flatMap(([subpath, target]) =>
      typeof target === "string"
        ? []
        : [
            [
              subpath === "." ? manifest.name : `${manifest.name}${subpath.slice(1)}`,
              [join(root, folder, target.types)]
            ] as const
          ]
    )
  )

const run = (command: string, args: ReadonlyArray<string>, cwd = root): void => {
  execFileSync(command, args, { cwd, stdio: "inherit" })
}

/** The command that starts pnpm. A script that pnpm runs finds it in the path; otherwise npx knows it. */
export const pnpm: readonly [command: string, ...args: ReadonlyArray<string>] =
  spawnSync("pnpm", ["--version"]).error === undefined ? ["pnpm"] : ["npx", "--yes", "pnpm@12"]

/** Writes the declarations with the compiler, and the JavaScript with the bundler. */
export const build = async (packages: ReadonlyArray<Package>): Promise<void> => {
  const built: Record<string, ReadonlyArray<string>> = {}
  for (const one of packages) {
    const folder = join(root, one.folder)
    const dist = join(folder, "dist")
    rmSync(dist, { recursive: true, force: true })
    mkdirSync(dist)
    // In `dist`, because the checks of all source files can run at the same time.
    const config = join(dist, "tsconfig.json")
    writeFileSync(
      config,
      JSON.stringify({
        extends: "../../tools/tsconfig.build.json",
        compilerOptions: { rootDir: "../src", outDir: ".", paths: built },
        include: ["../src"]
      })
    )
    try {
      run("tsc", ["-p", config])
    } finally {
      rmSync(config)
    }
    await bundle(one)
    Object.assign(built, pathsOf(one))
  }
}

/** The name of the file that `pnpm pack` writes. */
export const tarballName = ({ manifest: { name, version } }: Package): string =>
  `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`

/** Packs each built package into `destination`, checks the packed file, and returns its path. */
export const pack = (packages: ReadonlyArray<Package>, destination: string): ReadonlyArray<string> =>
  packages.map((one) => {
    const [command, ...args] = pnpm
    run(command, [...args, "--silent", "pack", "--pack-destination", destination], join(root, one.folder))
    const tarball = join(destination, tarballName(one))
    run("publint", ["run", "--strict", tarball])
    // Node 22 can load ES modules from CommonJS, so the packages contain ES modules only.
    run("attw", [tarball, "--profile", "esm-only", "--quiet"])
    return tarball
  })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { to: { type: "string" } } })
  const packages = withDependencies(publishedPackages(), positionals)
  await build(packages)
  const packed = values.to ?? mkdtempSync(join(tmpdir(), "mailkeep-packed-"))
  try {
    pack(packages, packed)
  } finally {
    if (values.to === undefined) rmSync(packed, { recursive: true })
  }
}
