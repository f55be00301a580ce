/**
 * Installs `examples/prisma-product` with the packed packages, compiles it and runs its tests on a server. The product is outside of the workspace, because Prisma
 * alone has 300 MB.
 *
 * `--tarballs <folder>` uses packed files; without that option, builds and packs.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join } from "node:path"
import { execPath } from "node:process"
import { parseArgs } from "node:util"
import { openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { fileSpecifiers } from "./packed/product.ts"
import { packedTarballs } from "./packed/packedTarballs.ts"
import { publishedPackages } from "./releasePackages.ts"
import { root } from "./workspace.ts"

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

const { values } = parseArgs({ options: { tarballs: { type: "string" } } })
const temporary = mkdtempSync(join(tmpdir(), "mailkeep-prisma-"))
const product = join(temporary, "product")
const watched = openWatched({ isInMemory: true })

/** Names the packed files in the manifest. */
const useTarballs = (tarballs: ReadonlyMap<string, string>): void => {
  const file = join(product, "package.json")
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest
  const overrides = fileSpecifiers(tarballs)
  const used = Object.keys(manifest.dependencies).filter((name) => name in overrides)
  const dependencies = { ...manifest.dependencies, ...Object.fromEntries(used.map((name) => [name, overrides[name]])) }
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies, overrides }, undefined, 2))
}

const npm = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): void => {
  const PATH = `${dirname(execPath)}${delimiter}${process.env["PATH"]}`
  const { status } = spawnSync("npm", args, {
    cwd: product,
    env: { ...process.env, PATH, ...env },
    stdio: ["ignore", "inherit", "inherit"]
  })
  if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}.`)
}

try {
  cpSync(join(root, "examples/prisma-product"), product, {
    recursive: true,
    filter: (path) => !["node_modules", "generated"].includes(basename(path))
  })
  useTarballs(await packedTarballs(publishedPackages(), temporary, values.tarballs))
  // The scripts of Prisma would download programs for its migrations, which the product does not use.
  npm(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
  npm(["run", "generate"], { PRISMA_SCHEMA_ENGINE_BINARY: execPath, CHECKPOINT_DISABLE: "1" })
  npm(["run", "check"])
  const server = await startPostgres(watched)
  npm(["test"], { DATABASE_URL: server.urlOf(await server.createDatabase()) })
} finally {
  await watched.close()
  rmSync(temporary, { recursive: true, force: true })
}
