/**
 * The rules for the options of the services.
 */
import { Dispatcher, EventSender, HandOffs, Health, MailCore, Webhooks } from "@mailkeep/core"
import type { MailCoreOptions } from "@mailkeep/core"
import * as NodeDnsResolver from "@mailkeep/core/node/dns"
import { Cause, Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"

/** The defect of a layer. Its services need none of their adapters, because the options are checked first. */
const defectOf = async (layer: Layer.Layer<never, unknown, never>) => {
  const exit = await Effect.runPromiseExit(Effect.scoped(Layer.build(layer)))
  return Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
}

const wrong: ReadonlyArray<readonly [unknown, string]> = [
  [{ dispatcher: { concurrency: 0 } }, "dispatcher.concurrency must be a whole number from 1 to 10000."],
  [{ dispatcher: { concurrency: 1.5 } }, "dispatcher.concurrency must be a whole number from 1 to 10000."],
  [{ dispatcher: { concurrency: "8" } }, "dispatcher.concurrency must be a whole number from 1 to 10000."],
  [
    { dispatcher: { concurrencyPerProject: -1 } },
    "dispatcher.concurrencyPerProject must be a whole number from 1 to 10000."
  ],
  [{ dispatcher: { leaseMillis: 0 } }, "dispatcher.leaseMillis must be a whole number from 1000 to 3600000."],
  [
    { dispatcher: { sleepMillisMax: Number.NaN } },
    "dispatcher.sleepMillisMax must be a whole number from 10 to 86400000."
  ],
  [
    { dispatcher: { graceMillis: Number.POSITIVE_INFINITY } },
    "dispatcher.graceMillis must be a whole number from 0 to 86400000."
  ],
  [
    { dispatcher: { retention: { eventMillis: 1 } } },
    '"eventMillis" is not an option of dispatcher.retention. The options are messagesMillis, bodiesMillis, attachmentsMillis, eventsMillis.'
  ],
  [{ dispatcher: [] }, "dispatcher must be an object."],
  [
    { retention: { bodiesMillis: 0 } },
    "retention.bodiesMillis must be a whole number from 1 to 3162240000000, or null."
  ],
  [{ handOff: { deadlineMillis: Number.NaN } }, "handOff.deadlineMillis must be a whole number from 1 to 86400000."],
  [
    { handOff: { retry: { workerDeathsMax: 0 } } },
    "handOff.retry.workerDeathsMax must be a whole number from 1 to 1000."
  ],
  [
    { handOff: { bounceDomain: "bounces" } },
    "handOff.bounceDomain must be a domain name, such as bounces.host.example."
  ],
  [{ events: { perWebhook: 0 } }, "events.perWebhook must be a whole number from 1 to 10000."],
  [{ health: { storeMillis: -1 } }, "health.storeMillis must be a whole number from 1 to 86400000."],
  [{ webhooks: { allowLoopback: "no" } }, "webhooks.allowLoopback must be true or false."],
  [{ webhooks: { ports: [0] } }, "webhooks.ports must be a list of ports from 1 to 65535."],
  [
    { domains: { mailHost: { host: 5 } } },
    "domains.mailHost.host must be the name of a mail host, such as mail.acme.example."
  ],
  [{ unsubscribe: { url: "https://acme.example/?a" } }, "unsubscribe.url must be an https URL without a query."],
  [{ masterSecret: "0123456789abcdef0123456789abcdef" }, "masterSecret must be a redacted text."],
  [{ graceMillis: -1 }, "graceMillis must be a whole number from 0 to 86400000."],
  [
    { dispacher: {} },
    '"dispacher" is not an option. The options are dispatcher, retention, handOff, events, webhooks, domains, health, unsubscribe, graceMillis, masterSecret.'
  ],
  [null, "The options must be an object."]
]

describe("MailCore.layerWith", () => {
  it.each(wrong)("refuses %j with a TypeError as a defect", async (options, message) => {
    const defect = await defectOf(MailCore.layerWith(options as MailCoreOptions) as unknown as Layer.Layer<never>)
    expect(defect).toEqual(new TypeError(message))
  })

  it("does not refuse options at their bounds, absent ones and null times of the retention", () => {
    const options: MailCoreOptions = {
      dispatcher: { concurrency: 1, graceMillis: 0, retention: { messagesMillis: null } },
      handOff: { retry: {}, bounceDomain: undefined },
      unsubscribe: { url: "http://localhost:3000/unsubscribe" }
    }
    for (const [name, rule] of Object.entries(MailCore.optionRules)) {
      const value = options[name as keyof MailCoreOptions]
      expect(value === undefined ? undefined : rule(value, name)).toBeUndefined()
    }
  })
})

describe("layerWith of one service", () => {
  const services: ReadonlyArray<readonly [string, Layer.Layer<never, unknown, never>]> = (
    [
      ["Dispatcher", Dispatcher.layerWith({ leaseMillis: 0 })],
      ["EventSender", EventSender.layerWith({ perWebhook: Number.NaN })],
      ["HandOffs", HandOffs.layerWith({ deadlineMillis: 0 })],
      ["Health", Health.layerWith({ storeMillis: 0 })],
      ["Webhooks", Webhooks.layerWith({ ports: [65_536] })]
    ] as const
  ).map(([name, layer]) => [name, layer as unknown as Layer.Layer<never>])

  it.each(services)("refuses an option of %s before it uses an adapter", async (_, layer) => {
    expect(await defectOf(layer)).toBeInstanceOf(TypeError)
  })
})

describe("NodeDnsResolver.layer", () => {
  it.each([
    [{ servers: ["nonsense"] }, "Invalid IP address: nonsense"],
    [{ servers: "127.0.0.1" }, "servers"],
    [{ timeoutMillis: Number.NaN }, "timeout"]
  ])("refuses %j as a defect", async (options, message) => {
    const layer = NodeDnsResolver.layer(options as never) as unknown as Layer.Layer<never>
    expect(String(await defectOf(layer))).toContain(message)
  })

  it("accepts addresses with and without a port", async () => {
    const servers = ["127.0.0.1", "127.0.0.1:5353", "::1", "[::1]:5353"]
    expect(await defectOf(NodeDnsResolver.layer({ servers }) as Layer.Layer<never>)).toBeUndefined()
  })
})
