/**
 * The secrets that sign an event delivery.
 */
import { project, stores, withTestMail } from "@mailkeep/test-support"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Webhooks } from "../../../src/index.ts"
import { create, scripted } from "./scriptedSink.ts"

describe.each(stores)("EventSender, over $name", (store) => {
  it("signs with the newest secret, and for one day after a rotation also with the previous secret", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook, secret } = yield* create()
        expect(Redacted.value(secret)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
        const signatures = Effect.map(webhooks.test(project, webhook.id), () =>
          subscriber.got.at(-1)!.headers["webhook-signature"]!.split(" ")
        )
        expect(yield* signatures).toHaveLength(1)
        const rotated = yield* webhooks.rotateSecret(project, webhook.id)
        expect(Redacted.value(rotated.secret)).not.toBe(Redacted.value(secret))
        expect(yield* signatures).toHaveLength(2)
        yield* TestClock.adjust("24 hours")
        expect(yield* signatures).toHaveLength(1)
        expect(JSON.stringify(yield* webhooks.get(project, webhook.id))).not.toContain(Redacted.value(secret).slice(6))
      })
    )
  })

  it("signs with each earlier secret for one day after its own rotation, also when the secret is rotated again", () => {
    const subscriber = scripted()
    return withTestMail(store, { sink: subscriber.sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { webhook } = yield* create()
        const signatures = Effect.map(
          webhooks.test(project, webhook.id),
          () => subscriber.got.at(-1)!.headers["webhook-signature"]!.split(" ").length
        )
        yield* webhooks.rotateSecret(project, webhook.id)
        yield* TestClock.adjust("1 hour")
        // The answer of the first rotation can be lost, so that the receiver still has the first secret.
        yield* webhooks.rotateSecret(project, webhook.id)
        expect(yield* signatures).toBe(3)
        yield* TestClock.adjust("23 hours")
        expect(yield* signatures).toBe(2)
        yield* TestClock.adjust("1 hour")
        expect(yield* signatures).toBe(1)
      })
    )
  })
})
