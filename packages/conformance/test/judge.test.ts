/**
 * What a verdict is, and when there is none.
 */
import { Context, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { JudgeOptions, Law, LawBook } from "../src/index.ts"
import {
  counted,
  isConforming,
  judge,
  sinkLaws,
  storeLaws,
  toJson,
  toMarkdown,
  transportLaws,
  Violation
} from "../src/index.ts"
import { layer } from "./example/JournalStore.ts"

const law = (id: Law<never>["id"], check: Law<never>["check"], needs?: Law<never>["needs"]): Law<never> => ({
  id,
  says: `It says ${id}.`,
  why: "decisions/0001-core-decides.md",
  check,
  ...(needs === undefined ? {} : { needs })
})

const violation = Effect.fail(new Violation({ what: "the answer", expected: 1, actual: 2 }))

const book = (...laws: ReadonlyArray<Law<never>>): LawBook<Record<string, unknown>, never> => ({
  port: "store",
  capabilities: ["fast"],
  laws,
  open: (capabilities) => Effect.succeed({ capabilities, context: Context.empty() as Context.Context<never> })
})

const today = Date.UTC(2026, 10, 21)

const judged = (laws: ReadonlyArray<Law<never>>, options: JudgeOptions = {}, capabilities = { fast: false }) =>
  Effect.runPromise(
    Effect.andThen(TestClock.setTime(today), judge("mine", book(...laws), capabilities, options)).pipe(
      Effect.provide(TestClock.layer())
    )
  )

const verdictOf = async (check: Law<never>["check"], options: JudgeOptions = {}) => {
  const { laws } = await judged([law("a/b", check)], options)
  return [laws[0]!.verdict, laws[0]!.detail]
}

const waive = (until: string) => ({ waive: { "a/b": { reason: "the driver cannot", until } } })

describe("a verdict is", () => {
  it("held when the check succeeds", async () => {
    expect(await verdictOf(Effect.void)).toEqual(["held", null])
  })

  it.each<[string, Law<never>["check"], string]>([
    ["fails", violation, "the answer: expected 1, got 2"],
    ["dies", Effect.die(new TypeError("no such method")), "no such method"],
    ["is interrupted", Effect.interrupt, "it was interrupted"]
  ])("broken when the check %s, and says how", async (_, check, how) => {
    expect(await verdictOf(check)).toEqual(["broken", how])
  })

  it("broken when the check does not end", async () => {
    const report = await Effect.runPromise(
      judge("mine", book(law("a/b", Effect.never)), { fast: false }, { limitSeconds: 0.05 })
    )
    expect(report.laws[0]).toMatchObject({ verdict: "broken", detail: "did not end within 0.05 s" })
  })

  it("broken when the check cannot even be interrupted, and the judgement goes on", async () => {
    const stuck = law("a/b", Effect.uninterruptible(Effect.never))
    const report = await Effect.runPromise(
      judge("mine", book(stuck, law("a/c", Effect.void)), { fast: false }, { limitSeconds: 0.05 })
    )
    expect(report.laws.map(({ verdict }) => verdict)).toEqual(["broken", "held"])
  })

  it("stale on a law that does not apply", async () => {
    const needing = law("a/b", violation, { fast: true })
    expect((await judged([needing], waive("2027-03-31"))).laws[0]).toMatchObject({ verdict: "waiver-stale" })
  })

  it("not applicable only by the adapter's own capabilities", async () => {
    const needing = law("a/b", violation, { fast: true })
    expect((await judged([needing])).laws[0]).toMatchObject({ verdict: "not applicable", detail: "needs fast: true" })
    expect((await judged([needing], {}, { fast: true })).laws[0]).toMatchObject({ verdict: "broken" })
  })

  it("waived to the end of the last day, and stale after it", async () => {
    expect(await verdictOf(violation, waive("2026-11-21"))).toEqual([
      "waived",
      "until 2026-11-21: the driver cannot; the answer: expected 1, got 2"
    ])
    expect(await verdictOf(violation, waive("2026-11-20"))).toMatchObject([
      "waiver-stale",
      expect.stringContaining("ended")
    ])
  })

  it("stale when the waiver is no longer needed", async () => {
    expect(await verdictOf(Effect.void, waive("2027-03-31"))).toMatchObject([
      "waiver-stale",
      expect.stringContaining("no longer")
    ])
  })
})

describe("there is no verdict", () => {
  const problems = async (options: JudgeOptions, capabilities: Record<string, unknown> = { fast: true }) => {
    const exit = await Effect.runPromise(
      Effect.exit(judge("mine", book(law("a/b", Effect.void)), capabilities, options))
    )
    const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
    return reason?._tag === "Fail" ? (reason.error as { problems: ReadonlyArray<string> }).problems : undefined
  }

  it.each<[string, JudgeOptions, Record<string, unknown> | undefined, string]>([
    ["of an unknown law", { only: ["a/c"] }, undefined, "there is no law a/c"],
    [
      "on a waiver of an unknown law",
      { waive: { "a/c": { reason: "x", until: "2027-01-01" } } },
      undefined,
      "there is no law a/c to waive"
    ],
    [
      "on a waiver without a reason",
      { waive: { "a/b": { reason: " ", until: "2027-01-01" } } },
      undefined,
      "the waiver of a/b gives no reason"
    ],
    [
      "on a waiver without a day",
      { waive: { "a/b": { reason: "x", until: "soon" } } },
      undefined,
      "the waiver of a/b has no last day"
    ],
    [
      "on a waiver until a day that there is not",
      { waive: { "a/b": { reason: "x", until: "2026-02-31" } } },
      undefined,
      "the waiver of a/b has no last day"
    ],
    ["of no law at all", { only: [] }, undefined, "no law is asked for"],
    ["of an unknown capability", {}, { fast: true, fats: true }, "there is no capability fats"],
    ["of what is not declared", {}, {}, "the capability fast is not declared"]
  ])("%s", async (_, options, capabilities, problem) => {
    expect(await problems(options, capabilities)).toEqual([problem])
  })

  it("of a store that lasts but gives no other process a way to open it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "journal-"))
    const exit = await Effect.runPromise(Effect.exit(judge("journal", storeLaws, { place: layer(`${folder}/a`) })))
    rmSync(folder, { recursive: true })
    expect(JSON.stringify(exit)).toContain("must give a child module")
  })
})

describe("a report", () => {
  const laws = [law("a/held", Effect.void), law("a/broken", violation), law("a/fast", Effect.void, { fast: true })]

  it("counts its verdicts, and conforms when nothing is broken or stale", async () => {
    const report = await judged(laws)
    expect(counted(report)).toEqual({ held: 1, broken: 1, "not applicable": 1, waived: 0, "waiver-stale": 0 })
    expect(isConforming(report)).toBe(false)
    expect(isConforming(await judged([laws[0]!, laws[2]!]))).toBe(true)
  })

  it("is Markdown and JSON", async () => {
    const report = await judged(laws)
    expect(toMarkdown(report)).toContain("| `a/broken` | It says a/broken. | broken | the answer: expected 1, got 2 |")
    expect(toMarkdown(report)).toContain("does not conform")
    expect(JSON.parse(toJson(report))).toMatchObject({
      adapter: "mine",
      counts: { held: 1 },
      laws: [{ id: "a/held" }, {}, {}]
    })
  })
})

describe("every law", () => {
  const all = [storeLaws, transportLaws, sinkLaws].flatMap((book) =>
    book.laws.map((one) => ({ ...one, port: book.port }))
  )

  it("has a name of its own, a sentence and a page that says why", () => {
    expect(new Set(all.map(({ id, port }) => `${port} ${id}`)).size).toBe(all.length)
    for (const { id, says, why } of all) {
      expect(id).toMatch(/^[a-z]+\/[a-z0-9-]+$/)
      expect(says).toMatch(/^[A-Z].*\.$/)
      expect(existsSync(new URL(`../../../docs/${why}`, import.meta.url)), `${id}: ${why}`).toBe(true)
    }
  })
})
