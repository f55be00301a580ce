import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    // Two cores: a worker each, and no more processes than that.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000
  }
})
