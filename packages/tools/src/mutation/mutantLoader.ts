/**
 * Loaded with `--import` in each process and thread that runs a mutant: loads the mutated file in place of the original file.
 * A module whose URL has `?mutant=N` passes this on to the modules that it imports from the same folders.
 */
import { readFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"
import { isMainThread } from "node:worker_threads"

interface MutatedFile {
  readonly file: string
  readonly text: string
}

const folders = JSON.parse(process.env["MAILKEEP_MUTANT_FOLDERS"] ?? "[]") as ReadonlyArray<string>
/** The modules that are replaced by another module, for a faster run. */
const replaced = JSON.parse(process.env["MAILKEEP_MUTANT_REPLACED"] ?? "{}") as Readonly<Record<string, string>>
const texts = process.env["MAILKEEP_MUTANT_TEXTS"] ?? ""

/** A thread starts from a URL without a query, so it takes the number from its environment. */
const numberOf = (url: string): string | undefined =>
  new URL(url).searchParams.get("mutant") ?? (isMainThread ? undefined : process.env["MAILKEEP_MUTANT"])

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    // A module that looks at the end of its own URL sees the query, and takes itself for a published file.
    const isSource = isMainThread || context.parentURL !== undefined
    const found = nextResolve(isSource ? specifier : specifier.replace(/\.js$/, ".ts"), context)
    const number = context.parentURL?.startsWith("file:") === true ? numberOf(context.parentURL) : undefined
    const url = found.url.split("?")[0]!
    return number === undefined || !folders.some((folder) => url.startsWith(folder))
      ? found
      : { ...found, url: `${replaced[url] ?? url}?mutant=${number}` }
  },
  load: (url, context, nextLoad) => {
    const number = url.startsWith("file:") ? numberOf(url) : undefined
    if (number === undefined || number === "none") return nextLoad(url, context)
    const { file, text } = JSON.parse(readFileSync(`${texts}/${number}.json`, "utf8")) as MutatedFile
    if (fileURLToPath(url) !== file) return nextLoad(url, context)
    return { format: "module", source: stripTypeScriptTypes(text), shortCircuit: true }
  }
})
