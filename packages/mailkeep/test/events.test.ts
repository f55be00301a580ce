/**
 * Handlers of events.
 */
import { describe, expect, expectTypeOf, it, vi } from "vitest"
import type { Mail, MailEvent, MailEventOf } from "../src/index.ts"
import { eventKinds, InvalidArgument, lazyMail, openMail, sqlite, stub } from "../src/index.ts"
import { openQuiet, quiet, rejection, temporaryFile, welcome } from "./testMail.ts"

describe("on", () => {
  it("narrows the event to the kinds of the handler", async () => {
    const mail = await openQuiet()
    await mail.on("bounces", ["email.bounced"], (event) => {
      expectTypeOf(event).toEqualTypeOf<MailEventOf<"email.bounced">>()
      expectTypeOf(event.data.bounce.smtpCode).toEqualTypeOf<number | null>()
    })
    await mail.on("two", ["email.failed", "contact.deleted"], async (event) => {
      expectTypeOf(event).toEqualTypeOf<MailEventOf<"email.failed" | "contact.deleted">>()
      if (event.kind === "contact.deleted")
        expectTypeOf(event.data).toEqualTypeOf<{ readonly contactId: `con_${string}` }>()
    })
    // @ts-expect-error There is no such kind.
    expect(await rejection(mail.on("unknown", ["email.opened"], () => {}))).toBeInstanceOf(InvalidArgument)
  })

  it("takes a handler with the type of its events, for several kinds and for all of them", async () => {
    const mail = await openQuiet()
    const seen: Array<string> = []
    const audit = async ({ kind }: MailEvent): Promise<void> => void seen.push(kind)
    await mail.on("all", eventKinds, audit)
    await mail.on("two", ["contact.created", "contact.deleted"], audit)
    const ended = ({ kind }: MailEventOf<"email.failed" | "contact.deleted">): void => void seen.push(kind)
    await mail.on("ended", ["contact.deleted"], ended)
    // @ts-expect-error The handler takes no created contacts.
    await mail.on("more", ["contact.created"], ended)
    await mail.off("more")
    const { id } = await mail.contacts.create({ email: "ada@example.org" })
    await mail.contacts.delete(id)
    await mail.tick()
    const count = (kind: string) => seen.filter((one) => one === kind).length
    expect([count("contact.created"), count("contact.deleted")]).toEqual([2, 3])
  })

  it.each([
    ["a handler that is missing", "audit", ["email.delivered"], undefined, ["handler"]],
    ["a handler that is no function", "audit", ["email.delivered"], {}, ["handler"]],
    ["an unknown kind", "audit", ["email.deliverd"], () => {}, ["kinds", 0]],
    ["an empty name", "", ["email.delivered"], () => {}, ["name"]]
  ])("refuses %s before and after the opening, and stores nothing", async (_, name, kinds, handler, path) => {
    const mail = lazyMail(quiet())
    const reject = async () => {
      const failure = await rejection(mail.on(name, kinds as never, handler as never))
      expect(failure).toBeInstanceOf(InvalidArgument)
      expect((failure as InvalidArgument).issues.map((issue) => issue.path)).toEqual([path])
    }
    await reject()
    await mail.open()
    await reject()
    await mail.send(welcome)
    expect((await mail.tick()).events.attempted).toBe(0)
    await mail.close()
  })

  it("gives each handler the events of its kinds, of handlers from before and after the opening", async () => {
    const mail = lazyMail(quiet({ transport: stub({ script: [{ recipient: /^gone@/, acts: [{ act: "refuse" }] }] }) }))
    const [delivered, bounced, everyEvent] = [vi.fn(), vi.fn(), vi.fn()]
    await mail.on("delivered", ["email.delivered"], (event) => void delivered(event.data.recipient))
    await mail.open()
    await mail.on("bounced", ["email.bounced"], async (event) => void bounced(event.data.bounce.smtpCode))
    await mail.on(
      "every",
      ["email.bounced", "email.delivered", "contact.created"],
      (event) => void everyEvent(event.kind)
    )
    await mail.send(welcome)
    await mail.send({ ...welcome, to: "gone@example.org" })
    await mail.contacts.create({ email: "grace@example.org" })
    while ((await mail.tick()).events.attempted > 0);
    expect(delivered.mock.calls).toEqual([["ada@example.org"]])
    expect(bounced.mock.calls).toEqual([[550]])
    expect(everyEvent.mock.calls.flat().toSorted()).toEqual(["contact.created", "email.bounced", "email.delivered"])
    await mail.close()
  })

  it("gives the events of all projects, with the id of the project", async () => {
    const mail = await openQuiet()
    const events: Array<MailEvent> = []
    await mail.on("contacts", ["contact.created"], (event) => void events.push(event))
    await mail.project("prj_b").contacts.create({ email: "ada@example.org" })
    await mail.tick()
    expect(events.map(({ projectId }) => projectId)).toEqual(["prj_b"])
  })

  it("delivers to a handler of the next opening what happened without one", async () => {
    const file = temporaryFile()
    const first = await openMail(quiet({ store: sqlite(file) }))
    await first.on("crm", ["contact.created"], () => {})
    await first.close()
    const second = await openMail(quiet({ store: sqlite(file) }))
    await second.contacts.create({ email: "ada@example.org" })
    await second.tick()
    await second.close()
    const third = lazyMail(quiet({ store: sqlite(file) }))
    const handled = vi.fn()
    await third.on("crm", ["contact.created"], (event) => void handled(event.data.contact.email))
    await third.tick()
    await third.close()
    expect(handled.mock.calls).toEqual([["ada@example.org"]])
  })

  it("uses the last handler of a name", async () => {
    const mail = await openQuiet()
    const [old, current] = [vi.fn(), vi.fn()]
    await mail.on("reload", ["contact.created"], () => void old())
    await mail.on("reload", ["contact.created"], () => void current())
    await mail.contacts.create({ email: "ada@example.org" })
    await mail.tick()
    expect([old.mock.calls.length, current.mock.calls.length]).toEqual([0, 1])
  })

  it.each(["before", "after"])(
    "deletes a subscription %s the opening, and the events that wait for it",
    async (when) => {
      const file = temporaryFile()
      const first = await openMail(quiet({ store: sqlite(file) }))
      await first.on("crm", ["contact.created"], () => {})
      await first.close()
      const second = lazyMail(quiet({ store: sqlite(file) }))
      const handled = vi.fn()
      if (when === "after") await second.open()
      await second.on("crm", ["contact.created"], (event) => void handled(event.data.contact.email))
      await second.off("crm")
      await second.off("unknown")
      await second.contacts.create({ email: "ada@example.org" })
      expect((await second.tick()).events).toEqual({ distributed: 1, attempted: 0 })
      await second.on("crm", ["contact.created"], (event) => void handled(event.data.contact.email))
      await second.contacts.create({ email: "bob@example.org" })
      await second.tick()
      expect(handled.mock.calls).toEqual([["bob@example.org"]])
      expect(await rejection(second.off(""))).toBeInstanceOf(InvalidArgument)
      await second.close()
    }
  )

  it("gives no later events to the handler of another process after its subscription was deleted", async () => {
    const file = temporaryFile()
    const [first, second] = await Promise.all([1, 2].map(() => openQuiet({ store: sqlite(file) })))
    const seen: Array<string> = []
    const subscribe = (mail: Mail, by: string) =>
      mail.on("crm", ["contact.created"], ({ data }) => void seen.push(`${by} ${data.contact.email}`))
    await subscribe(second!, "before")
    await first!.off("crm")
    await subscribe(first!, "first")
    await first!.contacts.create({ email: "ada@example.org" })
    await second!.tick()
    await first!.tick()
    await subscribe(second!, "again")
    await first!.contacts.create({ email: "bob@example.org" })
    await second!.tick()
    expect(seen).toEqual(["first ada@example.org", "again bob@example.org"])
  })

  it("repeats an event whose handler rejects", async () => {
    const mail = await openQuiet()
    const handler = vi.fn().mockRejectedValueOnce(new Error("The product is busy."))
    await mail.on("retry", ["contact.created"], handler)
    await mail.contacts.create({ email: "ada@example.org" })
    expect((await mail.tick()).events.attempted).toBe(1)
    // The first retry is due 1 s later.
    vi.useFakeTimers({ now: Date.now() + 2000, toFake: ["Date"] })
    try {
      await mail.tick()
    } finally {
      vi.useRealTimers()
    }
    expect(handler.mock.calls.length).toBe(2)
    expect(handler.mock.calls[1]).toEqual(handler.mock.calls[0])
  })
})
