/**
 * Holds an adapter to every law of its port, each over a fresh instance, and reports.
 */
import { Clock, Data, Duration, Effect, Exit, Fiber } from "effect"
import type { Capabilities, Law, LawBook } from "./Law.ts"
import type { Judged, Report } from "./Report.ts"

/** A law that an adapter is known to break for now. Once it holds, or its day is over, the waiver itself is a fault. */
export interface Waiver {
  readonly reason: string
  /** The last day on which it counts: `2027-03-31`. */
  readonly until: string
  readonly issue?: string
}

export interface JudgeOptions {
  readonly waive?: Readonly<Record<string, Waiver>>
  /** The laws to judge; all of them unless given. */
  readonly only?: ReadonlyArray<string>
  /** How long one law may take. */
  readonly limitSeconds?: number
}

/** The question makes no sense, so there is no verdict: an unknown law or capability, or no way to judge what is declared. */
export class NotJudged extends Data.TaggedError("NotJudged")<{ readonly problems: ReadonlyArray<string> }> {
  override get message() {
    return `Not judged: ${this.problems.join("; ")}`
  }
}

export const limitSecondsDefault = 120

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && day(Date.parse(text)) === text

const optionProblems = (ids: ReadonlySet<string>, { waive = {}, only }: JudgeOptions): ReadonlyArray<string> => [
  ...(only?.length === 0 ? ["no law is asked for"] : []),
  ...(only ?? []).filter((id) => !ids.has(id)).map((id) => `there is no law ${id}`),
  ...Object.entries(waive).flatMap(([id, { reason, until }]) => [
    ...(ids.has(id) ? [] : [`there is no law ${id} to waive`]),
    ...(reason.trim() === "" ? [`the waiver of ${id} gives no reason`] : []),
    ...(isDay(until) ? [] : [`the waiver of ${id} has no last day`])
  ])
]

const capabilityProblems = (known: ReadonlyArray<string>, declared: Capabilities): ReadonlyArray<string> => [
  ...Object.keys(declared)
    .filter((name) => !known.includes(name))
    .map((name) => `there is no capability ${name}`),
  ...known.filter((name) => !(name in declared)).map((name) => `the capability ${name} is not declared`)
]

const lacking = (needs: Capabilities, declared: Capabilities): ReadonlyArray<string> =>
  Object.entries(needs)
    .filter(([name, value]) => declared[name] !== value)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)

/** Nothing when the law was held, or how it was broken. */
const brokenBy = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const [reason] = exit.cause.reasons
  const thrown = reason?._tag === "Fail" ? reason.error : reason?._tag === "Die" ? reason.defect : "it was interrupted"
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
}

/** What does not end within the limit is left behind, also when it cannot be interrupted. */
const within = <A, E>(effect: Effect.Effect<A, E>, seconds: number): Effect.Effect<A, E | Error> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(effect)
    const exit = yield* Effect.timeoutOption(Fiber.await(fiber), Duration.seconds(seconds))
    if (exit._tag === "Some") return yield* exit.value
    yield* Effect.forkDetach(Fiber.interrupt(fiber))
    return yield* Effect.fail(new Error(`did not end within ${seconds} s`))
  })

const tried = <S, R>(book: LawBook<S, R>, law: Law<R>, subject: S, limitSeconds: number) => {
  const checked = Effect.flatMap(book.open(subject), ({ context }) => Effect.provideContext(law.check, context))
  return Effect.map(Effect.exit(within(Effect.scoped(checked), limitSeconds)), brokenBy)
}

type Named = Pick<Law<never>, "id" | "says" | "why">

const judged = (law: Named, verdict: Judged["verdict"], detail: string | null): Judged => ({
  id: law.id,
  says: law.says,
  why: law.why,
  verdict,
  detail
})

const day = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** By its capabilities; a waiver is then not needed. */
const notApplicable = (law: Named, missing: ReadonlyArray<string>, waiver: Waiver | undefined): Judged =>
  waiver === undefined
    ? judged(law, "not applicable", `needs ${missing.join(", ")}`)
    : judged(law, "waiver-stale", "the law does not apply; the waiver is not needed")

const verdictOf = (law: Named, broken: string | undefined, waiver: Waiver | undefined, today: string): Judged => {
  if (waiver === undefined) return judged(law, broken === undefined ? "held" : "broken", broken ?? null)
  if (broken === undefined) return judged(law, "waiver-stale", "the law is held; the waiver is no longer needed")
  if (waiver.until < today) return judged(law, "waiver-stale", `the waiver ended on ${waiver.until}; ${broken}`)
  return judged(law, "waived", `until ${waiver.until}: ${waiver.reason}; ${broken}`)
}

/** What the adapter declares, when it can be judged at all. */
const examined = <S, R>(book: LawBook<S, R>, subject: S, options: JudgeOptions) =>
  Effect.gen(function* () {
    const opened = yield* book.open(subject)
    const lack = book.lacks?.(subject, opened)
    const problems = [
      ...optionProblems(new Set(book.laws.map(({ id }) => id)), options),
      ...capabilityProblems(book.capabilities, opened.capabilities),
      ...(lack === undefined ? [] : [lack])
    ]
    if (problems.length > 0) return yield* new NotJudged({ problems })
    return opened.capabilities
  }).pipe(Effect.scoped, (opening) => within(opening, options.limitSeconds ?? limitSecondsDefault))

/** Fails when the question makes no sense; a broken law is an answer, not a failure. */
export const judge = <S, R>(
  adapter: string,
  book: LawBook<S, R>,
  subject: S,
  options: JudgeOptions = {}
): Effect.Effect<Report, unknown> =>
  Effect.gen(function* () {
    const capabilities = yield* examined(book, subject, options)
    const today = day(yield* Clock.currentTimeMillis)
    const asked = book.laws.filter(({ id }) => options.only?.includes(id) ?? true)
    const laws = yield* Effect.forEach(asked, (law) => {
      const missing = lacking(law.needs ?? {}, capabilities)
      if (missing.length > 0) return Effect.succeed(notApplicable(law, missing, options.waive?.[law.id]))
      return Effect.map(tried(book, law, subject, options.limitSeconds ?? limitSecondsDefault), (broken) =>
        verdictOf(law, broken, options.waive?.[law.id], today)
      )
    })
    return { adapter, port: book.port, capabilities, laws }
  })

/** A test for each law that is asked for, an unknown one too, so that it fails. `tell` notes what passes without having been held. */
export const testsOf = <S, R>(adapter: string, book: LawBook<S, R>, subject: S, options: JudgeOptions) =>
  (options.only ?? book.laws.map(({ id }) => id)).map((id) => ({
    title: `${id}: ${book.laws.find((law) => law.id === id)?.says ?? ""}`,
    /** What is wrong, or nothing. */
    run: async (tell: (note: string) => unknown): Promise<string> => {
      const { laws } = await Effect.runPromise(judge(adapter, book, subject, { ...options, only: [id] }))
      const [{ verdict, detail }] = laws as [Judged]
      if (verdict === "not applicable" || verdict === "waived") await tell(`${verdict}: ${detail}`)
      return verdict === "broken" || verdict === "waiver-stale" ? `${verdict}: ${detail}` : ""
    }
  }))
