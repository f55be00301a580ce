/**
 * Opening and closing the mail of a product.
 */
import { existsSync, writeFileSync } from "node:fs"
import { describe, expect, it, onTestFinished } from "vitest"
import type { PromiseTransport } from "../src/index.ts"
import {
  InvalidArgument,
  lazyMail,
  MasterSecretRefused,
  memory,
  openMail,
  smtp,
  sqlite,
  StoreNotOpened,
  StoreUnavailable,
  stub,
  transportFromPromises
} from "../src/index.ts"
import { all, openQuiet, quiet, rejection, signal, temporaryFile, welcome } from "./testMail.ts"

describe("openMail", () => {
  it("accepts a send and hands it over in the background with the default options", async () => {
    const delivered = signal()
    const mail = await openMail({ store: sqlite(temporaryFile()), transport: stub(), domains: ["acme.example"] })
    onTestFinished(mail.close)
    await mail.on("test", ["email.delivered"], () => delivered.resolve())
    const { totalQueued, replayed } = await mail.send({ ...welcome, idempotencyKey: "welcome:ada" })
    expect({ totalQueued, replayed }).toEqual({ totalQueued: 1, replayed: false })
    await delivered.promise
    expect((await mail.deliveries.list()).items).toMatchObject([{ recipient: "ada@example.org", status: "delivered" }])
    expect((await mail.send({ ...welcome, idempotencyKey: "welcome:ada" })).replayed).toBe(true)
  })

  it("finds the mail of an earlier opening of the same file", async () => {
    const file = temporaryFile()
    const first = await openMail(quiet({ store: sqlite(file) }))
    const { deliveryIds } = await first.send(welcome)
    await first.close()
    const transport = stub()
    const second = await openQuiet({ store: sqlite(file), transport })
    expect((await second.tick()).deliveries.handedOver).toBe(1)
    expect(transport.captured().map(({ deliveryId }) => deliveryId)).toEqual(deliveryIds)
    expect((await second.deliveries.get(deliveryIds[0]!)).status).toBe("delivered")
  })

  it("shares one file between two openings in a process", async () => {
    const store = sqlite(temporaryFile())
    const [first, second] = await Promise.all([openQuiet({ store }), openQuiet({ store })])
    await Promise.all([first.send(welcome), second.send({ ...welcome, to: "grace@example.org" })])
    const recipients = async (mail: typeof first) =>
      (await all(mail.deliveries.each())).map(({ recipient }) => recipient)
    expect((await recipients(first)).toSorted()).toEqual(["ada@example.org", "grace@example.org"])
    expect(await recipients(second)).toEqual(await recipients(first))
  })

  it("begins with an empty store for each opening of memory()", async () => {
    const store = memory()
    const first = await openQuiet({ store })
    await first.send(welcome)
    expect((await (await openQuiet({ store })).deliveries.list()).items).toEqual([])
  })

  it.each([
    ["the folder of the file does not exist", () => quiet({ store: sqlite("/nowhere/mail.db") }), StoreNotOpened],
    ["a domain is no domain name", () => quiet({ domains: ["not a domain"] }), InvalidArgument],
    ["a limit of the plan is negative", () => quiet({ plan: { dailySends: -1 } }), InvalidArgument],
    ["the master secret is too short", () => quiet({ masterSecret: "short" }), MasterSecretRefused],
    [
      "the address of the unsubscribe page is not https",
      () => quiet({ unsubscribe: { url: "http://a.example" } }),
      TypeError
    ]
  ])("rejects with the failure of the core when %s", async (_, options, failure) => {
    expect(await rejection(openMail(options()))).toBeInstanceOf(failure)
  })

  it("rejects when the URL of the relay is missing or wrong, and does not show it", async () => {
    for (const url of [undefined, "http://secret@relay.example"]) {
      const reason = await rejection(openMail(quiet({ transport: smtp(url) })))
      expect(reason).toMatchObject({ _tag: "SmtpOptionsInvalid", isRetryable: false })
      expect(String(reason)).not.toContain("secret")
    }
  })

  it("opens a file with its master secret, and refuses another one", async () => {
    const store = sqlite(temporaryFile())
    const masterSecret = "0123456789abcdef0123456789abcdef"
    await (await openMail(quiet({ store, masterSecret }))).close()
    expect(await rejection(openMail(quiet({ store, masterSecret: `${masterSecret}0` })))).toMatchObject({
      reason: "different"
    })
    expect((await (await openQuiet({ store, masterSecret })).health()).store).toBe("ok")
  })

  it("leaves a domain with { domain } to DNS", async () => {
    const mail = await openQuiet({
      domains: ["acme.example", { domain: "later.example" }],
      mailHost: "mail.acme.example"
    })
    const domains = await all(mail.domains.each())
    expect(domains.map(({ domain, status }) => [domain, status])).toEqual([
      ["later.example", "pending"],
      ["acme.example", "verified"]
    ])
    expect(domains[0]!.records.some(({ value }) => value.includes("mail.acme.example"))).toBe(true)
    expect(await rejection(mail.send({ ...welcome, from: "hi@later.example" }))).toMatchObject({
      _tag: "SenderDomainNotVerified"
    })
  })

  it("names the plan in the issue of a wrong limit, at the opening and in the call that asks a function", async () => {
    const opened = await rejection(openMail(quiet({ plan: { dailySend: 5 } as never })))
    expect(opened).toMatchObject({ message: "plan.dailySend is not a known field" })
    const mail = await openQuiet({ plan: () => ({ contacts: -1 }) })
    const refused = await rejection(mail.contacts.create({ email: "ada@example.org" }))
    expect(refused).toMatchObject({ message: "plan.contacts must be at least 0" })
    expect((await mail.contacts.list()).items).toEqual([])
  })

  it("applies the limits that a function returns for a project", async () => {
    const mail = await openQuiet({ plan: async (projectId) => ({ dailySends: projectId === "default" ? 1 : 0 }) })
    await mail.send(welcome)
    expect(await rejection(mail.send(welcome))).toMatchObject({
      _tag: "PlanLimitReached",
      code: "daily_sending_limit_exceeded",
      excess: { limit: 1, used: 1, requested: 1 }
    })
  })
})

describe("lazyMail", () => {
  it("opens no file before the first call", async () => {
    const file = temporaryFile()
    const mail = lazyMail(quiet({ store: sqlite(file) }))
    onTestFinished(mail.close)
    await mail.on("early", ["email.accepted"], () => {})
    expect(mail.runtime).toBeDefined()
    expect(existsSync(file)).toBe(false)
    await mail.open()
    expect(existsSync(file)).toBe(true)
  })

  it("opens once for calls at the same time", async () => {
    let opened = 0
    const mail = lazyMail(
      quiet({
        plan: { dailySends: 10 },
        store: {
          get layer() {
            opened++
            return memory().layer
          }
        }
      })
    )
    onTestFinished(mail.close)
    await Promise.all(Array.from({ length: 5 }, () => mail.send(welcome)))
    expect(opened).toBe(1)
    expect((await all(mail.deliveries.each())).length).toBe(5)
  })

  it("opens again after an opening that failed", async () => {
    const file = temporaryFile()
    writeFileSync(file, "This is no database, and longer than the header of one. ".repeat(20))
    const mail = lazyMail(quiet({ store: sqlite(file) }))
    onTestFinished(mail.close)
    expect(await rejection(mail.open())).toMatchObject({ _tag: "StoreNotOpened", reason: "not_a_database" })
    writeFileSync(file, "")
    expect((await mail.send(welcome)).totalQueued).toBe(1)
  })
})

describe("close", () => {
  it("resolves for a mail that was never opened", async () => {
    const mail = lazyMail(quiet())
    await mail.close()
    expect(await rejection(mail.open())).toMatchObject({ _tag: "StoreUnavailable", reason: "closed" })
  })

  it("refuses a handler of events for a mail that was never opened", async () => {
    const mail = lazyMail(quiet())
    await mail.close()
    expect(await rejection(mail.on("log", ["email.delivered"], () => {}))).toMatchObject({ reason: "closed" })
  })

  it("finishes a send that is under way", async () => {
    const file = temporaryFile()
    const mail = await openMail(quiet({ store: sqlite(file) }))
    const sends = Array.from({ length: 20 }, () => mail.send(welcome))
    const closed = mail.close()
    expect((await Promise.allSettled(sends)).every(({ status }) => status === "fulfilled")).toBe(true)
    await closed
    expect((await all((await openQuiet({ store: sqlite(file) })).deliveries.each())).length).toBe(20)
  })

  it("finishes a hand-off that is under way", async () => {
    const [begun, relayAnswers] = [signal(), signal()]
    const transport: PromiseTransport = {
      capabilities: {
        confirmsDelivery: true,
        signalsFinalize: true,
        idempotentHandOff: false,
        maxMessageBytes: null,
        smtpUtf8: false
      },
      handOff: async ({ beforeFinalize }) => {
        begun.resolve()
        await relayAnswers.promise
        await beforeFinalize()
        return { _tag: "Accepted", reply: { stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "OK" } }
      }
    }
    const file = temporaryFile()
    const mail = await openMail(
      quiet({ store: sqlite(file), transport: transportFromPromises(transport), background: true })
    )
    const { deliveryIds } = await mail.send(welcome)
    await begun.promise
    const closed = mail.close()
    relayAnswers.resolve()
    await closed
    const again = await openQuiet({ store: sqlite(file) })
    expect((await again.deliveries.get(deliveryIds[0]!)).status).toBe("accepted")
  })

  it("refuses later calls, and closes once", async () => {
    const mail = await openMail(quiet())
    await Promise.all([mail.close(), mail.close()])
    await mail.close()
    const reason = await rejection(mail.send(welcome))
    expect(reason).toBeInstanceOf(StoreUnavailable)
    expect(reason).toMatchObject({ reason: "closed", isRetryable: false })
    expect(await rejection(all(mail.contacts.each()))).toMatchObject({ reason: "closed" })
  })

  it("runs at the end of a block with await using", async () => {
    const mail = await (async () => {
      await using mail = await openMail(quiet())
      await mail.send(welcome)
      return mail
    })()
    expect(await rejection(mail.deliveries.list())).toMatchObject({ reason: "closed" })
  })
})

describe("opening a mail on an old Node", () => {
  it("refuses the memory store too, before it accepts mail", async () => {
    const { napi } = process.versions
    Object.defineProperty(process.versions, "napi", { value: "9", configurable: true })
    onTestFinished(() => void Object.defineProperty(process.versions, "napi", { value: napi, configurable: true }))
    const opened = openMail({ store: memory(), transport: stub() })
    await expect(opened).rejects.toMatchObject({ _tag: "StoreNotOpened", reason: "unsupported_runtime" })
    await expect(opened).rejects.toThrow(/^Mailkeep needs Node 22\.19 or newer, and this is Node /)
  })
})
