/**
 * Spans by OpenTelemetry, if the environment asks for them: `OTEL_EXPORTER_OTLP_ENDPOINT`, or the same variable for traces alone. Without them no
 * code of this is loaded. Source: decision 0046.
 */
import { errorNameOf } from "@mailkeep/core/binding"
import { ConfigProvider, Effect, Exit, Layer, Tracer } from "effect"

/** The attributes that may leave the process. Any other could contain an address, a URL with a token or a value of a customer. */
const allowedAttributes: ReadonlySet<string> = new Set([
  "http.request.method",
  "http.route",
  "http.response.status_code"
])

/** The failure of a span: the class of what was thrown, without its message and its stack. */
class SpanFailure extends Error {
  constructor(thrown: string) {
    super(thrown)
    this.name = thrown
    this.stack = thrown
  }
}

/** The same end without the value and without the message of a failure. */
export const withoutContent = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, SpanFailure> => {
  if (Exit.isSuccess(exit)) return Exit.void
  const thrown = exit.cause.reasons.find((reason) => reason._tag !== "Interrupt")
  if (thrown === undefined) return Exit.interrupt()
  return Exit.fail(new SpanFailure(errorNameOf(thrown._tag === "Fail" ? thrown.error : thrown.defect)))
}

/** A tracer whose spans have only their names, their times, the allowed attributes and the class of their failure. */
export const withoutPersonalData = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options)
      const attribute = span.attribute.bind(span)
      const end = span.end.bind(span)
      return Object.assign(span, {
        attribute: (key: string, value: unknown) => {
          if (allowedAttributes.has(key)) attribute(key, value)
        },
        // The log lines of a span are events of it.
        event: () => {},
        addLinks: () => {},
        end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => end(endTime, withoutContent(exit))
      })
    }
  })

const endpointVariables = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]

/** Loads the exporter. It takes its other settings from the variables `OTEL_…` too, such as `OTEL_SERVICE_NAME`. */
const exporter = (serviceVersion: string) =>
  Effect.promise(async () => {
    const [OtlpTracer, OtlpSerialization, FetchHttpClient] = await Promise.all([
      import("effect/observability/OtlpTracer"),
      import("effect/observability/OtlpSerialization"),
      import("effect/http/FetchHttpClient")
    ])
    const serviceName = process.env["OTEL_SERVICE_NAME"] ?? "mailkeep"
    // The exporter of OpenTelemetry is `otlp` unless the environment says otherwise.
    const env = { OTEL_TRACES_EXPORTER: "otlp", ...process.env } as Record<string, string>
    const exporting = OtlpTracer.layerFromConfig({ resource: { serviceName, serviceVersion } }).pipe(
      Layer.provide(Layer.mergeAll(OtlpSerialization.layerProtobuf, FetchHttpClient.layer)),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )
    return Layer.effect(Tracer.Tracer, Effect.map(Tracer.Tracer, withoutPersonalData)).pipe(Layer.provide(exporting))
  })

/** A wrong setting of the exporter must not stop the mail. */
const unconfigured = Layer.effectDiscard(
  Effect.logWarning("No spans are exported, because a variable OTEL_… has a wrong value.")
)

/** Exports the spans of the command, if the environment names an endpoint. Exports the remaining spans at the end of the process. */
export const tracing = (serviceVersion: string): Layer.Layer<never> =>
  Layer.suspend(() =>
    endpointVariables.some((name) => (process.env[name] ?? "") !== "")
      ? Layer.catchCause(Layer.unwrap(exporter(serviceVersion)), () => unconfigured)
      : Layer.empty
  )
