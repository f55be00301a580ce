/**
 * A law is one promise of a port, as data: an id, one sentence, and a check of an adapter. It depends on no test runner.
 */
import { inspect } from "node:util"
import type { Context, Scope } from "effect"
import { Data, Effect } from "effect"

/** The capabilities that an adapter declares. The adapter publishes the same record. */
export type Capabilities = Readonly<Record<string, unknown>>

/** One promise of a port, and how to check an adapter for it. */
export interface Law<R> {
  /** `area/claim`. */
  readonly id: `${string}/${string}`
  /** One sentence that states the promise. */
  readonly statement: string
  /** The page that gives the reason for the promise, relative to `docs/`. */
  readonly why: string
  /** The capabilities that the law requires, each with its required value. If one differs, the law does not apply. */
  readonly needs?: Capabilities
  /** Succeeds when the adapter holds the law. A failure or a defect says how the adapter breaks it. */
  readonly check: Effect.Effect<void, unknown, R | Scope.Scope>
}

/** An adapter that was opened for the check of one law. */
export interface Opened<R> {
  readonly capabilities: Capabilities
  readonly context: Context.Context<R>
  /** Describes what a law did to the adapter until it was broken, for the report. */
  readonly explain?: Effect.Effect<string>
}

/** The laws of one port, and how to open an adapter of that port. `S` is what the author of the adapter supplies. */
export interface LawBook<S, R> {
  /** The port whose promises the laws are. */
  readonly port: "store" | "transport" | "event sink" | "rate limiter" | "DNS resolver"
  /** All laws of the port, each with an id of its own. */
  readonly laws: ReadonlyArray<Law<R>>
  /** The names of the capabilities that each adapter declares. */
  readonly capabilities: ReadonlyArray<string>
  /** The names of the capabilities that an adapter may leave out. */
  readonly optionalCapabilities?: ReadonlyArray<string>
  /** Opens an empty adapter. Nothing is shared between two calls. */
  readonly open: (subject: S) => Effect.Effect<Opened<R>, unknown, Scope.Scope>
  /** Says what the subject must supply for the capabilities that it declares. Returns `undefined` when nothing is missing. */
  readonly lacks?: (subject: S, opened: Opened<R>) => string | undefined
}

/** The statement of a law, or an object that also has what the law requires, or a reason of its own. */
export type Stated<C = Capabilities> =
  | string
  | { readonly statement: string; readonly why?: string; readonly needs?: Readonly<Partial<C>> }

/** The body of a law: a generator that yields effects. */
export type LawBody<R> = Effect.fn.Return<void, unknown, R | Scope.Scope>

/** Defines a law. `why` applies unless the statement has a reason of its own. */
export const makeLaw = <R>(id: Law<R>["id"], why: string, stated: Stated, body: () => LawBody<R>): Law<R> => ({
  id,
  why,
  ...(typeof stated === "string" ? { statement: stated } : stated),
  check: Effect.gen(body)
})

/** The adapter gave another answer than the law requires. */
export class Violation extends Data.TaggedError("Violation")<{
  readonly what: string
  readonly expected: unknown
  readonly actual: unknown
  /** Where two records differ first. */
  readonly difference?: { readonly at: string; readonly expected: unknown; readonly actual: unknown }
}> {
  override get message() {
    const { what, difference } = this
    const whole = `expected ${shown(this.expected)}, got ${shown(this.actual)}`
    if (difference === undefined) return `${what}: ${whole}`
    const { at, expected, actual } = difference
    return `${what}, at ${at}: expected ${shown(expected)}, got ${shown(actual)}. The whole: ${whole}`
  }
}

/** What is shown for a field that one of two records does not have. */
export const noSuchField = Symbol("no such field")

const shownCharactersMax = 2000

const shown = (value: unknown): string => {
  if (value === noSuchField) return "no such field"
  const text = inspect(value, { depth: 8, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 100 })
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text
}
