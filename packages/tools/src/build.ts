/**
 * Builds every published package into its `dist`, packs it, and has `publint` and `attw` judge what was packed.
 * Packages are built in the order of their dependencies, each against the declarations of those before it.
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

/** Where the compiler finds a built package's declarations. */
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
  const at = join(root, "packages", folder)
  rmSync(join(at, "dist"), { recursive: true, force: true })
  const config = join(at, "tsconfig.build.json")
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
    // Node 22 loads ES modules from CommonJS; there is nothing else to offer.
    run("attw", [join(packed, tarball), "--profile", "esm-only", "--quiet"])
  }
} finally {
  rmSync(packed, { recursive: true })
}
