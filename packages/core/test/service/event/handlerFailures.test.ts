/**
 * Tests what the log has about handlers that fail.
 */
import type { TestMail } from "@mailkeep/test-support"
import { project, sendEvents, stores, withTestMail } from "@mailkeep/test-support"
import type { Scope } from "effect"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { EventHandler } from "../../../src/index.ts"
import { Contacts, EventSender } from "../../../src/index.ts"

const [store] = stores

/** Runs the effect in a mail whose warnings the effect gets. */
const withWarnings = <E>(
  effect: (warnings: ReadonlyArray<unknown>) => Effect.Effect<void, E, TestMail | Scope.Scope>
): Promise<void> => {
  const warnings: Array<unknown> = []
  const logger = Logger.make(({ message, logLevel }) => {
    if (logLevel === "Warn") warnings.push(message)
  })
  return withTestMail(store!)(effect(warnings).pipe(Effect.provide(Logger.layer([logger]))))
}

const subscribe = (name: string, handler: EventHandler) =>
  Effect.flatMap(EventSender, (eventSender) => eventSender.subscribe(name, handler))

const createContact = (email: string) => Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email }))

const line = "A handler of events failed. The event is tried again."

class ShopClosed extends Error {}

describe("a handler that fails", () => {
  it.each<readonly [string, EventHandler, string]>([
    [
      "throws",
      () => {
        throw new ShopClosed("ada@example.org")
      },
      "ShopClosed"
    ],
    ["returns a promise that rejects", () => Promise.reject(new ShopClosed("ada@example.org")), "ShopClosed"],
    ["returns an effect that fails", () => Effect.fail({ _tag: "NotNow", email: "ada@example.org" }), "NotNow"],
    ["rejects without a reason", () => Promise.reject(), "undefined"]
  ])("logs the subscription and the class of the error when the handler %s", (_, handler, error) =>
    withWarnings((warnings) =>
      Effect.gen(function* () {
        yield* subscribe("audit", handler)
        yield* createContact("ada@example.org")
        yield* sendEvents
        expect(warnings).toEqual([
          [
            line,
            {
              subscription: "audit",
              subscriptionId: expect.stringMatching(/^sub_/),
              kind: "contact.created",
              error,
              at: expect.any(Array)
            }
          ]
        ])
        expect(JSON.stringify(warnings)).not.toContain("ada@example.org")
      })
    )
  )

  it("shows where the error was thrown", () =>
    withWarnings((warnings) =>
      Effect.gen(function* () {
        yield* subscribe("audit", async () => {
          throw new ShopClosed()
        })
        yield* createContact("ada@example.org")
        yield* sendEvents
        expect(warnings).toMatchObject([
          [line, { at: expect.arrayContaining([expect.stringContaining("handlerFailures")]) }]
        ])
      })
    ))

  it("logs one line in 10 s for each subscription, with the number of failures", () =>
    withWarnings((warnings) =>
      Effect.gen(function* () {
        yield* subscribe("audit", () => Promise.reject(new ShopClosed()))
        for (let n = 0; n < 3; n++) yield* createContact(`a${n}@example.org`)
        yield* sendEvents
        yield* subscribe("other", () => Promise.reject(new ShopClosed()))
        yield* createContact("b@example.org")
        yield* sendEvents
        yield* TestClock.adjust("10 seconds")
        yield* createContact("c@example.org")
        yield* sendEvents
        const fields = warnings.map((one) => (one as ReadonlyArray<Record<string, unknown>>)[1]!)
        expect(fields.map(({ failures }) => failures)).toEqual([undefined, undefined, 4, undefined])
        const ids = fields.map(({ subscriptionId }) => subscriptionId)
        expect(ids).toEqual([ids[0], ids[1], ids[0], ids[1]])
        expect(new Set(ids).size).toBe(2)
      })
    ))

  it("logs nothing when a shutdown interrupts the handler", () =>
    withWarnings((warnings) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        yield* subscribe("audit", () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        yield* createContact("ada@example.org")
        const sending = yield* Effect.forkChild(sendEvents)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(sending)
        expect(warnings).toEqual([])
      })
    ))

  it("logs nothing when the handler succeeds", () =>
    withWarnings((warnings) =>
      Effect.gen(function* () {
        yield* subscribe("audit", () => {})
        yield* createContact("ada@example.org")
        yield* sendEvents
        expect(warnings).toEqual([])
      })
    ))
})

describe("a handler that does not end", () => {
  it("is named in the log after a minute, once for each call", () =>
    withWarnings((warnings) =>
      Effect.gen(function* () {
        const ended = yield* Deferred.make<void>()
        yield* subscribe("audit", () => Deferred.await(ended))
        yield* createContact("ada@example.org")
        const sending = yield* Effect.forkChild(sendEvents)
        yield* TestClock.adjust("59 seconds")
        expect(warnings).toEqual([])
        yield* TestClock.adjust("1 second")
        yield* TestClock.adjust("10 minutes")
        const fields = {
          subscription: "audit",
          subscriptionId: expect.stringMatching(/^sub_/),
          kind: "contact.created"
        }
        expect(warnings).toEqual([[expect.stringContaining("has not ended for a minute"), fields]])
        yield* Deferred.succeed(ended, undefined)
        expect((yield* Fiber.join(sending)).attempted).toBe(1)
        yield* createContact("grace@example.org")
        yield* sendEvents
        yield* TestClock.adjust("10 minutes")
        expect(warnings.length).toBe(1)
      })
    ))
})
