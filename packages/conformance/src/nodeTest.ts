/**
 * Registers the laws as tests of `node:test`.
 *
 * @example
 * ```ts
 * import { storeLaws } from "@mailkeep/conformance"
 * import { conforms } from "@mailkeep/conformance/nodeTest"
 * import { MemoryMailStore } from "@mailkeep/memory"
 *
 * conforms("memory", storeLaws, { place: MemoryMailStore.layer }, { only: ["commit/all-or-nothing"] })
 * ```
 */
import { strictEqual } from "node:assert/strict"
import { describe, it } from "node:test"
import type { ConformanceOptions } from "./runConformance.ts"
import { testsOf } from "./runConformance.ts"
import type { LawBook } from "./Law.ts"

/** Registers a test for each law. If a law does not apply or is waived, its test passes and reports a diagnostic. */
export const conforms = <S, R>(
  adapter: string,
  book: LawBook<S, R>,
  subject: S,
  options: ConformanceOptions = {}
): void => {
  describe(`${adapter} holds the laws of the ${book.port}`, () => {
    for (const { title, run } of testsOf(book, subject, options))
      it(title, async (context) => {
        strictEqual(await run((note) => context.diagnostic(note)), "")
      })
  })
}
