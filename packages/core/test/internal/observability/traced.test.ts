import { Effect, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { traced } from "../../../src/internal/observability/traced.ts"

const spanName = traced("Test.call", (prefix: string) =>
  Effect.map(Effect.option(Effect.currentSpan), (span) => `${prefix}${span._tag === "Some" ? span.value.name : "none"}`)
)

describe("traced", () => {
  it("makes no span with the tracer of Effect", () => {
    expect(Effect.runSync(spanName("span: "))).toBe("span: none")
  })

  it("makes a span with the tracer of the program", () => {
    const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
    expect(Effect.runSync(Effect.withTracer(spanName("span: "), tracer))).toBe("span: Test.call")
  })
})
