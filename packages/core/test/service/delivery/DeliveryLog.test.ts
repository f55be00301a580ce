import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Query } from "../../../src/adapter.ts"
import { noLogFilters } from "../../../src/adapter.ts"
import type { ListDeliveriesInput } from "../../../src/index.ts"
import { Contacts, DeliveryLog, Domains, MailStore, Templates } from "../../../src/index.ts"
import { withTestMail, project, send, start, stores, tick } from "@mailkeep/test-support"

const page = (filters: ListDeliveriesInput = {}, limit = 100, cursor: string | null = null, projectId = project) =>
  Effect.flatMap(DeliveryLog, (log) => log.list(projectId, { ...filters, limit, cursor }))

/** A store whose reads of the log examine two deliveries each. */
const examiningTwo = <E>(layer: Layer.Layer<MailStore, E>) =>
  Layer.effect(
    MailStore,
    Effect.map(MailStore, (store) => {
      const read = (queries: ReadonlyArray<Query>) =>
        store.read(queries.map((query) => (query._tag === "LogPage" ? { ...query, scanLimit: 2 } : query)))
      return { ...store, read: read as typeof store.read }
    })
  ).pipe(Layer.provide(layer))

/** All pages of a listing. */
const allPages = (filters: ListDeliveriesInput, limit: number) =>
  Effect.gen(function* () {
    const pages = [yield* page(filters, limit)]
    while (pages.at(-1)!.hasMore) pages.push(yield* page(filters, limit, pages.at(-1)!.nextCursor))
    return pages
  })

const recipients = (pages: ReadonlyArray<{ readonly items: ReadonlyArray<{ readonly recipient: string }> }>) =>
  pages.flatMap(({ items }) => items.map(({ recipient }) => recipient.split("@")[0]))

describe.each(stores)("the delivery log, over $name", (store) => {
  it.each([1, 2, 3, 7, 100])("lists each delivery once, newest first, in pages of %s, also with equal times", (limit) =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: ["a0@example.org", "a1@example.org", "a2@example.org"] })
        yield* send("b", { to: ["b0@example.org", "b1@example.org"] })
        yield* TestClock.adjust("1 second")
        yield* send("c", { to: ["c0@example.org", "c1@example.org"] })
        expect(recipients(yield* allPages({}, limit))).toEqual(["c1", "c0", "b1", "b0", "a2", "a1", "a0"])
      })
    )
  )

  it("returns no cursor for the last page", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: ["a@example.org", "b@example.org"] })
        expect(yield* page({}, 2)).toMatchObject({ hasMore: false, nextCursor: null, limit: 2 })
        const first = yield* page({}, 1)
        expect(first).toMatchObject({ hasMore: true, limit: 1 })
        expect(yield* page({}, 1, first.nextCursor)).toMatchObject({ hasMore: false, nextCursor: null })
        expect(yield* page({ status: "failed" })).toMatchObject({ items: [], hasMore: false })
      })
    ))

  it("lists existing deliveries exactly once while new deliveries arrive", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: ["a@example.org", "b@example.org", "c@example.org"] })
        const first = yield* page({}, 1)
        yield* TestClock.adjust("1 second")
        yield* send("b", { to: "new@example.org" })
        const rest = yield* page({}, 10, first.nextCursor)
        expect(recipients([first, rest])).toEqual(["c", "b", "a"])
      })
    ))

  it.each<[string, ListDeliveriesInput, ReadonlyArray<string>]>([
    ["status", { status: "delivered" }, ["grace", "ada"]],
    ["another status", { status: "queued" }, ["late"]],
    ["source", { source: "embedded" }, ["late", "grace", "ada"]],
    ["an unknown source", { source: "carrier-pigeon" }, []],
    ["the whole recipient", { recipient: "ADA@Example.org" }, ["ada"]],
    ["a part of a recipient, which matches nothing", { recipient: "ada" }, []],
    ["search in the recipient", { search: "RACE@" }, ["grace"]],
    ["search in the subject", { search: "wÉlcome" }, ["ada"]],
    ["search with a wildcard character", { search: "%" }, []],
    ["search in the subject for the begin of a word", { search: "ΝΙΚΟΣ" }, ["late"]],
    ["an unknown contact", { contactId: "con_x" }, []],
    ["an unknown template", { templateId: "tpl_x" }, []],
    ["a start date", { startDate: new Date(start + 1000) }, ["late", "grace"]],
    ["an end date", { endDate: "2026-11-21T12:00:01Z" }, ["grace", "ada"]],
    ["a start date and an end date", { startDate: start + 1, endDate: start + 1999 }, ["grace"]],
    ["a start date after the end date", { startDate: start + 2, endDate: start + 1 }, []],
    ["two filters together", { status: "delivered", search: "ada" }, ["ada"]]
  ])("filters deliveries by %s", (_, filters, found) =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: "ada@example.org", subject: "Wélcome" })
        yield* TestClock.adjust("1 second")
        yield* send("b", { to: "grace@example.org" })
        yield* tick
        yield* TestClock.adjust("1 second")
        yield* send("c", { to: "late@example.org", subject: "ΝΙΚΟΣΙΑ" })
        expect(recipients(yield* allPages(filters, 1))).toEqual(found)
      })
    )
  )

  it.each(["bücher", "ADA@Bücher.example", "Bücher."])(
    "finds a recipient by %s, whose domain the log shows in A-labels, and a subject with the same text",
    (search) =>
      withTestMail(store)(
        Effect.gen(function* () {
          yield* send("a", { to: "ada@bücher.example" })
          yield* send("b", { to: "bob@example.org", subject: `About ${search}` })
          yield* send("c", { to: "carol@example.org", subject: "About books" })
          expect(recipients(yield* allPages({ search }, 1))).toEqual(["bob", "ada"])
        })
      )
  )

  it("finds deliveries by a complete delivery id or message id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const result = yield* send("a", { to: ["a@example.org", "b@example.org"] })
        expect((yield* page({ search: result.deliveryIds[0]! })).items).toHaveLength(1)
        expect((yield* page({ search: result.messageId })).items).toHaveLength(2)
        expect((yield* page({ search: result.messageId.slice(0, -1) })).items).toHaveLength(0)
      })
    ))

  it("finds the deliveries of a contact", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { id } = yield* (yield* Contacts).create(project, { email: "ada@example.org" })
        yield* send("a", { to: ["ada@example.org", "b@example.org"] })
        expect(recipients([yield* page({ contactId: id })])).toEqual(["ada"])
      })
    ))

  it("finds the deliveries of a template by its id or its alias, with a cursor for both", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const templates = yield* Templates
        const ensured = (alias: string) =>
          templates.ensure(project, { alias, name: alias, subject: alias, text: "Thank you." })
        const { id } = yield* ensured("receipt")
        yield* ensured("welcome")
        const sent = (key: string, templateId: string) =>
          Effect.map(send(key, { templateId }), ({ deliveryIds }) => deliveryIds[0])
        const first = yield* sent("a", "receipt")
        yield* sent("b", "welcome")
        const second = yield* sent("c", "receipt")
        for (const templateId of [id, "receipt"])
          expect((yield* page({ templateId })).items.map((one) => one.id)).toEqual([second, first])
        const { nextCursor } = yield* page({ templateId: "receipt" }, 1)
        expect((yield* page({ templateId: id }, 1, nextCursor)).items.map((one) => one.id)).toEqual([first])
        expect(yield* Effect.flip(page({ templateId: "welcome" }, 1, nextCursor))).toMatchObject({
          issues: [{ path: ["cursor"], code: "invalid_cursor" }]
        })
        expect((yield* page({ templateId: "unknown" })).items).toEqual([])
      })
    ))

  it("bounds the scan of a filtered page, which may be short and have a next page", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        yield* send("a", { to: Array.from({ length: 9 }, (_, i) => `r${i}@example.org`) })
        const look = (after: { createdAt: number; id: string } | null) =>
          mailStore.read([
            {
              _tag: "LogPage",
              projectId: project,
              filters: { ...noLogFilters, search: "r0@" },
              after,
              limit: 5,
              scanLimit: 4
            }
          ])
        const [first] = yield* look(null)
        expect(first).toMatchObject({ items: [] })
        const [second] = yield* look(first.next)
        expect(second.items).toEqual([])
        const [third] = yield* look(second.next)
        expect(third.items).toHaveLength(1)
        expect(third.next).toBeNull()
      })
    ))

  it("reads on until a filtered page is full, and continues with its cursor", () =>
    withTestMail({ name: store.name, layer: examiningTwo(store.layer) })(
      Effect.gen(function* () {
        yield* send("a", { to: Array.from({ length: 12 }, (_, i) => `${i % 4 === 0 ? "z" : "y"}${i}@example.org`) })
        const pages = yield* allPages({ search: "z" }, 2)
        expect(pages.map((one) => recipients([one]))).toEqual([["z8", "z4"], ["z0"]])
        expect(pages.at(-1)).toMatchObject({ hasMore: false, nextCursor: null })
      })
    ))

  it("refuses a cursor that is altered or of another project or filter, and allows another limit", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: ["a@example.org", "b@example.org", "c@example.org"] })
        const { nextCursor } = yield* page({}, 1)
        const refusals = [
          page({}, 1, `${nextCursor}x`),
          page({}, 1, "x"),
          page({ status: "queued" }, 1, nextCursor),
          page({}, 1, nextCursor, "prj_other")
        ]
        for (const refused of refusals)
          expect(yield* Effect.flip(refused)).toMatchObject({
            argument: "filters",
            issues: [{ path: ["cursor"], code: "invalid_cursor" }]
          })
        expect((yield* page({}, 50, nextCursor)).items).toHaveLength(2)
      })
    ))

  it("shows a complete delivery only to its own project", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const result = yield* send("a", { html: "<p>Hi</p>", metadata: { order: 7 } })
        yield* tick
        const detail = yield* log.get(project, result.deliveryIds[0]!)
        expect(detail).toMatchObject({
          status: "delivered",
          message: { html: "<p>Hi</p>", text: "Hi", metadata: { order: 7 } },
          attempts: [{ outcome: "delivered" }],
          contact: null,
          domain: { domain: "example.com" }
        })
        yield* (yield* Domains).create("prj_other", { domain: "example.com", verified: true })
        for (const [projectId, id] of [
          ["prj_other", result.deliveryIds[0]!],
          [project, "del_x"]
        ] as const)
          expect(yield* Effect.flip(log.get(projectId, id))).toMatchObject({ kind: "not_found" })
      })
    ))

  it("shows no field that only the store and the workers need", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("a")
        yield* tick
        const shown = JSON.stringify(yield* (yield* DeliveryLog).get(project, deliveryIds[0]!))
        for (const field of ["fencingToken", "worker", "revision", "addressKey", "chargedAt", "dkim", "content"])
          expect(shown).not.toContain(`"${field}"`)
      })
    ))

  it.each([
    ["no input", undefined, 50],
    ["only undefined fields", { status: undefined, search: undefined, limit: undefined, cursor: undefined }, 50],
    ["filters that are null", { status: null, recipient: null, startDate: null }, 50],
    ["an empty search", { search: "" }, 50],
    ["a limit", { limit: 7 }, 7],
    ["a start date without a time", { startDate: "2026-11-21" }, 50],
    ["an end date without a time", { endDate: "2026-11-21" }, 50]
  ])("lists every delivery when it gets %s", (_, input, limit) =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a")
        expect(yield* (yield* DeliveryLog).list(project, input)).toMatchObject({ items: [{}], limit, nextCursor: null })
      })
    )
  )

  it("lists the events after a known one, oldest first, with the fields of their messages", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const metadata = { order: 7 }
        yield* send("a", { to: ["a@example.org", "b@example.org"], metadata })
        yield* (yield* Contacts).create(project, { email: "c@example.org" })
        yield* tick
        const all = yield* log.listEvents(project)
        expect(all.map(({ kind }) => kind).toSorted()).toEqual([
          "contact.created",
          "email.delivered",
          "email.delivered"
        ])
        const delivered = all.filter(({ kind }) => kind === "email.delivered")
        for (const { data } of delivered) expect(data).toMatchObject({ subject: "Hello", metadata, source: "embedded" })
        expect(yield* log.listEvents(project, { after: all[0]!.id, limit: 1 })).toEqual([all[1]])
        expect(yield* log.listEvents(project, { after: all[2]!.id })).toEqual([])
        expect(yield* log.listEvents("prj_other")).toEqual([])
      })
    ))
})
