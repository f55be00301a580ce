/**
 * How a call of a mail resolves and rejects.
 */
import { tmpdir } from "node:os"
import { MailStore } from "@mailkeep/core"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { MailOptions } from "../src/index.ts"
import { InvalidArgument, lazyMail, sqlite, StoreNotOpened, storeFromPromises } from "../src/index.ts"
import { all, openQuiet, quiet, rejection, signal, welcome } from "./testMail.ts"

const planThat = (plan: () => Promise<{}>): Partial<MailOptions> => ({ plan })

describe("a refused call", () => {
  it("rejects with the failure of the core and its facts", async () => {
    const mail = await openQuiet()
    const reason = await rejection(mail.send({ ...welcome, to: "no address" }))
    expect(reason).toBeInstanceOf(InvalidArgument)
    expect(reason).toMatchObject({ kind: "invalid_argument", isRetryable: false, issues: [{ path: ["to"] }] })
  })

  it("shows the caller in the stack of the failure, and no frame of a fiber", async () => {
    const mail = await openQuiet()
    const sendFromHere = async () => await mail.send({ ...welcome, subject: "" })
    const { stack = "" } = (await rejection(sendFromHere())) as Error
    expect(stack).toMatch(/^InvalidArgument: subject .*\n\s+at (async )?sendFromHere /)
    expect(stack).not.toContain("node_modules/effect")
  })

  it("shows the caller of a call that waits for the store, of one of several, and of one after the close", async () => {
    const mail = await openQuiet()
    const both = async () => await Promise.all([mail.deliveries.get("del_1"), mail.deliveries.get("del_2")])
    const { stack = "" } = (await rejection(both())) as Error
    expect(stack).toMatch(/^DeliveryNotFound: .*\n[\s\S]*at (async )?both /)
    await mail.close()
    const sendFromHere = async () => await mail.send(welcome)
    const { stack: later = "" } = (await rejection(sendFromHere())) as Error
    expect(later).toMatch(/^StoreUnavailable: .*\n\s+at (async )?sendFromHere /)
  })

  it("rejects with a failure whose message a framework may change, and another thread receives", async () => {
    const mail = await openQuiet()
    const failure = (await rejection(mail.send({ ...welcome, subject: "" }))) as Error
    expect(structuredClone(failure).message).toBe(failure.message)
    failure.message = `While the server starts: ${failure.message}`
    expect(failure.message).toMatch(/^While the server starts: subject /)
    expect(Object.keys(failure)).not.toContain("message")

    const unopened = lazyMail(quiet({ store: sqlite(tmpdir()) }))
    const { message } = (await rejection(unopened.open())) as Error
    const again = (await rejection(unopened.open())) as Error
    again.message = "Changed."
    expect([message, again.message]).toEqual([`The path is that of a folder: ${tmpdir()}`, "Changed."])
  })

  it("gives a refusal that needs no store a message that a framework may change, and another thread receives", async () => {
    const mail = lazyMail(quiet())
    const calls: ReadonlyArray<() => unknown> = [
      () => mail.on("bounces", ["email.opened"] as never, () => {}),
      () => mail.project(7 as never),
      () => mail.outbox.row({ ...welcome, subject: "" }),
      () => mail.outbox.row({ ...welcome, attachments: [{ filename: "a.txt", path: "a.txt" }] } as never),
      () => mail.outbox.row({ ...welcome, idempotencyKey: 7 } as never),
      () => mail.project("a project!").outbox.row(welcome)
    ]
    for (const call of calls) {
      const failure = (await rejection((async () => call())())) as Error
      expect(failure).toBeInstanceOf(InvalidArgument)
      expect(structuredClone(failure).message).toBe(failure.message)
      failure.message = "Changed."
      expect([failure.message, Object.keys(failure).includes("message")]).toEqual(["Changed.", false])
    }
  })

  it("gives the failure of a loop and the refusal of a plan a message that a framework may change", async () => {
    const mail = await openQuiet()
    const failures = [
      await rejection(all(mail.contacts.each({ search: "x".repeat(1000) }))),
      await rejection(all(mail.contacts.importRows([]))),
      await rejection(all(mail.contacts.exportRows({ search: "x".repeat(1000) }))),
      (await mail.plan({ ...welcome, from: "hi@other.example" })).refusal
    ] as ReadonlyArray<Error>
    for (const failure of failures) {
      expect(structuredClone(failure).message).toBe(failure.message)
      failure.message = "Changed."
      expect([failure.message, Object.keys(failure).includes("message")]).toEqual(["Changed.", false])
    }
  })

  it("rejects with a defect as it is, with its own frames and those of the caller", async () => {
    const bug = new Error("The product has a bug.")
    const mail = await openQuiet(planThat(() => Promise.reject(bug)))
    const sendFromHere = async () => await mail.send(welcome)
    const reason = await rejection(sendFromHere())
    expect(reason).toBe(bug)
    expect(bug.stack).toMatch(/calls\.test\.ts[\s\S]*at (async )?sendFromHere /)
  })

  it.each([undefined, null, 7, "text", []])("rejects an input of another form: %j", async (input) => {
    const mail = await openQuiet()
    for (const call of [mail.send, mail.sendBatch, mail.plan] as ReadonlyArray<(input: unknown) => Promise<unknown>>)
      expect(await rejection(call(input))).toBeInstanceOf(InvalidArgument)
  })

  it("names the field of the messages when a batch gets an array", async () => {
    const mail = await openQuiet()
    const reason = (await rejection(mail.sendBatch([welcome] as never))) as Error
    expect(reason.message).toBe("messages must be an array")
  })

  it("rejects each call with the failure of an opening that fails", async () => {
    const mail = lazyMail(
      quiet({
        store: storeFromPromises(() => Promise.reject(new StoreNotOpened({ reason: "unreachable", where: "db" })))
      })
    )
    for (const call of [mail.open(), mail.send(welcome), all(mail.deliveries.each()), mail.health()])
      expect(await rejection(call)).toBeInstanceOf(StoreNotOpened)
  })
})

describe("an aborted call", () => {
  it("rejects with the reason of a signal that was aborted before, and writes nothing", async () => {
    const mail = await openQuiet()
    const reason = await rejection(mail.send(welcome, { signal: AbortSignal.abort() }))
    expect(reason).toMatchObject({ name: "AbortError" })
    expect((await mail.deliveries.list()).items).toEqual([])
  })

  it("rejects with the reason of the signal while the call waits, and the mail stays open", async () => {
    const [asked, never] = [signal(), signal<{}>()]
    let waits = true
    const mail = await openQuiet(
      planThat(() => {
        asked.resolve()
        return waits ? never.promise : Promise.resolve({})
      })
    )
    const controller = new AbortController()
    const send = rejection(mail.send(welcome, { signal: controller.signal }))
    await asked.promise
    const why = new Error("The request was closed.")
    controller.abort(why)
    expect(await send).toBe(why)
    waits = false
    expect((await mail.send(welcome)).totalQueued).toBe(1)
  })

  it("does not undo a commit: a repeat with the idempotency key gets the result", async () => {
    const controller = new AbortController()
    const abortAfterCommit = Effect.map(MemoryMailStore.make, (store) => ({
      ...store,
      commit: (changes: Parameters<typeof store.commit>[0]) =>
        Effect.tap(store.commit(changes), () => {
          if (changes.some(({ _tag }) => _tag === "InsertMessage")) controller.abort()
          return Effect.yieldNow
        })
    }))
    const mail = await openQuiet({ store: Layer.effect(MailStore, abortAfterCommit) })
    const keyed = { ...welcome, idempotencyKey: "once" }
    expect(await rejection(mail.send(keyed, { signal: controller.signal }))).toMatchObject({ name: "AbortError" })
    const [delivery, ...others] = (await mail.deliveries.list()).items
    expect(others).toEqual([])
    expect(await mail.send(keyed)).toMatchObject({ deliveryIds: [delivery!.id], replayed: true })
  })

  it("does not stop an opening that another call waits for", async () => {
    const mail = lazyMail(quiet())
    const controller = new AbortController()
    const aborted = rejection(mail.open({ signal: controller.signal }))
    const opened = mail.open()
    controller.abort()
    expect(await aborted).toMatchObject({ name: "AbortError" })
    await opened
    expect((await mail.send(welcome)).totalQueued).toBe(1)
    await mail.close()
  })

  it("ends an iteration at its next item", async () => {
    const mail = await openQuiet()
    for (const name of ["a", "b", "c"]) await mail.contacts.create({ email: `${name}@example.org` })
    for (const each of [mail.contacts.each, mail.contacts.exportRows] as const) {
      const controller = new AbortController()
      const seen: Array<unknown> = []
      const reading = (async () => {
        for await (const one of each({}, { signal: controller.signal })) {
          seen.push(one)
          controller.abort()
        }
      })()
      expect(await rejection(reading)).toMatchObject({ name: "AbortError" })
      expect(seen.length).toBe(1)
    }
  })
})

describe("an iteration when the mail closes", () => {
  it("rejects with StoreUnavailable while the next row of an import does not come", async () => {
    const [asked, never] = [signal(), signal()]
    const mail = await openQuiet({ graceMillis: 0 })
    const rows = async function* () {
      yield { line: 1, cells: ["email"] }
      asked.resolve()
      await never.promise
    }
    const importing = rejection(all(mail.contacts.importRows(rows())))
    await asked.promise
    await mail.close()
    expect(await importing).toMatchObject({ _tag: "StoreUnavailable", reason: "closed" })
  })

  it("rejects with StoreUnavailable at the next item", async () => {
    const mail = await openQuiet()
    for (const name of ["a", "b", "c"]) await mail.contacts.create({ email: `${name}@example.org` })
    const iterator = mail.contacts.exportRows()[Symbol.asyncIterator]()
    await iterator.next()
    await mail.close()
    const rest = async () => {
      while ((await iterator.next()).done !== true);
    }
    expect(await rejection(rest())).toMatchObject({ _tag: "StoreUnavailable", reason: "closed" })
  })
})
