#!/usr/bin/env node
/**
 * The `mailkeep` command. Looks at the version of Node before it loads anything that an older one cannot run.
 */
import { oldNodeSentence } from "@mailkeep/sqlite/node-version"
import { restartWithMemorySettings } from "./memorySettings.ts"

const sentence = oldNodeSentence(process.versions)
if (sentence === undefined) {
  restartWithMemorySettings(process)
  await import("./run.ts")
} else {
  process.stderr.write(`mailkeep: ${sentence}.\n`)
  process.exitCode = 1
}
