/**
 * The program of a child process: runs the laws against one mutant after another, and reports the first law that each breaks.
 */
import { inspect } from "node:util"
import type { StoreSubject } from "@mailkeep/conformance"
import { storeLaws } from "@mailkeep/conformance"
import { Effect, Exit, Option } from "effect"
import { lawSecondsMax } from "./lawTimes.ts"

export interface Request {
  /** The number of the mutant, or `none` for the store without a change. */
  readonly mutant: number | "none"
  readonly entry: string
  readonly laws: ReadonlyArray<string>
}

/** Says which law begins, so that the parent can end a process that hangs. */
export interface Begun {
  readonly law: string
}

export interface Reply {
  readonly mutant: number | "none"
  readonly brokenLaw: string | null
  readonly detail: string
  readonly millis: number
}

/** The same random scripts for every mutant. */
const scripts = { runs: 100, seed: 1 }

const laws = new Map(storeLaws.laws.map((law) => [law.id as string, law]))

const subjectOf = async (entry: string, mutant: Request["mutant"]): Promise<StoreSubject> => {
  const module = (await import(`${entry}?mutant=${mutant}`)) as {
    readonly place?: StoreSubject["place"]
    readonly MemoryMailStore?: { readonly layer: StoreSubject["place"] }
  }
  return { place: module.place ?? module.MemoryMailStore!.layer, ...scripts }
}

const reasonOf = (exit: Exit.Exit<unknown, unknown>): string | null => {
  if (Exit.isSuccess(exit)) return null
  const [reason] = exit.cause.reasons
  const thrown = reason?._tag === "Fail" ? reason.error : reason?._tag === "Die" ? reason.defect : "interrupted"
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : inspect(thrown)
}

/** Returns how the law is broken, or `null`. */
const howBroken = async (id: string, subject: StoreSubject): Promise<string | null> => {
  const { check, needs = {} } = laws.get(id)!
  const checked = Effect.flatMap(storeLaws.open(subject), (opened) => {
    const { capabilities, context } = opened
    const missing = storeLaws.capabilities.filter((name) => typeof capabilities[name] !== "boolean")
    const problem = missing.length > 0 ? `does not declare ${missing.join(", ")}` : storeLaws.lacks?.(subject, opened)
    if (problem !== undefined) return Effect.fail(new Error(problem))
    const applies = Object.entries(needs).every(([name, value]) => capabilities[name] === value)
    return applies ? Effect.provideContext(check, context) : Effect.void
  }).pipe(Effect.scoped, Effect.timeoutOption(`${lawSecondsMax(id)} seconds`))
  const exit = await Effect.runPromiseExit(checked)
  if (Exit.isSuccess(exit) && Option.isNone(exit.value)) return `did not end within ${lawSecondsMax(id)} s`
  return reasonOf(exit)
}

const run = async ({ mutant, entry, laws: ids }: Request): Promise<Reply> => {
  const started = performance.now()
  const reply = (brokenLaw: string | null, detail: string): Reply => ({
    mutant,
    brokenLaw,
    detail,
    millis: Math.round(performance.now() - started)
  })
  process.env["MAILKEEP_MUTANT"] = String(mutant)
  let subject: StoreSubject
  try {
    subject = await subjectOf(entry, mutant)
  } catch (cause) {
    return reply("does not load", String(cause))
  }
  for (const id of ids) {
    process.send!({ law: id } satisfies Begun)
    const detail = await howBroken(id, subject)
    if (detail !== null) return reply(id, detail)
  }
  return reply(null, "")
}

process.on("message", (request: Request) => {
  void run(request).then((reply) => process.send!(reply))
})
process.send!("ready")
