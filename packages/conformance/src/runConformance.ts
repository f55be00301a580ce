/**
 * Checks an adapter against every law of its port, each with a new instance, and reports the verdicts.
 */
import { inspect } from "node:util"
import { Clock, Data, Duration, Effect, Exit, Fiber } from "effect"
import { CurrentWait } from "./awaiting.ts"
import type { Capabilities, Law, LawBook } from "./Law.ts"
import { Violation } from "./Law.ts"
import type { LawReport, Report } from "./Report.ts"
import { ScriptDifference } from "./ScriptDifference.ts"

/** Allows an adapter to break a law until a day. The waiver is stale when the law is held or does not apply, or when the day is over. */
export interface Waiver {
  readonly reason: string
  /** The last day of the waiver: `2027-03-31`. */
  readonly until: string
  readonly issue?: string
}

/** Which laws a run checks, which of them the adapter may break, and for how long a law may run. */
export interface ConformanceOptions {
  /** The laws that the adapter may break, by id. By default, none. */
  readonly waive?: Readonly<Record<string, Waiver>>
  /** The ids of the laws to check. By default, all laws. */
  readonly only?: ReadonlyArray<string>
  /** The time limit for one law, in seconds; by default 120. After three laws that did not end in it, the other laws are broken without a check. */
  readonly limitSeconds?: number
}

/**
 * The run gives no verdict. No law is selected, a law or a capability is unknown, a capability is not declared, a waiver is incomplete, or the
 * subject lacks what its capabilities require.
 */
export class NotRun extends Data.TaggedError("NotRun")<{ readonly problems: ReadonlyArray<string> }> {
  override get message() {
    return `No verdict is possible: ${this.problems.join("; ")}`
  }
}

export const limitSecondsDefault = 120

/** After this many laws that did not end, no other law is checked. Each would wait for its limit, such as for a lock that the adapter has kept. */
const unendedMax = 3

/** The time in which the report of a broken law looks for a short script. */
const explainSecondsMax = 10

class NotEnded extends Data.TaggedError("NotEnded")<{
  readonly seconds: number
  readonly waitedFor: string | undefined
}> {
  override get message() {
    const waited = this.waitedFor === undefined ? "" : `. The law waited until ${this.waitedFor}`
    return `expected an end, but it did not end within ${this.seconds} s${waited}`
  }
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && day(Date.parse(text)) === text

const optionProblems = (ids: ReadonlySet<string>, { waive = {}, only }: ConformanceOptions): ReadonlyArray<string> => [
  ...(only?.length === 0 ? ["no law is selected: only is empty"] : []),
  ...(only ?? []).filter((id) => !ids.has(id)).map((id) => `there is no law ${id}`),
  ...Object.entries(waive).flatMap(([id, { reason, until }]) => [
    ...(ids.has(id) ? [] : [`there is no law ${id} to waive`]),
    ...(reason.trim() === "" ? [`the waiver of ${id} gives no reason`] : []),
    ...(isDay(until) ? [] : [`the waiver of ${id} has no last day`])
  ])
]

const capabilityProblems = (
  { capabilities, optionalCapabilities = [] }: Pick<LawBook<never, never>, "capabilities" | "optionalCapabilities">,
  declared: Capabilities
): ReadonlyArray<string> => [
  ...Object.keys(declared)
    .filter((name) => !capabilities.includes(name) && !optionalCapabilities.includes(name))
    .map((name) => `there is no capability ${name}`),
  ...capabilities.filter((name) => !(name in declared)).map((name) => `the capability ${name} is not declared`)
]

const lacking = (needs: Capabilities, declared: Capabilities): ReadonlyArray<string> =>
  Object.entries(needs)
    .filter(([name, value]) => declared[name] !== value)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)

/** The text of what was thrown, with its causes: a failure of an adapter often has the words of its driver there. */
const textOf = (thrown: unknown, causesMax = 3): string => {
  if (!(thrown instanceof Error)) return inspect(thrown, { depth: 4 })
  const { message: _, stack: _s, name, cause, ...fields } = thrown as Error & Record<string, unknown>
  const text = thrown.message === "" ? `${name} ${inspect(fields, { depth: 4 })}` : `${name}: ${thrown.message}`
  return cause === undefined || causesMax === 0 ? text : `${text} (cause: ${textOf(cause, causesMax - 1)})`
}

/** Returns `undefined` when the law was held, otherwise what was expected and seen. */
const howBroken = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const [reason] = exit.cause.reasons
  if (reason?._tag === "Die") return `expected no defect, got ${textOf(reason.defect)}`
  if (reason?._tag !== "Fail") return "expected an end, but it was interrupted"
  return isExplicit(reason.error) ? reason.error.message : `expected no failure, got ${textOf(reason.error)}`
}

/** The failures of the kit itself, whose messages say what was expected and seen. */
const isExplicit = (error: unknown): error is Error =>
  error instanceof Violation || error instanceof NotEnded || error instanceof ScriptDifference

/** Fails after the limit and leaves the effect running, even if the effect cannot be interrupted. */
const within = <A, E>(effect: Effect.Effect<A, E>, seconds: number): Effect.Effect<A, E | NotEnded> =>
  Effect.gen(function* () {
    const wait: (typeof CurrentWait)["Service"] = { what: undefined }
    const fiber = yield* Effect.forkDetach(Effect.provideService(effect, CurrentWait, wait))
    const exit = yield* Effect.timeoutOption(Fiber.await(fiber), Duration.seconds(seconds))
    if (exit._tag === "Some") return yield* exit.value
    yield* Effect.forkDetach(Fiber.interrupt(fiber))
    return yield* new NotEnded({ seconds, waitedFor: wait.what })
  })

/** What the laws of one run have in common. */
interface Run<S, R> {
  readonly book: LawBook<S, R>
  readonly subject: S
  readonly options: ConformanceOptions
  /** The laws that did not end. */
  unended: number
}

/** Returns `undefined` when the law was held, otherwise how it was broken, and what the law did. */
const checkLaw = <S, R>(run: Run<S, R>, law: Law<R>): Effect.Effect<string | undefined> => {
  if (run.unended >= unendedMax)
    return Effect.succeed(`not checked, because ${unendedMax} laws before it did not end. Mend these laws first`)
  const { book, subject } = run
  const { limitSeconds = limitSecondsDefault } = run.options
  let explain: Effect.Effect<string> | undefined
  const checked = Effect.flatMap(book.open(subject), (opened) => {
    explain = opened.explain
    return Effect.provideContext(law.check, opened.context)
  })
  const ended = Effect.tapError(within(Effect.scoped(checked), limitSeconds), (error) =>
    Effect.sync(() => void (run.unended += error instanceof NotEnded ? 1 : 0))
  )
  return Effect.flatMap(Effect.exit(ended), (exit) => {
    const broken = howBroken(exit)
    if (broken === undefined || explain === undefined) return Effect.succeed(broken)
    return within(explain, Math.min(limitSeconds, explainSecondsMax)).pipe(
      Effect.map((what) => `${broken}\n${what}`),
      Effect.orElseSucceed(() => broken)
    )
  })
}

type Named = Pick<Law<never>, "id" | "statement" | "why">

const verdictOn = (law: Named, verdict: LawReport["verdict"], detail: string | null): LawReport => ({
  id: law.id,
  statement: law.statement,
  why: law.why,
  verdict,
  detail
})

const day = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** The law does not apply because of the capabilities, so a waiver of it is stale. */
const notApplicable = (law: Named, missing: ReadonlyArray<string>, waiver: Waiver | undefined): LawReport =>
  waiver === undefined
    ? verdictOn(law, "not applicable", `needs ${missing.join(", ")}`)
    : verdictOn(law, "waiver-stale", "the law does not apply; the waiver is not needed")

const verdictOf = (law: Named, broken: string | undefined, waiver: Waiver | undefined, today: string): LawReport => {
  if (waiver === undefined) return verdictOn(law, broken === undefined ? "held" : "broken", broken ?? null)
  if (broken === undefined) return verdictOn(law, "waiver-stale", "the law is held; the waiver is no longer needed")
  if (waiver.until < today) return verdictOn(law, "waiver-stale", `the waiver ended on ${waiver.until}; ${broken}`)
  return verdictOn(law, "waived", `until ${waiver.until}: ${waiver.reason}; ${broken}`)
}

/** Checks one law, unless it does not apply to the capabilities. */
const reportOn = <S, R>(run: Run<S, R>, law: Law<R>, capabilities: Capabilities): Effect.Effect<LawReport> => {
  const missing = lacking(law.needs ?? {}, capabilities)
  const waiver = run.options.waive?.[law.id]
  if (missing.length > 0) return Effect.succeed(notApplicable(law, missing, waiver))
  return Effect.gen(function* () {
    const today = day(yield* Clock.currentTimeMillis)
    return verdictOf(law, yield* checkLaw(run, law), waiver, today)
  })
}

/** Returns the declared capabilities. Fails with `NotRun` if the run cannot give a verdict. */
const declaredCapabilities = <S, R>({ book, subject, options }: Run<S, R>) =>
  Effect.gen(function* () {
    const opened = yield* book.open(subject)
    const lack = book.lacks?.(subject, opened)
    const problems = [
      ...optionProblems(new Set(book.laws.map(({ id }) => id)), options),
      ...capabilityProblems(book, opened.capabilities),
      ...(lack === undefined ? [] : [lack])
    ]
    if (problems.length > 0) return yield* new NotRun({ problems })
    return opened.capabilities
  }).pipe(Effect.scoped, (opening) => within(opening, options.limitSeconds ?? limitSecondsDefault))

/**
 * Checks an adapter against the laws of its port and reports a verdict for each.
 * Fails with `NotRun` if no verdict is possible. A broken law is part of the report, not a failure.
 */
export const runConformance = <S, R>(
  adapter: string,
  book: LawBook<S, R>,
  subject: S,
  options: ConformanceOptions = {}
): Effect.Effect<Report, unknown> =>
  Effect.gen(function* () {
    const run = { book, subject, options, unended: 0 }
    const capabilities = yield* declaredCapabilities(run)
    const asked = book.laws.filter(({ id }) => options.only?.includes(id) ?? true)
    const laws = yield* Effect.forEach(asked, (law) => reportOn(run, law, capabilities))
    return { adapter, port: book.port, capabilities, laws }
  })

/**
 * Makes a test for each selected law. An unknown law also gets a test, which fails.
 * `annotate` receives a note for each test that passes because its law does not apply or is waived.
 */
export const testsOf = <S, R>(book: LawBook<S, R>, subject: S, options: ConformanceOptions) => {
  // The capabilities are those of each instance, so that one instance declares them for all tests.
  const shared = { book, subject, options, unended: 0 }
  const declared = Effect.runSync(Effect.cached(declaredCapabilities(shared)))
  return (options.only ?? book.laws.map(({ id }) => id)).map((id) => {
    const law = book.laws.find((one) => one.id === id)
    return {
      title: `${id}: ${law?.statement ?? ""}`,
      /** Returns how the test fails, or an empty string. */
      run: async (annotate: (note: string) => unknown): Promise<string> => {
        // Fails for an unknown law.
        const capabilities = await Effect.runPromise(declared)
        const { verdict, detail } = await Effect.runPromise(reportOn(shared, law!, capabilities))
        if (verdict === "not applicable" || verdict === "waived") await annotate(`${verdict}: ${detail}`)
        return verdict === "broken" || verdict === "waiver-stale" ? `${verdict}: ${detail}\nWhy: docs/${law!.why}` : ""
      }
    }
  })
}
