/**
 * Tests the verdicts, and the cases without a verdict.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Conflict, MailStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Context, Data, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { ConformanceOptions, Law, LawBook } from "../src/index.ts"
import {
  counted,
  isConforming,
  limiterLaws,
  resolverLaws,
  runConformance,
  sinkLaws,
  storeLaws,
  toJson,
  toMarkdown,
  transportLaws,
  Violation
} from "../src/index.ts"
import { until } from "../src/awaiting.ts"
import { failureOf } from "../src/expectation.ts"
import { testsOf } from "../src/runConformance.ts"
import { layer } from "./example/JournalStore.ts"

const law = (id: Law<never>["id"], check: Law<never>["check"], needs?: Law<never>["needs"]): Law<never> => ({
  id,
  statement: `It says ${id}.`,
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

const reportOn = (laws: ReadonlyArray<Law<never>>, options: ConformanceOptions = {}, capabilities = { fast: false }) =>
  Effect.runPromise(
    Effect.andThen(TestClock.setTime(today), runConformance("mine", book(...laws), capabilities, options)).pipe(
      Effect.provide(TestClock.layer())
    )
  )

const verdictOf = async (check: Law<never>["check"], options: ConformanceOptions = {}) => {
  const { laws } = await reportOn([law("a/b", check)], options)
  return [laws[0]!.verdict, laws[0]!.detail]
}

const waive = (until: string) => ({ waive: { "a/b": { reason: "the driver cannot", until } } })

/** An error of an adapter that gives its errors no message. */
class Silent extends Data.TaggedError("Silent")<{ readonly at: number }> {}

describe("a verdict", () => {
  it("reports held when the check succeeds", async () => {
    expect(await verdictOf(Effect.void)).toEqual(["held", null])
  })

  it.each<[string, Law<never>["check"], string]>([
    ["fails", violation, "the answer: expected 1, got 2"],
    ["fails without a reason", Effect.fail(undefined), "expected no failure, got undefined"],
    [
      "fails with an error without a message",
      Effect.fail(new Silent({ at: 1 })),
      "expected no failure, got Silent { at: 1, _tag: 'Silent' }"
    ],
    [
      "fails with an error with a message",
      Effect.fail(new Conflict({ at: 1, change: "PutSetting", reason: "Stale" })),
      "expected no failure, got Conflict: The guard of change 1 (PutSetting) did not hold: Stale."
    ],
    [
      "fails because a call succeeds that must fail",
      Effect.asVoid(failureOf("a late commit", Effect.void)),
      "a late commit: expected 'a failure', got { success: undefined }"
    ],
    ["dies", Effect.die(new TypeError("no such method")), "expected no defect, got TypeError: no such method"],
    ["is interrupted", Effect.interrupt, "expected an end, but it was interrupted"]
  ])("reports broken and the reason when the check %s", async (_, check, how) => {
    expect(await verdictOf(check)).toEqual(["broken", how])
  })

  it("reports broken when the check does not end", async () => {
    const report = await Effect.runPromise(
      runConformance("mine", book(law("a/b", Effect.never)), { fast: false }, { limitSeconds: 0.05 })
    )
    expect(report.laws[0]).toMatchObject({
      verdict: "broken",
      detail: "expected an end, but it did not end within 0.05 s"
    })
  })

  it("checks no other law after three that did not end", async () => {
    let checked = 0
    const stuck = [1, 2, 3].map((n) => law(`a/stuck-${n}`, Effect.never))
    const counting = Effect.sync(() => void checked++)
    const laws = book(law("a/first", counting), ...stuck, law("a/last", counting))
    const notChecked = "not checked, because 3 laws before it did not end. Mend these laws first"
    const report = await Effect.runPromise(runConformance("mine", laws, { fast: false }, { limitSeconds: 0.05 }))
    expect(report.laws.at(-1)).toMatchObject({ verdict: "broken", detail: notChecked })
    expect(checked).toBe(1)
    const failures: Array<string> = []
    for (const { run } of testsOf(laws, { fast: false }, { limitSeconds: 0.05 })) failures.push(await run(() => {}))
    expect(failures.at(-1)).toContain(notChecked)
    expect(checked).toBe(2)
  })

  it("says what a check that does not end has waited for", async () => {
    const waiting = law("a/b", until("the relay had the message", Effect.succeed(false)))
    const report = await Effect.runPromise(
      runConformance("mine", book(waiting), { fast: false }, { limitSeconds: 0.05 })
    )
    expect(report.laws[0]?.detail).toContain("The law waited until the relay had the message")
  })

  it("names the page with the reason of the law in the failure of its test", async () => {
    const [test] = testsOf(book(law("a/b", violation)), { fast: false }, {})
    expect(await test!.run(() => {})).toBe(
      "broken: the answer: expected 1, got 2\nWhy: docs/decisions/0001-core-decides.md"
    )
  })

  it("reports broken and continues with the next law when the check cannot be interrupted", async () => {
    const stuck = law("a/b", Effect.uninterruptible(Effect.never))
    const report = await Effect.runPromise(
      runConformance("mine", book(stuck, law("a/c", Effect.void)), { fast: false }, { limitSeconds: 0.05 })
    )
    expect(report.laws.map(({ verdict }) => verdict)).toEqual(["broken", "held"])
  })

  it("reports a stale waiver when its law does not apply", async () => {
    const needing = law("a/b", violation, { fast: true })
    expect((await reportOn([needing], waive("2027-03-31"))).laws[0]).toMatchObject({ verdict: "waiver-stale" })
  })

  it("reports not applicable only when the adapter's capabilities do not meet the law's needs", async () => {
    const needing = law("a/b", violation, { fast: true })
    expect((await reportOn([needing])).laws[0]).toMatchObject({ verdict: "not applicable", detail: "needs fast: true" })
    expect((await reportOn([needing], {}, { fast: true })).laws[0]).toMatchObject({ verdict: "broken" })
  })

  it("reports waived until the end of the last day, and a stale waiver after that day", async () => {
    expect(await verdictOf(violation, waive("2026-11-21"))).toEqual([
      "waived",
      "until 2026-11-21: the driver cannot; the answer: expected 1, got 2"
    ])
    expect(await verdictOf(violation, waive("2026-11-20"))).toMatchObject([
      "waiver-stale",
      expect.stringContaining("ended")
    ])
  })

  it("reports a stale waiver when the law is held", async () => {
    expect(await verdictOf(Effect.void, waive("2027-03-31"))).toMatchObject([
      "waiver-stale",
      expect.stringContaining("no longer")
    ])
  })
})

describe("a run without a verdict", () => {
  const problems = async (options: ConformanceOptions, capabilities: Record<string, unknown> = { fast: true }) => {
    const exit = await Effect.runPromiseExit(
      runConformance("mine", book(law("a/b", Effect.void)), capabilities, options)
    )
    const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
    return reason?._tag === "Fail" ? (reason.error as { problems: ReadonlyArray<string> }).problems : undefined
  }

  it.each<[string, ConformanceOptions, Record<string, unknown> | undefined, string]>([
    ["on an unknown law", { only: ["a/c"] }, undefined, "there is no law a/c"],
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
      "on a waiver until a day that does not exist",
      { waive: { "a/b": { reason: "x", until: "2026-02-31" } } },
      undefined,
      "the waiver of a/b has no last day"
    ],
    ["on an empty list of laws", { only: [] }, undefined, "no law is selected: only is empty"],
    ["on an unknown capability", {}, { fast: true, fats: true }, "there is no capability fats"],
    ["on an undeclared capability", {}, {}, "the capability fast is not declared"]
  ])("gives no verdict %s", async (_, options, capabilities, problem) => {
    expect(await problems(options, capabilities)).toEqual([problem])
  })

  it("accepts a capability that is optional, and its absence", async () => {
    const optional = { ...book(law("a/b", Effect.void)), optionalCapabilities: ["many"] }
    for (const capabilities of [{ fast: true }, { fast: true, many: 3 }]) {
      const report = await Effect.runPromise(runConformance("mine", optional, capabilities))
      expect(report.capabilities).toEqual(capabilities)
    }
  })

  it("gives no verdict on a durable store without a child module", async () => {
    const folder = mkdtempSync(join(tmpdir(), "journal-"))
    const exit = await Effect.runPromiseExit(runConformance("journal", storeLaws, { place: layer(`${folder}/a`) }))
    rmSync(folder, { recursive: true })
    expect(JSON.stringify(exit)).toContain("must give a child module")
  })
})

describe("a report", () => {
  const laws = [law("a/held", Effect.void), law("a/broken", violation), law("a/fast", Effect.void, { fast: true })]

  it("counts the verdicts of a report, which conforms when nothing is broken or stale", async () => {
    const report = await reportOn(laws)
    expect(counted(report)).toEqual({ held: 1, broken: 1, "not applicable": 1, waived: 0, "waiver-stale": 0 })
    expect(isConforming(report)).toBe(false)
    expect(isConforming(await reportOn([laws[0]!, laws[2]!]))).toBe(true)
  })

  it("prints a report as Markdown and as JSON", async () => {
    const report = await reportOn(laws)
    expect(toMarkdown(report)).toContain("| `a/broken` | It says a/broken. | broken | the answer: expected 1, got 2 |")
    expect(toMarkdown(report)).toContain("does not conform")
    expect(JSON.parse(toJson(report))).toMatchObject({
      adapter: "mine",
      counts: { held: 1 },
      laws: [{ id: "a/held" }, {}, {}]
    })
  })
})

describe("the report of a broken law of the store", () => {
  /** Accepts a spend of two units or more without writing it. */
  const forgetful = Effect.map(MemoryMailStore.make, (store): MailStoreShape => ({
    ...store,
    commit: (changes) =>
      store.commit(changes.filter((change) => change._tag !== "AddToCounter" || change.by < 2 || change.max !== null))
  }))

  const detailOf = async (id: string, place: Layer.Layer<MailStore>) => {
    const { laws } = await Effect.runPromise(runConformance("mine", storeLaws, { place }, { only: [id] }))
    return laws[0]?.detail
  }

  it("shows the shortest script for which the store differs from the reference store", async () => {
    const detail = await detailOf("counters/spent-within-the-limit", Layer.effect(MailStore, forgetful))
    expect(detail).toContain("the counter: expected 8, got 3")
    expect(detail).toContain("a script that shows a difference")
    expect(detail?.split("\n").filter((line) => line.startsWith("  {"))).toEqual([
      '  {"commit":[{"_tag":"AddToCounter","projectId":"prj_law","name":"allowance","by":5,"max":null}]}'
    ])
  })

  it("shows the calls of the law when one call after another gives no difference", async () => {
    const lagging = Effect.map(MemoryMailStore.make, (store): MailStoreShape => {
      let running = 0
      return {
        ...store,
        commit: (changes) =>
          Effect.suspend(() => {
            running++
            return running > 1 ? Effect.void : Effect.andThen(Effect.yieldNow, store.commit(changes))
          }).pipe(Effect.ensuring(Effect.sync(() => running--)))
      }
    })
    const detail = await detailOf("commit/many-at-once", Layer.effect(MailStore, lagging))
    expect(detail).toContain("the calls of the law: after ")
    expect(detail).toContain('{"read":[{"_tag":"Setting","name":"s0"}')
  })
})

describe("every law", () => {
  const all = [storeLaws, transportLaws, sinkLaws, limiterLaws, resolverLaws].flatMap((book) =>
    book.laws.map((one) => ({ ...one, port: book.port }))
  )

  it("gives each law a unique id, a sentence and an existing page with the reason", () => {
    expect(new Set(all.map(({ id, port }) => `${port} ${id}`)).size).toBe(all.length)
    for (const { id, statement, why } of all) {
      expect(id).toMatch(/^[a-z]+\/[a-z0-9-]+$/)
      expect(statement).toMatch(/^[A-Z].*\.$/)
      expect(existsSync(new URL(`../../../docs/${why}`, import.meta.url)), `${id}: ${why}`).toBe(true)
    }
  })
})
