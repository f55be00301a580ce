import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { testFiles, testReport } from "./src/testReport.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

export default defineConfig({
  root,
  plugins: [testReport(root)],
  test: {
    // Many tests start the command or a worker: Node keeps what it has compiled.
    env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile") },
    include: [testFiles],
    // Two cores: a worker each, and no more processes than that.
    maxWorkers: 2,
    testTimeout: 30_000,
    // A test without an assertion proves nothing, so it fails.
    expect: { poll: { timeout: 10_000 }, requireAssertions: true },
    hookTimeout: 30_000
  }
})
