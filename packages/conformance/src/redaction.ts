/**
 * Collects what an effect writes besides its result: log lines, also those of the console, spans and the text of its failure.
 */
import { inspect } from "node:util"
import { Effect, Exit, Layer, Logger, References, Tracer } from "effect"
import { Violation } from "./Law.ts"

/** The text of a value. Leaves out an error's stack, and its cause, which only the server logs. */
const textOf = (value: unknown): string => {
  if (!(value instanceof Error)) return typeof value === "string" ? value : inspect(value, { depth: 8 })
  const { stack: _, cause: _c, ...fields } = value as Error & Record<string, unknown>
  return `${value.name} ${value.message} ${inspect(fields, { depth: 8 })}`
}

const consoleMethods = ["debug", "error", "info", "log", "trace", "warn"] as const

/** Also gives `output` what the effect writes to the console: the log of an adapter without Effect. */
const withConsoleOutput = <A, E, R>(effect: Effect.Effect<A, E, R>, output: Array<string>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const original = Object.fromEntries(consoleMethods.map((name) => [name, console[name]]))
      for (const name of consoleMethods)
        console[name] = (...values: ReadonlyArray<unknown>) => {
          output.push(...values.map(textOf))
          original[name]!(...values)
        }
      return original
    }),
    () => effect,
    (original) => Effect.sync(() => void Object.assign(console, original))
  )

/** Runs the effect and returns everything that it writes to logs, spans and failures. */
const outputOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<string>, never, R> =>
  Effect.suspend(() => {
    const output: Array<string> = []
    const logger = Logger.make(({ message, cause, fiber }) => {
      output.push(textOf(message), textOf(cause.reasons), textOf(fiber.getRef(References.CurrentLogAnnotations)))
    })
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        const attribute = span.attribute.bind(span)
        span.attribute = (key, value) => {
          output.push(`${key} ${textOf(value)}`)
          attribute(key, value)
        }
        const event = span.event.bind(span)
        span.event = (name, at, attributes) => {
          output.push(name, textOf(attributes))
          event(name, at, attributes)
        }
        output.push(options.name, textOf(Object.fromEntries(span.attributes)))
        return span
      }
    })
    const observers = Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(References.MinimumLogLevel, "Trace"),
      Layer.succeed(Tracer.Tracer, tracer)
    )
    return withConsoleOutput(effect, output).pipe(
      Effect.provide(observers),
      Effect.exit,
      Effect.map((exit) => {
        if (Exit.isFailure(exit))
          for (const reason of exit.cause.reasons)
            output.push(textOf(reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : ""))
        return output
      })
    )
  })

/** Fails if a secret occurs in a log line, a span or the failure of the effect. */
export const leaksNone = <A, E, R>(
  secrets: ReadonlyArray<string>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<void, Violation, R> =>
  Effect.flatMap(outputOf(effect), (output) => {
    const leak = output.find((text) => secrets.some((secret) => text.includes(secret)))
    return leak === undefined
      ? Effect.void
      : Effect.fail(
          new Violation({ what: "the text of logs, spans and failures", expected: "no content", actual: leak })
        )
  })
