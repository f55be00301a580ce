/**
 * What an effect lets out beside its answer: log lines, spans and the words of its failure.
 */
import { inspect } from "node:util"
import { Effect, Exit, Layer, Logger, References, Tracer } from "effect"
import { Violation } from "./Law.ts"

/** All that a value would print, but for its stack and for the cause that is kept for the server alone. */
const words = (value: unknown): string => {
  if (!(value instanceof Error)) return typeof value === "string" ? value : inspect(value, { depth: 8 })
  const { stack: _, cause: _c, ...fields } = value as Error & Record<string, unknown>
  return `${value.name} ${value.message} ${inspect(fields, { depth: 8 })}`
}

/** Runs it, and gives everything it told anybody. */
const toldBy = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<string>, never, R> =>
  Effect.suspend(() => {
    const told: Array<string> = []
    const logger = Logger.make(({ message, cause, fiber }) => {
      told.push(words(message), words(cause.reasons), words(fiber.getRef(References.CurrentLogAnnotations)))
    })
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        const attribute = span.attribute.bind(span)
        span.attribute = (key, value) => {
          told.push(`${key} ${words(value)}`)
          attribute(key, value)
        }
        const event = span.event.bind(span)
        span.event = (name, at, attributes) => {
          told.push(name, words(attributes))
          event(name, at, attributes)
        }
        told.push(options.name, words(Object.fromEntries(span.attributes)))
        return span
      }
    })
    const listening = Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(References.MinimumLogLevel, "Trace"),
      Layer.succeed(Tracer.Tracer, tracer)
    )
    return effect.pipe(
      Effect.provide(listening),
      Effect.exit,
      Effect.map((exit) => {
        if (Exit.isFailure(exit))
          for (const reason of exit.cause.reasons)
            told.push(words(reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : ""))
        return told
      })
    )
  })

/** None of the secrets is in anything that the effect tells, however it ends. */
export const keepsToItself = <A, E, R>(
  secrets: ReadonlyArray<string>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<void, Violation, R> =>
  Effect.flatMap(toldBy(effect), (told) => {
    const leak = told.find((text) => secrets.some((secret) => text.includes(secret)))
    return leak === undefined
      ? Effect.void
      : Effect.fail(new Violation({ what: "what is told", expected: "no content", actual: leak }))
  })
