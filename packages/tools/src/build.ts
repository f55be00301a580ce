/**
 * Builds every published package into its `dist`, packs it, and checks the packed file with `publint` and `attw`.
 * Builds the packages in the order of their dependencies. Each package uses the declarations of the packages before it.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { read, root } from "./workspace.ts"

const packages = ["core", "memory", "sqlite", "smtp", "webhooks", "conformance", "http", "cli"] as const

interface Manifest {
  readonly name: string
  readonly publishConfig: { readonly exports: Readonly<Record<string, { readonly types: string }>> }
}

const manifestOf = (folder: string): Manifest => JSON.parse(read(`packages/${folder}/package.json`)) as Manifest

/** The compiler option `paths` that points to the declarations of a built package. */
const pathsOf = (folder: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const { name, publishConfig } = manifestOf(folder)
  return Object.fromEntries(
    Object.entries(publishConfig.exports).map(([subpath, { types }]) => [
      subpath === "." ? name : `${name}${subpath.slice(1)}`,
      [join(root, "packages", folder, types)]
    ])
  )
}

const run = (command: string, args: ReadonlyArray<string>, cwd = root): void => {
  execFileSync(command, args, { cwd, stdio: "inherit" })
}

const built: Record<string, ReadonlyArray<string>> = {}
for (const folder of packages) {
  const packageFolder = join(root, "packages", folder)
  rmSync(join(packageFolder, "dist"), { recursive: true, force: true })
  const config = join(packageFolder, "tsconfig.build.json")
  writeFileSync(
    config,
    JSON.stringify({
      extends: "../tools/tsconfig.build.json",
      compilerOptions: { rootDir: "src", outDir: "dist", paths: built },
      include: ["src"]
    })
  )
  try {
    run("tsc", ["-p", config])
  } finally {
    rmSync(config)
  }
  Object.assign(built, pathsOf(folder))
}

const packed = mkdtempSync(join(tmpdir(), "mailkeep-packed-"))
try {
  for (const folder of packages)
    run("pnpm", ["--silent", "pack", "--pack-destination", packed], join(root, "packages", folder))
  for (const tarball of readdirSync(packed)) {
    run("publint", ["run", "--strict", join(packed, tarball)])
    // Node 22 can load ES modules from CommonJS, so the packages contain ES modules only.
    run("attw", [join(packed, tarball), "--profile", "esm-only", "--quiet"])
  }
} finally {
  rmSync(packed, { recursive: true })
}
