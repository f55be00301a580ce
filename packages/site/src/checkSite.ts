/**
 * Checks the built site: each link and anchor has its target, and no file loads anything from another host.
 */
import { globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { builtComplaints } from "./builtFiles.ts"
import { root } from "./pages.ts"

const folder = join(root, "packages/site/dist")
const files = globSync("**/*.{html,css,js}", { cwd: folder }).map((file) => file.replaceAll("\\", "/"))
const complaints = builtComplaints(
  Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]))
)
const bytes = files
  .filter((file) => file.endsWith(".js"))
  .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)

for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
process.stdout.write(
  `site: ${files.filter((file) => file.endsWith(".html")).length} pages, ${Math.round(bytes / 1024)} KiB of scripts, ${complaints.length} complaints\n`
)
process.exitCode = complaints.length > 0 ? 1 : 0
