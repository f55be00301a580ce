/**
 * The header fields that a hand-off gives to the transport.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { captured, withTestMail, project, send, sendOne, start, stores, tick } from "@mailkeep/test-support"
import { hourMillis } from "../../../src/domain/value/Instant.ts"
import { Domains } from "../../../src/index.ts"
import { always } from "./scriptedStub.ts"

describe.each(stores)("a hand-off, over $name", (store) => {
  it("hands over the same Message-ID and date on every attempt", () =>
    withTestMail(
      store,
      always({ act: "loseReply" }, { act: "loseReply" }, { act: "deliver" })
    )(
      Effect.gen(function* () {
        const id = yield* sendOne
        for (let attempt = 0; attempt < 3; attempt++) {
          yield* tick
          yield* TestClock.adjust("10 minutes")
        }
        const messages = (yield* captured).map(({ message }) => message)
        expect(messages).toHaveLength(3)
        for (const message of messages) expect(message).toEqual(messages[0])
        expect(messages[0]).toMatchObject({ messageIdHeader: `<${id}@example.com>`, date: start })
      })
    ))

  it("dates a scheduled message with its scheduled time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("k", { scheduledAt: start + hourMillis })
        yield* TestClock.adjust("90 minutes")
        yield* tick
        yield* tick
        expect((yield* captured).map(({ message }) => message.date)).toEqual([start + hourMillis])
      })
    ))

  it("hands over an accepted message after its sender domain was deleted, and lets bounces go to the sender", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* sendOne
        const domains = yield* Domains
        const [domain] = (yield* domains.list(project)).items
        yield* domains.delete(project, domain!.id)
        yield* tick
        expect(yield* captured).toMatchObject([{ envelope: { from: "hello@example.com" } }])
      })
    ))

  it("hands each of several recipients a separate copy, and shows cc but not bcc in the headers", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a", { to: ["a@example.org", "b@example.org"] })
        yield* send("b", { to: "c@example.org", cc: "d@example.org", bcc: "e@example.org" })
        yield* tick
        const shown = (yield* captured).map(({ envelope, message }) => [envelope.to, message.to, message.cc])
        expect(shown).toEqual([
          ["a@example.org", ["a@example.org"], []],
          ["b@example.org", ["b@example.org"], []],
          ["c@example.org", ["c@example.org"], ["d@example.org"]],
          ["d@example.org", ["c@example.org"], ["d@example.org"]],
          ["e@example.org", ["c@example.org"], ["d@example.org"]]
        ])
      })
    ))

  it("gives separate copies a Message-ID each, and the copies with cc and bcc that of the first delivery", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const separate = yield* send("a", { to: ["a@example.org", "b@example.org"] })
        const copies = yield* send("b", { to: "c@example.org", cc: "d@example.org", bcc: "e@example.org" })
        yield* tick
        const [first] = copies.deliveryIds
        const ids = [...separate.deliveryIds, first, first, first]
        expect((yield* captured).map(({ message }) => message.messageIdHeader)).toEqual(
          ids.map((id) => `<${id}@example.com>`)
        )
      })
    ))

  it("hands over the header fields of the send on every attempt", () =>
    withTestMail(
      store,
      always({ act: "loseReply" }, { act: "deliver" })
    )(
      Effect.gen(function* () {
        const headers = { "List-Unsubscribe": "<https://shop.example/u/7>", "X-Order": "Nº 7" }
        yield* send("k", {}, { headers })
        expect(yield* Effect.flip(send("k", {}, { headers: { "X-Order": "8" } }))).toMatchObject({
          issues: [{ code: "idempotency_key_reused" }]
        })
        yield* tick
        yield* TestClock.adjust("10 minutes")
        yield* tick
        expect((yield* captured).map(({ message }) => message.headers)).toEqual([headers, headers])
        expect(yield* Effect.flip(send("k2", {}, { headers: { Bcc: "eve@example.org" } }))).toMatchObject({
          argument: "options",
          issues: [{ path: ["headers", "Bcc"], code: "not_allowed_here" }]
        })
      })
    ))
})
