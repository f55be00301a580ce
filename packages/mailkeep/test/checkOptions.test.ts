/**
 * The form of the options of a mail.
 */
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { Layer } from "effect"
import type { MailOptions, SmtpOptionsInvalid } from "../src/index.ts"
import { lazyMail, memory, openMail, sharedMail, smtp, sqlite, stub } from "../src/index.ts"
import { postgres } from "../src/postgres.ts"
import { openQuiet, quiet, rejection, welcome } from "./testMail.ts"

/** Options as a program without types gives them. */
const untyped = (options: Record<string, unknown>): MailOptions => ({ ...quiet(), ...options }) as MailOptions

const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
  ["store", undefined, 'store must be a store, such as sqlite("mail.db"), or storeFromPromises(…) of your own.'],
  ["store", "mail.db", 'store must be a store, such as sqlite("mail.db"), or storeFromPromises(…) of your own.'],
  ["store", memory, 'store must be a store, such as sqlite("mail.db"), or storeFromPromises(…) of your own.'],
  ["transport", undefined, "transport must be a transport, such as smtp("],
  ["transport", async () => {}, "transport must be a transport, such as smtp("],
  [
    "transport",
    { handOff: async () => {} },
    'transport must be a transport, such as smtp("smtp://relay.example") or stub(), or transportFromPromises(…) of your own.'
  ],
  ["domain", ["acme.example"], '"domain" is not an option of a mail. The options are store, transport, domains, from,'],
  ["domains", "acme.example", 'domains must be a list of domains, such as ["acme.example"].'],
  ["domains", [5], 'domains must be a list of domains, such as ["acme.example"].'],
  [
    "from",
    "Acme, Inc. <hi@acme.example>",
    'from must be a sender, such as Acme <hi@acme.example> or "Acme, Inc." <hi@acme.example>.'
  ],
  ["from", "nobody", 'from must be a sender, such as Acme <hi@acme.example> or "Acme, Inc." <hi@acme.example>.'],
  ["from", "", 'from must be a sender, such as Acme <hi@acme.example> or "Acme, Inc." <hi@acme.example>.'],
  [
    "from",
    { address: "hi@acme.example" },
    'from must be a sender, such as Acme <hi@acme.example> or "Acme, Inc." <hi@acme.example>.'
  ],
  ["projectId", "a b", "projectId must be 1 to 64 letters, digits, hyphens or underscores."],
  ["plan", 5, "plan must be an object or a function."],
  ["background", "no", "background must be true or false."],
  ["masterSecret", 12_345, "masterSecret must be a text of at least 32 characters."],
  ["mailHost", 5, "mailHost must be the name of a mail host"],
  ["mailHost", "not a host", "mailHost must be the name of a mail host"],
  [
    "mailHost",
    { host: "mail.acme.example", label: "bounces" },
    '"label" is not an option of mailHost. The options are host,'
  ],
  [
    "mailHost",
    { host: "mail.acme.example", returnPathLabel: "a.b." },
    "mailHost.returnPathLabel must be the label of a domain"
  ],
  ["nameServers", "127.0.0.1", "nameServers must be a list of addresses"],
  ["nameServers", ["nonsense"], "nameServers must be a list of addresses"],
  ["nameServers", [], "nameServers must be a list of addresses"],
  ["attachmentFolder", true, "attachmentFolder must be the path of a folder."],
  ["outbox", { take: () => [] }, "outbox must be an object with the functions take, remove and refuse."],
  ["plan", Promise.resolve({ dailySends: 1 }), "plan must be an object or a function."],
  ["dispatcher", [], "dispatcher must be an object."],
  ["dispatcher", new Map([["concurrency", 1]]), "dispatcher must be an object."],
  ["retention", Promise.resolve({ messagesMillis: 1 }), "retention must be an object."],
  ["dispatcher", { concurrency: Number.NaN }, "dispatcher.concurrency must be a whole number from 1 to 10000."],
  ["dispatcher", { concurency: 1 }, '"concurency" is not an option of dispatcher. The options are concurrency,'],
  ["dispatcher", { retention: { messagesMillis: -1 } }, "dispatcher.retention.messagesMillis must be a whole number"],
  ["retention", { messagesMillis: -1 }, "retention.messagesMillis must be a whole number from 1 to "],
  ["handOff", { retry: { lifetimeMillis: "1h" } }, "handOff.retry.lifetimeMillis must be a whole number from 0 to"],
  ["events", { concurrency: 1 }, '"concurrency" is not an option of events. The options are perWebhook,'],
  ["health", { lateMillis: 0 }, "health.lateMillis must be a whole number from 1 to"],
  ["webhooks", { ports: ["443"] }, "webhooks.ports must be a list of ports from 1 to 65535."],
  ["webhooks", { deniedAddresses: ["all"] }, "webhooks.deniedAddresses must be a list of IP addresses or ranges"],
  ["webhooks", { allowLoopbak: true }, '"allowLoopbak" is not an option of webhooks.'],
  ["unsubscribe", { url: "http://acme.example" }, "unsubscribe.url must be an https URL without a query."],
  ["unsubscribe", { page: "https://acme.example" }, '"page" is not an option of unsubscribe. The options are url.'],
  ["graceMillis", -1, "graceMillis must be a whole number from 0 to 86400000."],
  ["graceMillis", Number.NaN, "graceMillis must be a whole number from 0 to 86400000."],
  ["adapters", {}, "adapters must be an adapter, such as sinkFromPromises(…) or a layer of Effect, or a list of"],
  ["adapters", [{ take: () => null }], "adapters must be an adapter, such as sinkFromPromises(…) or a layer of"],
  ["onLog", console, "onLog must be a function."]
]

describe("lazyMail", () => {
  it.each(wrong)("throws a TypeError at once when %s is %j", (name, value, message) => {
    const make = () => lazyMail(untyped({ [name]: value }))
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it("throws a TypeError without options", () => {
    expect(() => lazyMail(undefined as never)).toThrow("The options of a mail must be an object.")
    expect(() => lazyMail(null as never)).toThrow(TypeError)
  })

  it("does not show the value of a secret", () => {
    expect(() => lazyMail(untyped({ masterSecret: ["hunter2"] }))).toThrow(/^(?!.*hunter2)/)
  })
})

describe("openMail", () => {
  it("rejects with a TypeError for a wrong option", async () => {
    const reason = await rejection(openMail(untyped({ store: undefined })))
    expect(reason).toBeInstanceOf(TypeError)
    expect(String(reason)).toContain("store must be a store")
  })

  it("accepts every option in its form", async () => {
    const onLog = vi.fn()
    const mail = await openQuiet({
      from: "Acme <hi@acme.example>",
      projectId: "prj_acme",
      plan: {},
      masterSecret: "0123456789abcdef0123456789abcdef",
      webhooks: {},
      unsubscribe: { url: "https://acme.example/unsubscribe" },
      mailHost: "mail.acme.example",
      nameServers: ["127.0.0.1:5353"],
      attachmentFolder: import.meta.dirname,
      retention: {},
      outbox: { take: () => [], remove: () => {}, refuse: () => {} },
      dispatcher: {},
      handOff: {},
      events: {},
      health: {},
      graceMillis: 0,
      adapters: [Layer.empty],
      onLog
    })
    expect((await mail.send({ to: "ada@example.org", subject: "Welcome", text: "Hello." })).totalQueued).toBe(1)
  })

  it("accepts options that are undefined, as from environment variables that are not set", async () => {
    const mail = await openQuiet({ from: undefined, masterSecret: undefined, attachmentFolder: undefined })
    expect((await mail.health()).store).toBe("ok")
  })

  it("uses the default for an option of a group that is undefined", async () => {
    const transport = stub()
    const mail = await openQuiet({
      transport,
      dispatcher: { concurrency: undefined, leaseMillis: undefined, sleepMillisMax: undefined } as never,
      handOff: { deadlineMillis: undefined, retry: { lifetimeMillis: undefined } } as never,
      events: { perWebhook: undefined } as never
    })
    await mail.send({ from: "hi@acme.example", to: "ada@example.org", subject: "Welcome", text: "Hello." })
    await mail.tick()
    expect(transport.captured()).toHaveLength(1)
  })
})

describe("sharedMail", () => {
  it("throws a TypeError for a wrong option, and keeps no mail of that name", async () => {
    expect(() => sharedMail("wrong", untyped({ from: "nobody" }))).toThrow("from must be a sender")
    const mail = sharedMail("wrong", quiet())
    onTestFinished(mail.close)
    await mail.open()
  })
})

describe("smtp", () => {
  it.each([
    [undefined, "the URL is undefined. Is the environment variable set?"],
    [null, "give the URL of the relay, or options with its host."],
    [{ hostname: "relay.example" }, "give the URL of the relay, or options with its host."]
  ])("lets the opening reject with SmtpOptionsInvalid and the reason when the relay is %j", async (relay, sentence) => {
    const transport = smtp(relay as string | undefined)
    expect(await rejection(openMail(quiet({ transport })))).toMatchObject({
      _tag: "SmtpOptionsInvalid",
      reason: sentence,
      isRetryable: false
    } satisfies Partial<SmtpOptionsInvalid>)
  })
})

describe("an option of a group that is undefined", () => {
  it("counts as absent, also for the compiler", async () => {
    const [count, text, flag]: [number?, string?, boolean?] = []
    const mail = await openQuiet({
      plan: { dailySends: count },
      dispatcher: { concurrency: count },
      retention: { eventsMillis: count },
      handOff: { deadlineMillis: count, bounceDomain: text },
      events: { perWebhook: count },
      webhooks: { allowLoopback: flag },
      health: { lateMillis: count },
      unsubscribe: { url: text }
    })
    expect((await mail.send(welcome)).totalQueued).toBe(1)
    const perProject = await openQuiet({ plan: () => ({ dailySends: count }) })
    expect((await perProject.send(welcome)).totalQueued).toBe(1)
    const options = {
      port: count,
      clientName: text,
      pool: { connectionsMax: count },
      timeouts: { dataBlockMillis: count }
    }
    const relay = await openQuiet({
      transport: smtp("smtp://127.0.0.1:1", { ...options, certificate: { servername: text } })
    })
    expect((await relay.health()).status).toBe("ok")
    expect(smtp({ host: "relay.example", ...options })).toHaveProperty("layer")
    expect(postgres({ connectionString: "postgres://db.example/shop", schema: text, migrate: flag })).toHaveProperty(
      "layer"
    )
    expect(sqlite({ filename: "mail.db", connection: undefined })).toHaveProperty("layer")
  })
})
