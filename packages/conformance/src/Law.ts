/**
 * A law: one promise of a port as data, with the check that holds an adapter to it. No test runner in it.
 */
import { inspect } from "node:util"
import type { Context, Effect, Scope } from "effect"
import { Data } from "effect"

/** What an adapter says it can do; its own record, published with it. */
export type Capabilities = Readonly<Record<string, unknown>>

export interface Law<R> {
  /** `area/claim`. */
  readonly id: `${string}/${string}`
  /** One sentence. */
  readonly says: string
  /** Where the promise comes from: a page below `docs/`. */
  readonly why: string
  /** Capabilities without which the law does not apply, each with the value that it must have. */
  readonly needs?: Capabilities
  /** Succeeds when the law is held; a failure or a defect is the way in which it is broken. */
  readonly check: Effect.Effect<void, unknown, R | Scope.Scope>
}

/** An adapter under a law, built for this one law. */
export interface Opened<R> {
  readonly capabilities: Capabilities
  readonly context: Context.Context<R>
}

/** The laws of one port, and how an adapter of it is put under them. `S` is what the author gives. */
export interface LawBook<S, R> {
  readonly port: "store" | "transport" | "event sink"
  readonly laws: ReadonlyArray<Law<R>>
  /** Every capability that the port knows. */
  readonly capabilities: ReadonlyArray<string>
  /** Isolated and empty each time. */
  readonly open: (subject: S) => Effect.Effect<Opened<R>, unknown, Scope.Scope>
  /** What the subject lacks to be judged as what it declares, or nothing. */
  readonly lacks?: (subject: S, opened: Opened<R>) => string | undefined
}

/** The adapter answered otherwise than the law says. */
export class Violation extends Data.TaggedError("Violation")<{
  readonly what: string
  readonly expected: unknown
  readonly actual: unknown
}> {
  override get message() {
    return `${this.what}: expected ${shown(this.expected)}, got ${shown(this.actual)}`
  }
}

const shownCharactersMax = 2000

const shown = (value: unknown): string => {
  const text = inspect(value, { depth: 8, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 100 })
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text
}
