/**
 * The export of spans: only when the environment asks for it, and without personal data.
 */
import { Data, Effect, Exit, ManagedRuntime, Tracer } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { tracing, withoutContent, withoutPersonalData } from "../src/tracing.ts"

class PlanLimitReached extends Data.TaggedError("PlanLimitReached")<{ readonly message: string }> {}

/** What one exported span could contain beside its name and its times. */
const recorded = (exit: Exit.Exit<unknown, unknown>) => {
  const inner: Array<Tracer.NativeSpan> = []
  const tracer = withoutPersonalData(
    Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        inner.push(span)
        return span
      }
    })
  )
  const work = Effect.gen(function* () {
    yield* Effect.annotateCurrentSpan({ "http.route": "/api/v1/emails/send", recipient: "canary@example.org" })
    yield* Effect.logInfo("canary")
    return yield* exit
  }).pipe(Effect.withSpan("outer", { attributes: { "url.full": "https://a.example/unsubscribe/canary" } }))
  Effect.runSync(Effect.exit(Effect.provideService(work, Tracer.Tracer, tracer)))
  return inner[0]!
}

describe("withoutPersonalData", () => {
  it("keeps the name and the allowed attributes, and drops all others and the log lines", () => {
    const span = recorded(Exit.succeed("canary"))
    expect(span.name).toBe("outer")
    expect([...span.attributes]).toEqual([["http.route", "/api/v1/emails/send"]])
    expect(span.events).toEqual([])
    expect(span.status).toMatchObject({ _tag: "Ended", exit: Exit.void })
  })

  it.each<[name: string, exit: Exit.Exit<unknown, unknown>, shown: string]>([
    ["a failure", Exit.fail(new PlanLimitReached({ message: "canary" })), "PlanLimitReached"],
    ["a bug", Exit.die(new TypeError("canary is not a function")), "TypeError"],
    ["an object with a text as its tag", Exit.fail({ _tag: "canary: 7" }), "Object"],
    ["a thrown text", Exit.die("canary"), "string"]
  ])("shows the class of %s, and neither its message nor its stack", (_, exit, shown) => {
    const { status } = recorded(exit)
    const [reason] = status._tag === "Ended" && Exit.isFailure(status.exit) ? status.exit.cause.reasons : []
    const { name, message, stack } = (reason?._tag === "Fail" ? reason.error : {}) as Error
    expect([name, message, stack]).toEqual([shown, shown, shown])
  })

  it("keeps that a span was interrupted", () => {
    expect(Exit.hasInterrupts(withoutContent(Exit.interrupt()))).toBe(true)
  })
})

describe("tracing", () => {
  afterEach(() => vi.unstubAllEnvs())

  const usesNativeTracer = Effect.map(Tracer.Tracer, (tracer) => tracer === Tracer.nativeTracer)

  it("changes nothing without an endpoint in the environment", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    expect(await Effect.runPromise(Effect.provide(usesNativeTracer, tracing("1.2.3")))).toBe(true)
  })

  it("changes nothing but a warning when a setting is wrong", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "no URL")
    expect(await Effect.runPromise(Effect.provide(usesNativeTracer, tracing("1.2.3")))).toBe(true)
  })

  it("sends the spans of the program to the endpoint when it ends", async () => {
    const received: Array<readonly [path: string | undefined, body: string]> = []
    const collector = createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        received.push([request.url, Buffer.concat(parts).toString("latin1")])
        response.end()
      })
    })
    await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${(collector.address() as AddressInfo).port}`)
    const runtime = ManagedRuntime.make(tracing("1.2.3"))
    await runtime.runPromise(
      Effect.fail(new PlanLimitReached({ message: "canary" })).pipe(
        Effect.withSpan("Sending.send", { attributes: { recipient: "canary" } }),
        Effect.ignore
      )
    )
    await runtime.dispose()
    expect(received.map(([path]) => path)).toEqual(["/v1/traces"])
    const [[, body]] = received as [readonly [string, string]]
    for (const text of ["Sending.send", "PlanLimitReached", "mailkeep", "1.2.3"]) expect(body).toContain(text)
    expect(body).not.toContain("canary")
    await new Promise((resolve) => collector.close(resolve))
  })
})
