/**
 * `mail.within` with a client of a server: its calls are promises, and the store learns which of them to keep.
 */
import type { MailStoreShape, Query } from "@mailkeep/core/adapter"
import { MailStore, StoreUnavailable, TransactionRefused } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Latch, Layer } from "effect"
import { setImmediate as turn } from "node:timers/promises"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Mail, MailOptions } from "../src/index.ts"
import { openMail, stub } from "../src/index.ts"

const message = { to: "ada@example.org", subject: "Your order", text: "Thank you." }

/** A client in a transaction, as a driver with promises has it. */
const client = { query: () => Promise.resolve({ rows: [] }) }

/** Each read and each commit waits for a turn of the event loop, as a server does. */
const waiting = (store: MailStoreShape): MailStoreShape => {
  const wait = Effect.promise(() => turn())
  return {
    ...store,
    commit: (changes) => Effect.andThen(wait, store.commit(changes)),
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => Effect.andThen(wait, store.read(queries))
  }
}

/** A mail whose store joins the transactions of `client`. Records how each call ended, and counts the waits for the end of a transaction. */
const openWith = async (
  options: Partial<MailOptions> = {},
  end: Effect.Effect<void, StoreUnavailable> = Effect.void
) => {
  const ends: Array<boolean> = []
  const waits = { begun: 0, stopped: 0 }
  const transaction = Latch.makeUnsafe(false)
  const store = Layer.effect(
    MailStore,
    Effect.map(MemoryMailStore.make, (memory) => ({
      ...memory,
      joinTransaction: (connection: unknown) =>
        connection === client
          ? Effect.succeed({
              store: waiting(memory),
              isAsynchronous: true,
              end: (keep: boolean) => {
                ends.push(keep)
                return end
              },
              transactionEnded: Effect.suspend(() => {
                waits.begun++
                return Effect.onInterrupt(transaction.await, () => Effect.sync(() => void waits.stopped++))
              })
            })
          : Effect.fail(new TransactionRefused({ reason: "not_a_connection" }))
    }))
  )
  const mail = await openMail({
    store,
    transport: stub(),
    domains: ["acme.example"],
    from: "shop@acme.example",
    background: false,
    onLog: () => {},
    ...options
  })
  opened.push(mail)
  return { mail, ends, waits, endTransaction: () => void transaction.openUnsafe() }
}

const opened: Array<Mail> = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(opened.splice(0).map((mail) => mail.close()))
})

describe("within a transaction of a client with promises", () => {
  it("resolves with the result of a send, and keeps what the call wrote", async () => {
    const { mail, ends } = await openWith()
    expect((await mail.within(client).send(message)).totalQueued).toBe(1)
    expect(ends).toEqual([true])
    expect((await mail.deliveries.list()).items).toHaveLength(1)
  })

  it("rejects with the failure of a send, and undoes the call", async () => {
    const { mail, ends } = await openWith()
    await expect(mail.within(client).send({ ...message, to: "nobody" })).rejects.toMatchObject({
      kind: "invalid_argument"
    })
    await expect(mail.within(client).cancel("msg_0")).rejects.toMatchObject({ name: "MessageNotFound" })
    expect(ends).toEqual([false, false])
  })

  it("ends and undoes the call when a field of the message cannot be read", async () => {
    const { mail, ends } = await openWith()
    const unread = {
      ...message,
      get subject(): string {
        throw new Error("The order is not loaded.")
      }
    }
    await expect(mail.within(client).send(unread)).rejects.toThrow("The order is not loaded.")
    expect(ends).toEqual([false])
  })

  it("accepts a plan that is a promise, because the call may wait", async () => {
    const { mail, ends } = await openWith({ plan: async () => ({ dailySends: 1 }) })
    await mail.within(client).send(message)
    await expect(mail.within(client).send(message)).rejects.toMatchObject({ name: "PlanLimitReached" })
    expect(ends).toEqual([true, false])
  })

  it("sends a batch, cancels and reschedules", async () => {
    const { mail } = await openWith()
    const tenant = mail.within(client)
    const scheduledAt = new Date(Date.now() + 3_600_000)
    const { messageId } = await tenant.send({ ...message, scheduledAt })
    const moved = await tenant.reschedule(messageId, new Date(scheduledAt.getTime() + 60_000))
    expect(moved.messageId).toBe(messageId)
    expect((await tenant.cancel(messageId)).messageId).toBe(messageId)
    const results = await tenant.sendBatch({ messages: [message, { ...message, to: "nobody" }] })
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"])
  })

  it("rejects when the store cannot end the call, because the connection was lost", async () => {
    const { mail } = await openWith({}, Effect.fail(new StoreUnavailable({ reason: "unreachable" })))
    await expect(mail.within(client).send(message)).rejects.toMatchObject({ reason: "unreachable" })
  })

  it("rejects with TransactionRefused for another client", async () => {
    const { mail } = await openWith()
    const other = { query: () => Promise.resolve() }
    await expect(mail.within(other).send(message)).rejects.toBeInstanceOf(TransactionRefused)
  })

  const statusesOf = async (mail: Mail) => (await mail.deliveries.list()).items.map((one) => one.status)

  it("wakes the dispatcher once after the transaction of several calls has ended", async () => {
    const { mail, waits, endTransaction } = await openWith({ background: true })
    await mail.within(client).send(message)
    await mail.within(client).send(message)
    expect(await statusesOf(mail)).toEqual(["queued", "queued"])
    expect(waits.begun).toBe(1)
    endTransaction()
    await expect.poll(() => statusesOf(mail)).toEqual(["delivered", "delivered"])
  })

  it("waits for the end of the next transaction too", async () => {
    const { mail, waits, endTransaction } = await openWith({ background: true })
    endTransaction()
    for (const expected of [1, 2]) {
      await mail.within(client).send(message)
      await expect.poll(() => statusesOf(mail)).toEqual(Array(expected).fill("delivered"))
    }
    expect(waits.begun).toBe(2)
  })

  it("waits for no end after a call that wrote nothing", async () => {
    const { mail, waits } = await openWith()
    await expect(mail.within(client).send({ ...message, to: "nobody" })).rejects.toMatchObject({
      _tag: "InvalidArgument"
    })
    expect(waits.begun).toBe(0)
  })

  it("closes the mail although the server does not answer the end of a call", async () => {
    const { mail, ends } = await openWith({ graceMillis: 0 }, Effect.never)
    void mail.within(client).send(message)
    await expect.poll(() => ends).toEqual([true])
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    let isClosed = false
    void mail.close().then(() => (isClosed = true))
    for (let second = 0; second < 20 && !isClosed; second++) {
      await vi.advanceTimersByTimeAsync(1000)
      await turn()
    }
    expect(isClosed).toBe(true)
  })

  it("waits no longer when the mail is closed", async () => {
    const { mail, waits } = await openWith()
    await mail.within(client).send(message)
    await mail.close()
    expect(waits).toEqual({ begun: 1, stopped: 1 })
  })
})
