import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    // Two cores: a worker each, and no more processes than that.
    maxWorkers: 2,
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 30_000
  }
})
