#!/usr/bin/env node
/**
 * The `mailkeep` command. Checks the version of Node before it loads a module that an older version cannot run.
 */
import { oldNodeSentence } from "@mailkeep/sqlite/node-version"
import { keepCompiledCode } from "./compileCache.ts"
import { restartWithMemorySettings } from "./memorySettings.ts"

const sentence = oldNodeSentence(process.versions)
if (sentence === undefined) {
  restartWithMemorySettings(process)
  keepCompiledCode()
  await import("./run.ts")
} else {
  process.stderr.write(`mailkeep: ${sentence}.\n`)
  process.exitCode = 1
}
