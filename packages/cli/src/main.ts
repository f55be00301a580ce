#!/usr/bin/env node
/**
 * The `mailkeep` command. Looks at the version of Node before it loads anything that an older one cannot run.
 */
import { oldNodeSentence } from "@mailkeep/sqlite/node-version"

const sentence = oldNodeSentence(process.versions)
if (sentence === undefined) await import("./run.ts")
else {
  process.stderr.write(`mailkeep: ${sentence}.\n`)
  process.exitCode = 1
}
