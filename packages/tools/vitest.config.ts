import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const root = fileURLToPath(new URL("../..", import.meta.url))

export default defineConfig({
  root,
  test: {
    // Many tests start the command or a worker: Node keeps what it has compiled.
    env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node-compile") },
    include: ["packages/*/test/**/*.test.ts"],
    // Two cores: a worker each, and no more processes than that.
    maxWorkers: 2,
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 30_000
  }
})
