/**
 * The mutants that no law can catch, from `equivalentMutants.json`, each with the reason. A full run fails if a law catches one of them,
 * or if a mutant with the key does not exist.
 */
import { readFileSync } from "node:fs"

/** `equivalent`: every answer of the store is the same. `unseen`: the difference is outside of what a law can observe. */
export interface Explained {
  readonly key: string
  readonly kind: "equivalent" | "unseen"
  readonly why: string
}

interface Reason {
  readonly kind: Explained["kind"]
  readonly why: string
  /** The keys of mutants, as a run prints them. */
  readonly keys: ReadonlyArray<string>
}

const reasons = JSON.parse(
  readFileSync(new URL("equivalentMutants.json", import.meta.url), "utf8")
) as ReadonlyArray<Reason>

export const explained: ReadonlyArray<Explained> = reasons.flatMap(({ kind, why, keys }) =>
  keys.map((key) => ({ key, kind, why }))
)
