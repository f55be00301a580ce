/**
 * Every signature is verified by the official library of Standard Webhooks.
 */
import { Contacts, Webhooks } from "@mailkeep/core"
import type { Push, PushOutcome } from "@mailkeep/core/port"
import { inHouse, project, relay, start, stores } from "@mailkeep/proving"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

/** The library looks at the clock itself. */
beforeEach(() => vi.useFakeTimers({ now: start, toFake: ["Date"] }))
afterEach(() => vi.useRealTimers())

const keeping = () => {
  const got: Array<Push> = []
  const sink = {
    capabilities: { carriesHeaders: true },
    push: (push: Push) =>
      Effect.sync((): PushOutcome => {
        got.push(push)
        return { _tag: "Taken", status: 200 }
      })
  }
  return { got, sink }
}

const textOf = ({ body }: Push) => new TextDecoder().decode(body)

describe("a push", () => {
  it("verifies under its secret, and under both while a rotation lasts", () => {
    const { got, sink } = keeping()
    return inHouse(stores[0], { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const first = yield* webhooks.create(project, { url: "https://a.example.net/", events: ["contact.created"] })
        const second = yield* webhooks.rotateSecret(project, first.webhook.id)
        for (const email of ["Grüße@example.org", "b@example.org"])
          yield* (yield* Contacts).create(project, { email: email.replace("Grüße", "gruesse"), firstName: "Ünï 🎉" })
        yield* relay
        expect(got).toHaveLength(2)
        for (const push of got)
          for (const { secret } of [first, second])
            expect(new Webhook(Redacted.value(secret)).verify(textOf(push), push.headers)).toMatchObject({
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

  it("does not verify with anything altered, or later than five minutes", () => {
    const { got, sink } = keeping()
    return inHouse(stores[0], { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook, secret } = yield* webhooks.create(project, { url: "https://a.example.net/" })
        yield* webhooks.test(project, webhook.id)
        const [push] = got
        const verify = (text: string, headers: Readonly<Record<string, string>>) =>
          new Webhook(Redacted.value(secret)).verify(text, headers)
        verify(textOf(push!), push!.headers)
        expect(() => verify(textOf(push!).replace("webhook.test", "webhook.fake"), push!.headers)).toThrow()
        expect(() => verify(textOf(push!), { ...push!.headers, "webhook-id": "psh_other" })).toThrow()
        vi.setSystemTime(start + 301_000)
        expect(() => verify(textOf(push!), push!.headers)).toThrow()
      })
    )
  })
})
