/**
 * The laws as tests of vitest.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { JudgeOptions } from "./judge.ts"
import { judge } from "./judge.ts"
import type { LawBook } from "./Law.ts"

/** A test for each law. One that does not apply, or is waived, passes and says so in an annotation. */
export const conforms = <S, R>(
  adapter: string,
  book: LawBook<S, R>,
  subject: S,
  { limitSeconds = 120, ...options }: JudgeOptions = {}
): void => {
  describe(`${adapter} holds the laws of the ${book.port}`, () => {
    const asked = book.laws.filter(({ id }) => options.only?.includes(id) ?? true)
    it.for(asked.map(({ id, says }) => [id, says] as const))(
      "%s: %s",
      { timeout: limitSeconds * 1000 + 5000 },
      async ([id], { annotate }) => {
        const report = await Effect.runPromise(judge(adapter, book, subject, { ...options, only: [id], limitSeconds }))
        const [{ verdict, detail }] = report.laws as [(typeof report.laws)[number]]
        if (verdict === "not applicable" || verdict === "waived") await annotate(`${verdict}: ${detail}`)
        expect(verdict === "broken" || verdict === "waiver-stale" ? `${verdict}: ${detail}` : "").toBe("")
      }
    )
  })
}
