/**
 * The official library of Standard Webhooks verifies every signature.
 */
import { Contacts, Webhooks } from "@mailkeep/core"
import type { SinkRequest, SinkOutcome } from "@mailkeep/core/adapter"
import { withTestMail, project, sendEvents, start, stores } from "@mailkeep/test-support"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

/** The library reads the clock itself. */
beforeEach(() => vi.useFakeTimers({ now: start, toFake: ["Date"] }))
afterEach(() => vi.useRealTimers())

const keeping = () => {
  const got: Array<SinkRequest> = []
  const sink = {
    capabilities: { carriesHeaders: true },
    send: (eventDelivery: SinkRequest) =>
      Effect.sync((): SinkOutcome => {
        got.push(eventDelivery)
        return { _tag: "Accepted", status: 200 }
      })
  }
  return { got, sink }
}

const textOf = ({ body }: SinkRequest) => new TextDecoder().decode(body)

describe("an event delivery", () => {
  it("verifies an event delivery with its secret, and with both secrets during a rotation", () => {
    const { got, sink } = keeping()
    return withTestMail(stores[0], { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const first = yield* webhooks.create(project, { url: "https://a.example.net/", events: ["contact.created"] })
        const second = yield* webhooks.rotateSecret(project, first.webhook.id)
        for (const email of ["Grüße@example.org", "b@example.org"])
          yield* (yield* Contacts).create(project, { email: email.replace("Grüße", "gruesse"), firstName: "Ünï 🎉" })
        yield* sendEvents
        expect(got).toHaveLength(2)
        for (const eventDelivery of got)
          for (const { secret } of [first, second])
            expect(
              new Webhook(Redacted.value(secret)).verify(textOf(eventDelivery), eventDelivery.headers)
            ).toMatchObject({
              type: "contact.created"
            })
        const other = yield* webhooks.create(project, { url: "https://b.example.net/" })
        const stranger = new Webhook(Redacted.value(other.secret))
        expect(() => stranger.verify(textOf(got[0]!), got[0]!.headers)).toThrow()
        yield* TestClock.adjust("24 hours")
        vi.setSystemTime(start + 86_400_000)
        yield* webhooks.test(project, first.webhook.id)
        const last = got.at(-1)!
        new Webhook(Redacted.value(second.secret)).verify(textOf(last), last.headers)
        expect(() => new Webhook(Redacted.value(first.secret)).verify(textOf(last), last.headers)).toThrow()
      })
    )
  })

  it("does not verify an event delivery that is altered or older than five minutes", () => {
    const { got, sink } = keeping()
    return withTestMail(stores[0], { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook, secret } = yield* webhooks.create(project, { url: "https://a.example.net/" })
        yield* webhooks.test(project, webhook.id)
        const [eventDelivery] = got
        const verify = (text: string, headers: Readonly<Record<string, string>>) =>
          new Webhook(Redacted.value(secret)).verify(text, headers)
        verify(textOf(eventDelivery!), eventDelivery!.headers)
        expect(() =>
          verify(textOf(eventDelivery!).replace("webhook.test", "webhook.fake"), eventDelivery!.headers)
        ).toThrow()
        expect(() => verify(textOf(eventDelivery!), { ...eventDelivery!.headers, "webhook-id": "evd_other" })).toThrow()
        vi.setSystemTime(start + 301_000)
        expect(() => verify(textOf(eventDelivery!), eventDelivery!.headers)).toThrow()
      })
    )
  })
})
