/**
 * The server for operators over real HTTP: `/health` and `/metrics`.
 */
import { Health } from "@mailkeep/core"
import { metricTable } from "@mailkeep/core/binding"
import { openTestMail, send, stores, tick } from "@mailkeep/test-support"
import type { HealthReport } from "@mailkeep/core"
import { Effect, Layer, ManagedRuntime, Metric } from "effect"
import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { afterEach, describe, expect, it } from "vitest"
import { metricsText } from "../src/index.ts"
import { layerOperations, OperationsServer } from "../src/node.ts"

const idle: HealthReport = {
  status: "ok",
  reasons: [],
  dispatcherRunning: true,
  store: "ok",
  storeFault: null,
  scheduled: 0,
  queued: 2,
  sending: 0,
  oldestDueAgeMillis: 1500,
  stuck: 0,
  eventDeliveriesPending: 3,
  circuit: "throttled",
  pausedUntil: Date.UTC(2026, 10, 22),
  lastFault: { at: Date.UTC(2026, 10, 21), kind: "busy", wrongSetting: null, smtpCode: 421, enhancedCode: "4.3.2" },
  inFlight: 1
}

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** Serves the health that `check` gives. */
const serve = async (check: Effect.Effect<HealthReport>) => {
  const server = ManagedRuntime.make(
    layerOperations({ port: 0 }).pipe(
      Layer.provide(Layer.succeed(Health, { check })),
      Layer.provide(Layer.succeed(Metric.MetricRegistry, new Map()))
    )
  )
  open.push(() => server.dispose())
  return (await server.runPromise(OperationsServer)).url
}

describe("GET /health", () => {
  it.each([
    ["ok", 200],
    ["degraded", 200],
    ["failing", 503]
  ] as const)("answers the health %s with status %i", async (status, expected) => {
    const url = await serve(Effect.succeed({ ...idle, status }))
    const response = await fetch(`${url}/health`)
    expect(response.status).toBe(expected)
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(await response.json()).toEqual({
      status,
      reasons: [],
      dispatcher_running: true,
      store: "ok",
      store_fault: null,
      scheduled: 0,
      queued: 2,
      sending: 0,
      oldest_due_age_seconds: 1.5,
      stuck: 0,
      event_deliveries_pending: 3,
      in_flight: 1,
      circuit: "throttled",
      paused_until: "2026-11-22T00:00:00.000Z",
      last_fault: {
        at: "2026-11-21T00:00:00.000Z",
        kind: "busy",
        wrong_setting: null,
        smtp_code: 421,
        enhanced_code: "4.3.2"
      }
    })
  })

  it("checks at most once a second, however many requests arrive", async () => {
    let checks = 0
    const url = await serve(Effect.sync(() => (checks++, idle)))
    const responses = await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/health`)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(checks).toBeLessThanOrEqual(3)
  })
})

describe("the operations server", () => {
  it.each([
    ["GET", "/", 404],
    ["GET", "/api/v1/emails/logs", 404],
    ["GET", "/health/", 404],
    ["GET", "/__proto__", 404],
    ["POST", "/health", 405],
    ["DELETE", "/metrics", 405],
    ["HEAD", "/health", 200],
    ["GET", "/metrics?format=text", 200]
  ])("answers %s %s with %i", async (method, path, status) => {
    const url = await serve(Effect.succeed(idle))
    const response = await fetch(`${url}${path}`, { method })
    expect(response.status).toBe(status)
    expect(response.headers.get("allow")).toBe(status === 405 ? "GET, HEAD" : null)
  })

  it("listens on the loopback address alone", async () => {
    const { port } = new URL(await serve(Effect.succeed(idle)))
    const others = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).flatMap(({ address, family, internal }) => (family === "IPv4" && !internal ? [address] : []))
    )
    const refusedBy = (host: string) =>
      new Promise((resolve) => {
        const socket = connect(Number(port), host, () => resolve(false))
        socket.on("error", () => resolve(true)).on("close", () => socket.destroy())
      })
    expect(await refusedBy("127.0.0.1")).toBe(false)
    for (const host of others) expect(await refusedBy(host)).toBe(true)
  })

  it("ends at once, although a client keeps its connection", async () => {
    const url = await serve(Effect.succeed(idle))
    await (await fetch(`${url}/health`)).text()
    const started = performance.now()
    await open.pop()!()
    expect(performance.now() - started).toBeLessThan(60_000)
    await expect(fetch(`${url}/health`)).rejects.toThrow(TypeError)
  })
})

describe("GET /metrics", () => {
  it("shows every metric of the table in the text format of Prometheus, and no other", async () => {
    const mail = await openTestMail(stores[0])
    open.push(() => mail.dispose())
    const foreign = Metric.counter("product_orders", { attributes: { customer: "ada@example.org" } })
    await mail.runPromise(Effect.andThen(Effect.andThen(send("k"), tick), Metric.update(foreign, 1)))
    const server = ManagedRuntime.make(
      layerOperations({ port: 0 }).pipe(Layer.provide(Layer.succeedContext(await mail.context())))
    )
    open.push(() => server.dispose())
    const { url } = await server.runPromise(OperationsServer)
    const response = await fetch(`${url}/metrics`)
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const lines = (await response.text()).split("\n")
    expect(lines.at(-1)).toBe("")
    const types = lines.flatMap((line) => {
      const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, type]]
    })
    expect(Object.fromEntries(types)).toEqual(
      Object.fromEntries(Object.entries(metricTable).map(([name, { kind }]) => [name, kind]))
    )
    for (const line of lines.slice(0, -1))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) mailkeep_\w+ .+|mailkeep_\w+(?:\{(?:\w+="[\w.+]*",?)+\})? [\d.e+-]+)$/)
    expect(lines).toContain('mailkeep_backlog{status="queued"} 0')
    expect(lines).toContain("mailkeep_health_status 0")
    expect(lines.join()).not.toContain("ada@")
  })

  it("omits what is not known when the store does not answer", async () => {
    const registry: Metric.MetricRegistry = new Map()
    const gauge = Metric.gauge("mailkeep_stuck_deliveries")
    const text = await Effect.runPromise(
      metricsText.pipe(
        Effect.provideService(Health, { check: Effect.as(Metric.update(gauge, Number.NaN), idle) }),
        Effect.provideService(Metric.MetricRegistry, registry)
      )
    )
    expect(registry.size).toBe(1)
    expect(text).toBe("")
  })
})
