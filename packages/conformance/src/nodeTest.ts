/**
 * The laws as tests of `node:test`.
 */
import { strictEqual } from "node:assert/strict"
import { describe, it } from "node:test"
import { Effect } from "effect"
import type { JudgeOptions } from "./judge.ts"
import { judge } from "./judge.ts"
import type { LawBook } from "./Law.ts"

/** A test for each law. One that does not apply, or is waived, passes and says so in a diagnostic. */
export const conforms = <S, R>(adapter: string, book: LawBook<S, R>, subject: S, options: JudgeOptions = {}): void => {
  describe(`${adapter} holds the laws of the ${book.port}`, () => {
    for (const { id, says } of book.laws.filter((law) => options.only?.includes(law.id) ?? true))
      it(`${id}: ${says}`, async (context) => {
        const report = await Effect.runPromise(judge(adapter, book, subject, { ...options, only: [id] }))
        const [{ verdict, detail }] = report.laws as [(typeof report.laws)[number]]
        if (verdict === "not applicable" || verdict === "waived") context.diagnostic(`${verdict}: ${detail}`)
        strictEqual(verdict === "broken" || verdict === "waiver-stale" ? `${verdict}: ${detail}` : "", "")
      })
  })
}
