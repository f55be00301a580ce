/**
 * Runs the tests in a browser, apart from the suite.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  test: {
    include: ["packages/browser-tests/src/**/*.test.ts"],
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 }, requireAssertions: true }
  }
})
