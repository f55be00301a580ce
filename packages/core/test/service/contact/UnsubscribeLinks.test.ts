import { StubTransport } from "@mailkeep/smtp"
import { delivery, events, project, send, stores, testMailLayer, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { SendOptions } from "../../../src/index.ts"
import { Contacts, Projects, Suppressions, UnsubscribeLinks } from "../../../src/index.ts"

const url = "https://mail.acme.example/unsubscribe"
const options = { unsubscribe: { url } }

/** Hands over one message, and returns its header fields. */
const headersOf = (key: string, sendOptions: SendOptions = { listUnsubscribe: true }) =>
  Effect.gen(function* () {
    yield* send(key, {}, sendOptions)
    yield* tick
    return (yield* StubTransport.StubTransport).captured().at(-1)!.message.headers
  })

const tokenOf = (headers: { readonly [name: string]: string }) =>
  new RegExp(`^<${url}/([0-9a-z.]+)>$`).exec(headers["List-Unsubscribe"]!)![1]!

describe.each(stores)("UnsubscribeLinks, over $name", (store) => {
  it("gives each copy a signed link and the field for one click", () =>
    withTestMail(
      store,
      options
    )(
      Effect.gen(function* () {
        const headers = yield* headersOf("a", { listUnsubscribe: true, headers: { "X-Order": "7" } })
        expect(headers).toEqual({
          "X-Order": "7",
          "List-Unsubscribe": expect.stringMatching(
            /^<https:\/\/mail\.acme\.example\/unsubscribe\/[0-9a-z]{26}\.[0-9a-f]{20}>$/
          ),
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
        })
        expect(yield* headersOf("b", {})).toEqual({})
      })
    ))

  it("writes a URL in Unicode in ASCII, because a link may not be an encoded word", () =>
    withTestMail(store, { unsubscribe: { url: "https://Bücher.example/abmelden/für//" } })(
      Effect.gen(function* () {
        const headers = yield* headersOf("a")
        expect(headers["List-Unsubscribe"]).toMatch(
          /^<https:\/\/xn--bcher-kva\.example\/abmelden\/f%C3%BCr\/[0-9a-z]{26}\.[0-9a-f]{20}>$/
        )
      })
    ))

  it("adds the link to every send of a project with the setting", () =>
    withTestMail(
      store,
      options
    )(
      Effect.gen(function* () {
        yield* (yield* Projects).update(project, { listUnsubscribe: true })
        expect(Object.keys(yield* headersOf("a", {}))).toEqual(["List-Unsubscribe", "List-Unsubscribe-Post"])
      })
    ))

  it("unsubscribes the contact of the recipient once, and the next send is suppressed", () =>
    withTestMail(
      store,
      options
    )(
      Effect.gen(function* () {
        const contact = yield* (yield* Contacts).create(project, { email: "ada@example.org" })
        const links = yield* UnsubscribeLinks
        const token = tokenOf(yield* headersOf("a"))
        expect(links.isValid(token)).toBe(true)
        expect(yield* links.unsubscribe(token)).toBe(true)
        expect(yield* links.unsubscribe(token)).toBe(true)
        expect(yield* (yield* Contacts).get(project, contact.id)).toMatchObject({ emailStatus: "unsubscribed" })
        const kinds = (yield* events).map(({ kind }) => kind)
        expect(kinds.filter((kind) => kind === "contact.unsubscribed")).toHaveLength(1)
        const { deliveryIds } = yield* send("b")
        expect(yield* delivery(deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "unsubscribed" })
      })
    ))

  it("suppresses an address without a contact", () =>
    withTestMail(
      store,
      options
    )(
      Effect.gen(function* () {
        yield* (yield* UnsubscribeLinks).unsubscribe(tokenOf(yield* headersOf("a")))
        const { items } = yield* (yield* Suppressions).list(project)
        expect(items).toMatchObject([{ email: "ada@example.org", reason: "unsubscribed" }])
      })
    ))

  it("changes nothing for a recipient who was erased from a message with other recipients", () =>
    withTestMail(
      store,
      options
    )(
      Effect.gen(function* () {
        yield* send("a", { cc: "bob@example.org" }, { listUnsubscribe: true })
        yield* tick
        const mails = (yield* StubTransport.StubTransport).captured()
        const links = yield* UnsubscribeLinks
        const tokens = mails.map(({ envelope, message }) => [envelope.to, tokenOf(message.headers)] as const)
        yield* (yield* Contacts).erase(project, "ada@example.org")
        expect(yield* links.unsubscribe(new Map(tokens).get("ada@example.org")!)).toBe(false)
        expect((yield* (yield* Suppressions).list(project)).items).toEqual([])
        expect(yield* links.unsubscribe(new Map(tokens).get("bob@example.org")!)).toBe(true)
      })
    ))

  it("changes nothing for a forged token", () =>
    withTestMail(
      store,
      options
    )(
      Effect.gen(function* () {
        const token = tokenOf(yield* headersOf("a"))
        const forged = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0")
        const links = yield* UnsubscribeLinks
        for (const text of [forged, "", "x".repeat(10_000)]) {
          expect(links.isValid(text)).toBe(false)
          expect(yield* links.unsubscribe(text)).toBe(false)
        }
        expect((yield* (yield* Suppressions).list(project)).items).toEqual([])
      })
    ))
})

describe("UnsubscribeLinks, with a wrong option", () => {
  it.each(["http://mail.acme.example/u", "mail.acme.example", "https://mail.acme.example/u?x=1", "ftp://a.example"])(
    "refuses the URL %s",
    async (wrong) => {
      const opened = Effect.scoped(
        Effect.provide(UnsubscribeLinks, testMailLayer(stores[0], { unsubscribe: { url: wrong } }))
      )
      await expect(Effect.runPromise(opened)).rejects.toThrow("unsubscribe.url must be an https URL")
    }
  )
})
