/**
 * A warning is logged once when an optional adapter or the mail host is missing.
 */
import type { TestMail, TestMailOptions } from "@mailkeep/test-support"
import { project, send, sendEvents, stores, tick, withTestMail } from "@mailkeep/test-support"
import type { Scope } from "effect"
import { Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { Domains, EventSender, Webhooks } from "../../src/index.ts"
import type { DnsResolverShape } from "../../src/port/DnsResolver.ts"
import { DnsFailure } from "../../src/port/DnsResolver.ts"
import type { EventSinkShape } from "../../src/port/EventSink.ts"

const sink: EventSinkShape = {
  capabilities: { carriesHeaders: true },
  send: () => Effect.succeed({ _tag: "Accepted", status: 204 })
}
const unknownName = Effect.fail(new DnsFailure({ definite: true, code: "nxdomain" }))
const dns: DnsResolverShape = { texts: () => unknownName, exchanges: () => unknownName }
const domains = { mailHost: { host: "mx.mailkeep.example", returnPathLabel: "bounces" } }

describe.each(stores)("a missing adapter, over $name", (store) => {
  /** The warnings that the effect logs. */
  const warningsOf = async (
    options: TestMailOptions,
    test: Effect.Effect<unknown, unknown, TestMail | Scope.Scope>
  ) => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message, logLevel }) => {
      if (logLevel === "Warn") lines.push([message].flat().join(" "))
    })
    await withTestMail(store, options)(Effect.provide(test, Logger.layer([logger])))
    return lines
  }
  const deliver = (key: string) => Effect.andThen(Effect.andThen(send(key), tick), sendEvents)
  const createWebhook = Effect.flatMap(Webhooks, (webhooks) =>
    webhooks.create(project, { url: "https://hooks.example.net/a" })
  )
  const add = (name: string, verified: boolean) =>
    Effect.flatMap(Domains, (service) => service.create(project, { domain: name, verified }))

  it("warns once when event deliveries to a webhook are pending and there is no event sink", async () => {
    const test = Effect.andThen(createWebhook, Effect.andThen(deliver("a"), deliver("b")))
    expect(await warningsOf({}, test)).toEqual([expect.stringContaining("no `EventSink`")])
  })

  it("logs no warning about an event sink when there is one, or when no webhook wants the events", async () => {
    expect(await warningsOf({ sink }, Effect.andThen(createWebhook, deliver("a")))).toEqual([])
    const withHandler = Effect.flatMap(EventSender, (eventSender) => eventSender.subscribe("audit", () => undefined))
    expect(await warningsOf({}, Effect.andThen(withHandler, deliver("a")))).toEqual([])
  })

  it("warns once when domains are checked and there is no DNS resolver", async () => {
    const test = Effect.gen(function* () {
      const service = yield* Domains
      const { id } = yield* add("shop.example", false)
      yield* service.verify(project, id)
      yield* service.verify(project, id)
    })
    expect(await warningsOf({ domains }, test)).toEqual([expect.stringContaining("no `DnsResolver`")])
    expect(await warningsOf({ domains, dns }, test)).toEqual([])
  })

  it("warns once when DNS records contain the default mail host", async () => {
    const two = Effect.andThen(add("a.example", false), add("b.example", false))
    expect(await warningsOf({}, two)).toEqual([expect.stringContaining("default mail host localhost")])
    expect(await warningsOf({ domains }, two)).toEqual([])
    expect(await warningsOf({}, add("c.example", true))).toEqual([])
  })
})
