/**
 * The laws as tests of `node:test`.
 */
import { strictEqual } from "node:assert/strict"
import { describe, it } from "node:test"
import type { JudgeOptions } from "./judge.ts"
import { testsOf } from "./judge.ts"
import type { LawBook } from "./Law.ts"

/** A test for each law. One that does not apply, or is waived, passes and says so in a diagnostic. */
export const conforms = <S, R>(adapter: string, book: LawBook<S, R>, subject: S, options: JudgeOptions = {}): void => {
  describe(`${adapter} holds the laws of the ${book.port}`, () => {
    for (const { title, run } of testsOf(adapter, book, subject, options))
      it(title, async (context) => {
        strictEqual(await run((note) => context.diagnostic(note)), "")
      })
  })
}
