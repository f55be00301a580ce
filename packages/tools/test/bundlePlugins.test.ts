import { writeFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { expect, it, onTestFinished } from "vitest"
import { requireInCommonJs } from "../src/bundlePlugins.ts"

it("writes a package that a program bundled as CommonJS can load", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-bundle-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "library.cjs"), 'module.exports = require("node:path").sep')
  writeFileSync(join(folder, "index.js"), 'import separator from "./library.cjs"\nexport default separator')
  const bundled = await rolldown({
    input: join(folder, "index.js"),
    platform: "node",
    external: ["node:path"],
    plugins: [requireInCommonJs]
  })
  const { output } = await bundled.generate({ format: "esm" })
  await bundled.close()
  // A bundler that writes CommonJS leaves `import.meta.url` undefined, and Node gives each file its `__filename`.
  expect(output[0].code).toContain("createRequire(")
  expect(output[0].code).not.toContain("createRequire(import.meta.url)")
})
