/**
 * The options of `pnpm mutants`. An option that would choose no mutant is refused, because a run without mutants finds no hole.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"

/** Reads a whole number from 1. Throws a sentence that names the option. */
const countOf = (option: string, text: string): number => {
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`--${option} must be a whole number from 1, and not "${text}".`)
  return count
}

/** Reads the arguments of the command. Throws an error that names the wrong option. */
export const readMutantOptions = (args: ReadonlyArray<string>) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      package: { type: "string", multiple: true },
      only: { type: "string" },
      /** Runs only the mutants of files whose path contains this text. */
      file: { type: "string" },
      sample: { type: "string" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: String(availableParallelism()) },
      list: { type: "boolean", default: false },
      /** Leaves out the laws that start processes or run long. */
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      /** Runs only the mutants that survived in an earlier run, from the file of `--json`. */
      again: { type: "string" }
    }
  })
  const { only, sample, jobs, ...others } = values
  return {
    ...others,
    jobs: countOf("jobs", jobs),
    sample: sample === undefined ? undefined : countOf("sample", sample),
    only: only?.split(",").map((text) => countOf("only", text))
  }
}
