/**
 * What happens to calls that a test does not wait for, when it closes or resets the mail.
 */
import { StoreUnavailable, TransactionRefused } from "mailkeep"
import { describe, expect, it } from "vitest"
import { testMail } from "../src/index.ts"
import { openTest, welcome } from "./openTest.ts"

const from = "Acme <hi@acme.example>"

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (reason: unknown) => reason
  )

/** The rejection of a call after the close, as every mail has it. */
const expectClosed = (reason: unknown): void => {
  expect(reason).toBeInstanceOf(StoreUnavailable)
  expect(reason).toMatchObject({ reason: "closed", isRetryable: false })
  expect((reason as Error).stack).toContain("StoreUnavailable")
}

describe("close", () => {
  it("finishes a send that nobody has waited for", async () => {
    const mail = testMail({ from })
    await mail.send(welcome)
    const forgotten = mail.send({ ...welcome, to: "bob@example.org" })
    await mail.close()
    expect((await forgotten).totalQueued).toBe(1)
    expect(mail.last("bob@example.org").subject).toBe("Welcome")
  })

  it("finishes a first send, which opens the mail and creates the domain", async () => {
    const mail = testMail({ from })
    const forgotten = mail.send(welcome)
    await mail.close()
    expect((await forgotten).totalQueued).toBe(1)
    expect(mail.captured()).toHaveLength(1)
  })

  it("finishes many calls, and resolves once for two calls of close", async () => {
    const mail = testMail({ from })
    await mail.open()
    const forgotten = Array.from({ length: 20 }, (_, n) => mail.send({ ...welcome, to: `u${n}@example.org` }))
    const move = mail.advance("1 day")
    await Promise.all([mail.close(), mail.close()])
    expect((await Promise.allSettled([...forgotten, move])).map(({ status }) => status)).not.toContain("rejected")
    expect(mail.captured()).toHaveLength(20)
  })

  it("does not wait for a handler that hangs, and the send keeps its result", async () => {
    const mail = testMail({ from })
    await mail.on("hanging", ["email.delivered"], () => new Promise(() => {}))
    const forgotten = mail.send(welcome)
    await mail.close()
    expect((await forgotten).totalQueued).toBe(1)
  })

  it("does not wait for a hand-off that hangs", async () => {
    const mail = testMail({ from })
    mail.script(/./, ["hang"])
    await mail.send(welcome)
    const forgotten = mail.deliveries.list()
    await mail.close()
    expect((await forgotten).items).toHaveLength(1)
  })

  it("lets a rejection of a forgotten call reach the caller", async () => {
    const mail = testMail({ from })
    const forgotten = reasonOf(mail.send({ ...welcome, to: "nobody" }))
    await mail.close()
    expect(await forgotten).toMatchObject({ _tag: "InvalidArgument" })
  })

  it("refuses each method afterwards with StoreUnavailable", async () => {
    const mail = testMail({ from })
    await mail.send(welcome)
    const { deliveryId } = mail.last()
    await mail.close()
    const calls = [
      () => mail.send(welcome),
      () => mail.deliveries.list(),
      () => mail.settle(),
      () => mail.advance("1 hour"),
      () => mail.bounce(deliveryId),
      () => mail.waitFor("ada@example.org")
    ]
    for (const call of calls) expectClosed(await reasonOf(call()))
  })
})

describe("reset", () => {
  it("finishes a send that nobody has waited for in the old store", async () => {
    const mail = openTest()
    const forgotten = mail.send(welcome)
    await mail.reset()
    expect((await forgotten).totalQueued).toBe(1)
    expect(mail.captured()).toStrictEqual([])
    expect((await mail.deliveries.list()).items).toStrictEqual([])
    await mail.send(welcome)
    expect(mail.captured()).toHaveLength(1)
  })
})

describe("within", () => {
  const connection = { inTransaction: true }

  it("says before and after the opening that the store in memory takes part in no transaction", async () => {
    const mail = openTest()
    for (const handle of [mail, mail.project("prj_b", { from })]) {
      expect(() => handle.within(connection).send(welcome)).toThrow(TransactionRefused)
      expect(() => handle.within(connection).send(welcome)).toThrow(/^This store cannot take part in a transaction/)
    }
    await mail.open()
    expect(() => mail.within(connection).cancel("msg_1")).toThrow(/^This store cannot take part in a transaction/)
    expect(await reasonOf(mail.within({ query: () => {} }).send(welcome))).toMatchObject({ reason: "not_supported" })
  })

  it("throws StoreUnavailable after close", async () => {
    const mail = testMail({ from })
    await mail.close()
    expect(() => mail.within(connection).send(welcome)).toThrow(StoreUnavailable)
  })
})

describe("testMail", () => {
  it("throws a TypeError for an option that a mail does not have", () => {
    expect(() => testMail({ domain: ["acme.example"] } as never)).toThrow(/"domain" is not an option/)
  })
})
