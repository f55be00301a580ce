/**
 * Suppressions: their list, and what they show of a contact.
 */
import { events, expectBalanced, withTestMail, project, send, stores } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Contacts, MailStore, Suppressions } from "../../../src/index.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"
import { create, found } from "./contactCalls.ts"

describe.each(stores)("contacts, over $name", (store) => {
  it("keeps an anonymous suppression when a contact is erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const suppressions = yield* Suppressions
        const { id } = yield* create({ email: "Ada@x.example", firstName: "Ada" })
        yield* suppressions.addReason(project, "ada@x.example", "complaint")
        yield* contacts.delete(project, id)
        expect(yield* Effect.flip(contacts.get(project, id))).toMatchObject({ kind: "not_found" })
        expect(yield* Effect.flip(contacts.delete(project, id))).toMatchObject({ kind: "not_found" })
        const result = yield* send("k", { to: "ada@x.example" })
        expect(result.totalQueued).toBe(0)
        expect((yield* suppressions.list(project)).items).toEqual([])
        const { addressKey } = yield* Secrets
        const [[existing]] = yield* (yield* MailStore).read([
          { _tag: "Suppressions", projectId: project, addressKeys: [addressKey("ada@x.example")] }
        ])
        expect(existing).toMatchObject({ address: null })
        const deletion = (yield* events).find(({ kind }) => kind === "contact.deleted")
        expect(JSON.stringify(deletion)).not.toMatch(/ada/i)
        yield* suppressions.delete(project, "ada@x.example")
        expect((yield* send("k2", { to: "ada@x.example" })).totalQueued).toBe(1)
      })
    ))

  it("lists the suppression of a deleted contact again when a contact is created with its address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const suppressions = yield* Suppressions
        const listed = Effect.map(suppressions.list(project), ({ items }) => items.map(({ email }) => email))
        const { id } = yield* create({ email: "Ada@x.example" })
        yield* suppressions.addReason(project, "ada@x.example", "complaint")
        yield* contacts.delete(project, id)
        expect(yield* listed).toEqual([])
        const again = yield* create({ email: "Ada@x.example" })
        expect(yield* listed).toEqual(["ada@x.example"])
        yield* contacts.delete(project, again.id)
        expect(yield* listed).toEqual([])
        expect(yield* suppressions.addReason(project, "Ada@x.example", "complaint")).toMatchObject({
          email: "ada@x.example"
        })
        expect(yield* listed).toEqual(["ada@x.example"])
      })
    ))

  it("shows the block reason of a contact, except the reason unsubscribed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const suppressions = yield* Suppressions
        const { id } = yield* create({ email: "ada@x.example" })
        const shown = Effect.map(contacts.get(project, id), ({ blockReason }) => blockReason)
        yield* suppressions.addReason(project, "ada@x.example", "unsubscribed")
        expect(yield* shown).toBeNull()
        yield* suppressions.addReason(project, "ada@x.example", "hard_bounce")
        yield* suppressions.addReason(project, "ada@x.example", "complaint")
        expect(yield* shown).toBe("complaint")
      })
    ))
})

describe.each(stores)("the suppression list, over $name", (store) => {
  it("lists suppressions by address, and refuses a cursor of another search", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        for (const n of [3, 1, 2, 5, 4]) yield* suppressions.addReason(project, `p${n}@x.example`, "manual")
        const page = (cursor: string | null, search: string | null = null) =>
          suppressions.list(project, { search, limit: 2, cursor })
        const addresses: Array<string | null> = []
        let cursor: string | null = null
        do {
          const { items, nextCursor, hasMore }: Effect.Success<ReturnType<typeof page>> = yield* page(cursor)
          addresses.push(...items.map(({ email }) => email))
          expect(hasMore).toBe(nextCursor !== null)
          cursor = nextCursor
        } while (cursor !== null)
        expect(addresses).toEqual([1, 2, 3, 4, 5].map((n) => `p${n}@x.example`))
        const first = yield* page(null)
        expect(yield* Effect.flip(page(first.nextCursor, "p"))).toMatchObject({ issues: [{ code: "invalid_cursor" }] })
        expect((yield* page(null, "P4@")).items).toMatchObject([{ email: "p4@x.example", reason: "manual" }])
      })
    ))

  it("finds an address by its domain in Unicode", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        for (const email of ["ada@müller.example", "bob@example.org", "eve@sub.müller.example"])
          yield* suppressions.addReason(project, email, "manual")
        const page = (cursor: string | null) =>
          suppressions.list(project, { search: "Müller.EXAMPLE", limit: 1, cursor })
        const first = yield* page(null)
        const second = yield* page(first.nextCursor)
        expect([...first.items, ...second.items].map(({ email }) => email)).toEqual([
          "ada@xn--mller-kva.example",
          "eve@sub.xn--mller-kva.example"
        ])
      })
    ))

  it("removes all reasons of an address, and subscribes its contact again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* create({ email: "ada@x.example" })
        for (const reason of ["complaint", "unsubscribed"] as const)
          yield* suppressions.addReason(project, "ada@x.example", reason)
        yield* suppressions.delete(project, "ADA@x.example")
        expect((yield* suppressions.list(project)).items).toEqual([])
        expect((yield* found({ emailStatus: "subscribed" }))[0]).toBe(1)
        expect(yield* Effect.flip(suppressions.delete(project, "ada@x.example"))).toMatchObject({ kind: "not_found" })
        yield* expectBalanced
      })
    ))
})
