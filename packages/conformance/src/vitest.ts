/**
 * Registers the laws as tests of vitest.
 *
 * @example
 * ```ts no-run A file of vitest runs only below vitest.
 * import { storeLaws } from "@mailkeep/conformance"
 * import { conforms } from "@mailkeep/conformance/vitest"
 * import { MemoryMailStore } from "@mailkeep/memory"
 *
 * conforms("memory", storeLaws, { place: MemoryMailStore.layer }, { only: ["commit/all-or-nothing"] })
 * ```
 */
import { describe, expect, it } from "vitest"
import type { ConformanceOptions } from "./runConformance.ts"
import { limitSecondsDefault, testsOf } from "./runConformance.ts"
import type { LawBook } from "./Law.ts"

/** Registers a test for each law. If a law does not apply or is waived, its test passes and has an annotation. */
export const conforms = <S, R>(
  adapter: string,
  book: LawBook<S, R>,
  subject: S,
  options: ConformanceOptions = {}
): void => {
  const timeout = ((options.limitSeconds ?? limitSecondsDefault) + 5) * 1000
  describe(`${adapter} holds the laws of the ${book.port}`, () => {
    for (const { title, run } of testsOf(book, subject, options))
      it(title, { timeout }, async ({ annotate }) => {
        expect(await run((note) => annotate(note))).toBe("")
      })
  })
}
