/**
 * The mutants that no law can catch, each with the reason. A full run fails if a law catches one of them, or if a mutant with
 * the key does not exist.
 */

/** `equivalent`: every answer of the store is the same. `unseen`: the difference is outside of what a law can observe. */
export interface Explained {
  readonly key: string
  readonly kind: "equivalent" | "unseen"
  readonly why: string
}

export const explained: ReadonlyArray<Explained> = []
