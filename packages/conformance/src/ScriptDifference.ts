/**
 * The failure of the differential law.
 */
import { Data } from "effect"
import type { Script } from "./Script.ts"
import { printScript } from "./Script.ts"

/** The shortest script found for which the two stores differ, as text that can be pasted into a test. */
export class ScriptDifference extends Data.TaggedError("ScriptDifference")<{
  readonly seed: number
  readonly how: string
  readonly script: Script
}> {
  override get message() {
    return `${this.how}\nseed ${this.seed}; with \`lockstep(reference, store, script)\`:\n${printScript(this.script)}`
  }
}
