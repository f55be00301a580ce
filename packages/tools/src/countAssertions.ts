/**
 * Counts the assertions of each test for the report of the run. vitest loads this file before each test file.
 */
import { afterEach, expect } from "vitest"

afterEach(({ task }) => {
  task.meta.assertions = expect.getState().assertionCalls
})
