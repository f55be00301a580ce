/**
 * The laws as tests of vitest.
 */
import { describe, expect, it } from "vitest"
import type { JudgeOptions } from "./judge.ts"
import { limitSecondsDefault, testsOf } from "./judge.ts"
import type { LawBook } from "./Law.ts"

/** A test for each law. One that does not apply, or is waived, passes and says so in an annotation. */
export const conforms = <S, R>(adapter: string, book: LawBook<S, R>, subject: S, options: JudgeOptions = {}): void => {
  const timeout = ((options.limitSeconds ?? limitSecondsDefault) + 5) * 1000
  describe(`${adapter} holds the laws of the ${book.port}`, () => {
    for (const { title, run } of testsOf(adapter, book, subject, options))
      it(title, { timeout }, async ({ annotate }) => {
        expect(await run((note) => annotate(note))).toBe("")
      })
  })
}
