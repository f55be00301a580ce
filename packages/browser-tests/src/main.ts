/**
 * `pnpm browser` runs the tests in Chromium; with `--screenshots` it also writes the pictures of the guides. Without Chromium it runs nothing and
 * says so; with `CI=true` this is a failure.
 */
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findChromium } from "./findChromium.ts"

const chromium = findChromium()
if (chromium === undefined) {
  process.stderr.write(
    "SKIPPED: there is no Chromium on this machine. Install it (Debian: apt-get install chromium) or name it in MAILKEEP_CHROMIUM.\n"
  )
  process.exit(process.env["CI"] === "true" ? 1 : 0)
}

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")
const config = fileURLToPath(new URL("vitest.config.ts", import.meta.url))
const options = process.argv.slice(2)
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", config, ...options.filter((option) => option !== "--screenshots")],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      MAILKEEP_CHROMIUM: chromium,
      ...(options.includes("--screenshots") ? { MAILKEEP_SCREENSHOTS: "1" } : {})
    }
  }
)
process.exit(status ?? 1)
